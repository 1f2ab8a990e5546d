//! The debugging commands that the loader implements itself.

use super::{messenger, names};
use crate::abi::{Command, function};
use crate::objects::own_command::OwnCommand;
use crate::registry::{CommandId, command};

pub(in crate::objects) const COMMANDS: &[OwnCommand] = &[
    OwnCommand::new(command::CREATE_DEBUG_UTILS_MESSENGER_EXT, function!(messenger::create_messenger)),
    OwnCommand::new(command::DESTROY_DEBUG_UTILS_MESSENGER_EXT, function!(messenger::destroy_messenger)),
    OwnCommand::new(command::SUBMIT_DEBUG_UTILS_MESSAGE_EXT, function!(messenger::submit_message)),
    OwnCommand::new(command::CREATE_DEBUG_REPORT_CALLBACK_EXT, function!(messenger::create_report)),
    OwnCommand::new(command::DESTROY_DEBUG_REPORT_CALLBACK_EXT, function!(messenger::destroy_report)),
    OwnCommand::new(command::DEBUG_REPORT_MESSAGE_EXT, function!(messenger::report_message)),
];

/// Device commands. Those of VK_EXT_debug_utils succeed if the driver lacks them: they belong to an instance
/// extension of the loader, which an application may enable whatever the drivers have.
pub(in crate::objects) const DEVICE_COMMANDS: &[OwnCommand] = &[
    OwnCommand {
        succeeds_when_missing: true,
        ..naming(
            command::SET_DEBUG_UTILS_OBJECT_NAME_EXT,
            function!(names::set_debug_utils_object_name),
            function!(names::name_above_layers),
        )
    },
    OwnCommand {
        succeeds_when_missing: true,
        ..naming(
            command::SET_DEBUG_UTILS_OBJECT_TAG_EXT,
            function!(names::set_debug_utils_object_tag),
            function!(names::tag_above_layers),
        )
    },
    naming(
        command::DEBUG_MARKER_SET_OBJECT_NAME_EXT,
        function!(names::debug_marker_set_object_name),
        function!(names::mark_name_above_layers),
    ),
    naming(
        command::DEBUG_MARKER_SET_OBJECT_TAG_EXT,
        function!(names::debug_marker_set_object_tag),
        function!(names::mark_tag_above_layers),
    ),
    label(command::QUEUE_BEGIN_DEBUG_UTILS_LABEL_EXT),
    label(command::QUEUE_END_DEBUG_UTILS_LABEL_EXT),
    label(command::QUEUE_INSERT_DEBUG_UTILS_LABEL_EXT),
    label(command::CMD_BEGIN_DEBUG_UTILS_LABEL_EXT),
    label(command::CMD_END_DEBUG_UTILS_LABEL_EXT),
    label(command::CMD_INSERT_DEBUG_UTILS_LABEL_EXT),
];

const fn naming(command: CommandId, lower: Command, above_layers: Command) -> OwnCommand {
    OwnCommand { above_layers: Some(above_layers), ..OwnCommand::new(command, lower) }
}

const fn label(command: CommandId) -> OwnCommand {
    OwnCommand { command, lower: None, succeeds_when_missing: true, above_layers: None }
}
