//! Filling the tables that exported functions jump through.

use vkload_core::dispatch::{Command, Table};
use vkload_core::registry::{CommandId, ExtensionSet, command};

use super::disabled::DISABLED;
use super::exports::LIST;

/// Fills the new table of an instance or a device, in which no command is set, with these enabled extensions from the head of its
/// chain.
///
/// # Errors
/// A command of Vulkan 1.0 that the head lacks.
pub(super) fn fill<T: Table>(
    table: &T,
    enabled: &ExtensionSet,
    find: impl Fn(CommandId) -> Option<Command>,
) -> Result<(), CommandId> {
    // None of these is a core command.
    for row in DISABLED.iter().filter(|row| !enabled.contains(row.extension)) {
        table.set(row.command, row.stub);
    }
    // The loader answers this one for every layer.
    let own = command::ENUMERATE_DEVICE_LAYER_PROPERTIES;
    for command in LIST.iter().copied().filter(|it| T::number(*it).is_some() && *it != own) {
        let core = command.core();
        if core.is_none() && table.present(command).is_some() {
            continue;
        }
        match find(command) {
            Some(function) => table.set(command, function),
            None if core == Some(0) => return Err(command),
            None => {}
        }
    }
    Ok(())
}
