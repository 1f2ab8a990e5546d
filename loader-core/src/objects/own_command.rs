//! Rows in the tables of commands that the loader implements itself.

use ash::vk;

use crate::abi::{Command, function};
use crate::registry::CommandId;

#[derive(Clone, Copy)]
pub(super) struct OwnCommand {
    pub(super) command: CommandId,
    /// The lower end of the call chain if the driver has the command; `None` for the driver's function.
    pub(super) lower: Option<Command>,
    /// Whether a device command succeeds and does nothing if the driver lacks it.
    pub(super) succeeds_when_missing: bool,
    /// The upper end of a device command's call chain if there are layers; `None` for the first layer's function.
    pub(super) above_layers: Option<Command>,
}

impl OwnCommand {
    pub(super) const fn new(command: CommandId, lower: Command) -> Self {
        Self { command, lower: Some(lower), succeeds_when_missing: false, above_layers: None }
    }

    /// Returns the lower end of the call chain for a driver that has this function.
    pub(super) fn lower_end(&self, drivers: Option<Command>) -> Option<Command> {
        match drivers {
            Some(_) => self.lower.or(drivers),
            None => self.succeeds_when_missing.then_some(function!(succeed)),
        }
    }
}

/// Rows of commands with the functions at the lower ends of their call chains. A command may have a second name.
macro_rules! own_commands {
    ($($(#[$attribute:meta])* $command:ident $(| $alias:ident)?: $function:path,)*) => {
        &[$(
            $(#[$attribute])*
            OwnCommand::new(command::$command, function!($function)),
            $(OwnCommand::new(command::$alias, function!($function)),)?
        )*]
    };
}
pub(super) use own_commands;

unsafe extern "system" fn succeed() -> vk::Result {
    vk::Result::SUCCESS
}
