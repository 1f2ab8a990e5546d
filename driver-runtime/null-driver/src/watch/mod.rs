//! Commands that check the scenario before their own work, and are in its log.
//!
//! If the scenario names a command, or has a log, a look-up returns a watcher ([`function`]): it has the command's parameters, checks the
//! scenario, and calls the driver's function. The registry has a row for each command with its parameters and result as the
//! processor passes them.

mod rows;

use vkload_driver_runtime::Tables;
use vkload_driver_runtime::dispatch::Command;
use vkload_driver_runtime::registry::{COMMAND_COUNT, CommandId, command, table_by_command};

use crate::outcome::{Outcome, logged, stops};
use crate::{Null, scenario};

/// Returns the function that watches a command. `None` if the command finds functions.
pub(crate) fn function(command: CommandId) -> Option<Command> {
    WATCHERS[command.canonical().index()]
}

macro_rules! rows {
    ($($part:ident)*) => {
        $(mod $part {
            vkload_driver_runtime::registry::$part!(crate::watch::rows::watchers);
        })*

        const ROWS: &[&[(CommandId, Command)]] = &[$($part::ALL),*];
    };
}
rows! {
    commands_global commands_instance commands_physical_device commands_device_1_0 commands_device_1_1_to_1_4
    commands_device_extensions_1 commands_device_extensions_200 commands_device_extensions_400
}

static WATCHERS: [Option<Command>; COMMAND_COUNT] = table();

const fn table() -> [Option<Command>; COMMAND_COUNT] {
    let mut table = table_by_command(ROWS);
    table[command::GET_INSTANCE_PROC_ADDR.index()] = None;
    table[command::GET_DEVICE_PROC_ADDR.index()] = None;
    table
}

type Find = fn(CommandId) -> Option<Command>;

/// Fails, waits, or `call`s the driver's function, as the scenario demands, and logs the outcome.
///
/// # Safety
/// The parameters come from a call of the command; the first one is a handle or a pointer.
unsafe fn watched<R: Outcome>(
    command: CommandId,
    parameters: &[u64],
    call: &mut dyn FnMut(Find) -> Option<R>,
) -> R {
    let command = command.canonical();
    // SAFETY: the caller vouches for the parameters.
    let wanted = unsafe { scenario::get().before(command.name(), parameters) };
    if let Some(wanted) = wanted {
        // SAFETY: as above.
        if unsafe { stops(command, parameters.first().copied().unwrap_or(0), wanted) } {
            return logged(command, R::failed(wanted));
        }
    }
    let outcome = call(|command| Null::TABLE.get(command)).expect("a command of the driver");
    logged(command, if let Some(wanted) = wanted { outcome.or(wanted) } else { outcome })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_checks_the_scenario_unless_it_finds_functions() {
        let unwatched: std::vec::Vec<_> = CommandId::all().filter(|id| function(*id).is_none()).collect();
        assert_eq!(unwatched, [command::GET_INSTANCE_PROC_ADDR, command::GET_DEVICE_PROC_ADDR]);
    }
}
