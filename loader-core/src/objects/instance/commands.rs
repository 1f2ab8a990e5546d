//! The instance commands that the loader implements itself, and the global commands.

use super::{create, global};
use crate::abi::{Command, function};
use crate::objects::own_command::OwnCommand;
use crate::registry::{CommandId, command};

pub(in crate::objects) const COMMANDS: &[OwnCommand] =
    &[OwnCommand::new(command::DESTROY_INSTANCE, function!(create::destroy_terminator))];

/// Returns the lower end of a global command, except vkGetInstanceProcAddr. Layers may look it up below
/// themselves.
pub(in crate::objects) const fn global_terminator(command: CommandId) -> Option<Command> {
    Some(match command {
        command::CREATE_INSTANCE => function!(create::terminator),
        command::ENUMERATE_INSTANCE_VERSION => function!(global::version_terminator),
        command::ENUMERATE_INSTANCE_EXTENSION_PROPERTIES => function!(global::extensions_terminator),
        command::ENUMERATE_INSTANCE_LAYER_PROPERTIES => function!(global::layers_terminator),
        _ => return None,
    })
}
