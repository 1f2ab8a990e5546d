//! The debugging commands that the loader implements itself.

use super::{messenger, names};
use crate::abi::{Command, function};
use crate::objects::own_command::{OwnCommand, own_commands};
use crate::registry::{CommandId, command};

pub(in crate::objects) const COMMANDS: &[OwnCommand] = own_commands! {
    CREATE_DEBUG_UTILS_MESSENGER_EXT: messenger::create_messenger,
    DESTROY_DEBUG_UTILS_MESSENGER_EXT: messenger::destroy_messenger,
    SUBMIT_DEBUG_UTILS_MESSAGE_EXT: messenger::submit_message,
    CREATE_DEBUG_REPORT_CALLBACK_EXT: messenger::create_report,
    DESTROY_DEBUG_REPORT_CALLBACK_EXT: messenger::destroy_report,
    DEBUG_REPORT_MESSAGE_EXT: messenger::report_message,
};

/// Rows of commands that name objects, with the lower and the upper end, and whether the command succeeds if
/// the driver lacks it; then the commands for labels.
macro_rules! device_commands {
    ({ $($naming:ident: $lower:path, $upper:path, $succeeds:literal;)* } labels $($label:ident)*) => {
        &[
            $(row(command::$naming, Some(function!($lower)), Some(function!($upper)), $succeeds),)*
            $(row(command::$label, None, None, true),)*
        ]
    };
}

/// Commands of VK_EXT_debug_utils succeed if the driver lacks them, since they belong to an instance extension
/// of the loader, which an application may enable whatever the drivers have.
pub(in crate::objects) const DEVICE_COMMANDS: &[OwnCommand] = device_commands! {
    {
        SET_DEBUG_UTILS_OBJECT_NAME_EXT: names::set_debug_utils_object_name, names::name_above_layers, true;
        SET_DEBUG_UTILS_OBJECT_TAG_EXT: names::set_debug_utils_object_tag, names::tag_above_layers, true;
        DEBUG_MARKER_SET_OBJECT_NAME_EXT: names::debug_marker_set_object_name, names::mark_name_above_layers, false;
        DEBUG_MARKER_SET_OBJECT_TAG_EXT: names::debug_marker_set_object_tag, names::mark_tag_above_layers, false;
    }
    labels
    QUEUE_BEGIN_DEBUG_UTILS_LABEL_EXT QUEUE_END_DEBUG_UTILS_LABEL_EXT QUEUE_INSERT_DEBUG_UTILS_LABEL_EXT
    CMD_BEGIN_DEBUG_UTILS_LABEL_EXT CMD_END_DEBUG_UTILS_LABEL_EXT CMD_INSERT_DEBUG_UTILS_LABEL_EXT
};

const fn row(
    command: CommandId,
    lower: Option<Command>,
    above_layers: Option<Command>,
    succeeds_when_missing: bool,
) -> OwnCommand {
    OwnCommand { command, lower, succeeds_when_missing, above_layers }
}
