//! What the driver does for commands of extensions that have no effect of their own here: the call succeeds, objects come and
//! go, queries say that there is nothing or as little as is allowed. Most commands have a generated row; some take more.

mod actions;
mod by_hand;
mod commands_1_gen;
mod commands_2_gen;
mod commands_3_gen;
mod commands_4_gen;
mod rows;

use driver_runtime::Tables;
use driver_runtime::dispatch::EntryPoints;
use driver_runtime::registry::CommandId;

use crate::Null;

pub(crate) use by_hand::COMMANDS as BY_HAND;

/// The commands that have a row. The driver's other functions and the runtime's come first.
pub(crate) const COMMANDS: EntryPoints<Null> = commands_1_gen::COMMANDS
    .and(&commands_2_gen::COMMANDS)
    .and(&commands_3_gen::COMMANDS)
    .and(&commands_4_gen::COMMANDS);

/// Whether the driver's function of the command asks the scenario, so that it can fail or wait.
pub(crate) fn asks(command: CommandId) -> bool {
    let command = command.canonical();
    let row = COMMANDS.get(command);
    row.is_some_and(|row| Null::TABLE.get(command).is_some_and(|used| core::ptr::fn_addr_eq(used, row)))
}
