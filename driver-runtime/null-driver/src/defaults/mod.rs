//! Defaults for commands of extensions without an effect in this driver: the call succeeds, objects are created and
//! destroyed, and queries return nothing or the permitted minimum. Most commands have a generated row; some take
//! more.

mod actions;
mod by_hand;
mod commands_1_gen;
mod commands_2_gen;
mod commands_3_gen;
mod commands_4_gen;
mod rows;

use vkload_driver_runtime::Tables;
use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::registry::CommandId;

use crate::Null;

pub(crate) use by_hand::COMMANDS as BY_HAND;

/// The commands that have a row. The driver's other functions and the runtime's come first.
pub(crate) const COMMANDS: EntryPoints<Null> = commands_1_gen::COMMANDS
    .and(&commands_2_gen::COMMANDS)
    .and(&commands_3_gen::COMMANDS)
    .and(&commands_4_gen::COMMANDS);

/// Returns whether the driver's function for the command checks the scenario, so that it can fail or wait.
pub(crate) fn asks(command: CommandId) -> bool {
    let command = command.canonical();
    let row = COMMANDS.get(command);
    row.is_some_and(|row| Null::TABLE.get(command).is_some_and(|used| core::ptr::fn_addr_eq(used, row)))
}
