//! A function for each command: it finds the next layer's, calls it and counts the call.
//!
//! The registry has a row for each command with its parameters and result as the processor passes them. Some commands have a function in
//! `instance`, `device` or `tools` instead, look up functions (`entry`), or are global commands, which the loader handles without layers.

mod bytes;
mod rows;

use vkload_core::registry::{COMMAND_COUNT, CommandId, command, table_by_command};

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

        /// The functions by hand come last, since they replace others.
        const ROWS: &[&[(CommandId, Function)]] = &[$($part::ALL,)* instance::ALL, device::ALL, tools::ALL];
    };
}
rows! {
    commands_instance commands_physical_device commands_device_1_0 commands_device_1_1_to_1_4
    commands_device_extensions_1 commands_device_extensions_200 commands_device_extensions_400
}

static WRAPPERS: [Option<Function>; COMMAND_COUNT] = table();

#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const fn table() -> [Option<Function>; COMMAND_COUNT] {
    let mut table = table_by_command(ROWS);
    table[command::GET_DEVICE_PROC_ADDR.index()] = None;
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
