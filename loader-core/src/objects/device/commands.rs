//! The commands that the loader implements itself to create and destroy devices.

use super::{create, destroy};
use crate::abi::function;
use crate::objects::own_command::OwnCommand;
use crate::registry::command;

pub(in crate::objects) const COMMANDS: &[OwnCommand] =
    &[OwnCommand::new(command::CREATE_DEVICE, function!(create::terminator))];

pub(in crate::objects) const DEVICE_COMMANDS: &[OwnCommand] =
    &[OwnCommand::new(command::DESTROY_DEVICE, function!(destroy::terminator))];
