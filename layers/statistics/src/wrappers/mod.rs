//! A function for each command: it finds the next layer's, calls it and counts the call.
//!
//! The generated files have a row for each command with its parameters and result as the processor passes them. Commands without a row have
//! a function in `instance`, `device` or `tools`, look up functions (`entry`), or are global commands, which the loader handles without
//! layers.

mod bytes;
mod commands_1_gen;
mod commands_2_gen;
mod commands_3_gen;
mod commands_4_gen;
mod commands_5_gen;
mod rows;

use loader_core::registry::{COMMAND_COUNT, CommandId};

use crate::next::Function;
use crate::{device, instance, tools};

/// Returns the function of this layer for a command; none for global commands.
pub(crate) fn of(command: CommandId) -> Option<Function> {
    *WRAPPERS.get(command.index())?
}

static WRAPPERS: [Option<Function>; COMMAND_COUNT] = table();

#[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
const fn table() -> [Option<Function>; COMMAND_COUNT] {
    let parts = [
        commands_1_gen::ALL,
        commands_2_gen::ALL,
        commands_3_gen::ALL,
        commands_4_gen::ALL,
        commands_5_gen::ALL,
        instance::ALL,
        device::ALL,
        tools::ALL,
    ];
    let mut table = [None; COMMAND_COUNT];
    let mut part = 0;
    while part < parts.len() {
        let mut at = 0;
        while at < parts[part].len() {
            let (command, wrapper) = parts[part][at];
            table[command.index()] = Some(wrapper);
            at += 1;
        }
        part += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use loader_core::registry::{Class, command};

    use super::*;

    #[test]
    fn every_command_that_reaches_a_layer_has_a_wrapper_but_for_those_that_find_functions() {
        for command in CommandId::all() {
            let is_global = command.class() == Class::Global && command != command::CREATE_INSTANCE;
            let is_without = is_global || command == command::GET_DEVICE_PROC_ADDR;
            assert_eq!(of(command).is_none(), is_without, "{:?}", command.name());
        }
    }
}
