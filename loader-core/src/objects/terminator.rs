//! Tables of commands that the loader implements itself.

use crate::abi::Command;
use crate::registry::{CommandId, INSTANCE_SLOTS};

/// A row in a table of terminators.
pub(super) type Terminator = (CommandId, Command);

/// Functions of commands on instances and physical devices, by the slots of the commands.
pub(super) type InstanceFunctions = [Option<Command>; INSTANCE_SLOTS];

/// The functions of `lists` by slot, laid out by the compiler so that no search is necessary.
#[expect(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::panic,
    reason = "evaluated by the compiler"
)]
pub(super) const fn by_slot(lists: &[&[Terminator]]) -> InstanceFunctions {
    let mut functions = [None; INSTANCE_SLOTS];
    let mut list = 0;
    while list < lists.len() {
        let mut row = 0;
        while row < lists[list].len() {
            let (command, function) = lists[list][row];
            let Some(slot) = command.instance_slot() else { panic!("a device command") };
            assert!(functions[slot].is_none(), "a command has two functions");
            functions[slot] = Some(function);
            row += 1;
        }
        list += 1;
    }
    functions
}
