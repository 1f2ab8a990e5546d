//! A function for each command: it finds the next layer's, calls it and counts the call.
//!
//! The registry has a row for each command with its parameters and result as the processor passes them. Some commands have a function in
//! `instance`, `device` or `tools` instead, look up functions (`entry`), or are global commands, which the loader handles without layers.

mod bytes;
mod rows;

use vkload_core::registry::{COMMAND_COUNT, CommandId, command};

use crate::next::Function;
use crate::{device, instance, tools};

/// Returns the function of this layer for a command; none for global commands.
pub(crate) fn of(command: CommandId) -> Option<Function> {
    *WRAPPERS.get(command.index())?
}

/// The wrappers of the registry's rows.
macro_rules! rows {
    ($($part:ident)*) => {
        $(mod $part {
            vkload_core::registry::$part!(crate::wrappers::rows::wrappers);
        })*

        const ROWS: &[&[(CommandId, Function)]] = &[$($part::ALL),*];
    };
}
rows! {
    commands_instance commands_physical_device commands_device_1_0 commands_device_1_1_to_1_4
    commands_device_extensions_1 commands_device_extensions_200 commands_device_extensions_400
}

static WRAPPERS: [Option<Function>; COMMAND_COUNT] = table();

#[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
const fn table() -> [Option<Function>; COMMAND_COUNT] {
    let mut table = [None; COMMAND_COUNT];
    let mut part = 0;
    while part < ROWS.len() {
        table = with(table, ROWS[part]);
        part += 1;
    }
    table[command::GET_DEVICE_PROC_ADDR.index()] = None;
    with(with(with(table, instance::ALL), device::ALL), tools::ALL)
}

/// Returns the table with these functions instead of those that it has.
#[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
const fn with(
    mut table: [Option<Function>; COMMAND_COUNT],
    wrappers: &[(CommandId, Function)],
) -> [Option<Function>; COMMAND_COUNT] {
    let mut at = 0;
    while at < wrappers.len() {
        let (command, wrapper) = wrappers[at];
        table[command.index()] = Some(wrapper);
        at += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use vkload_core::registry::Class;

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
