//! Filling the tables that exported functions jump through.

use core::ffi::CStr;

use vkload_core::abi::name;
use vkload_core::dispatch::{Command, DeviceTable, InstanceTable, Table};
use vkload_core::registry::{CommandId, ExtensionSet, command};

use super::disabled::DISABLED;
use super::exports::EXPORTED;

/// A command of Vulkan 1.0 that the head of the chain lacks.
pub(super) struct Missing(pub(super) CommandId);

/// Fills the table of an instance with these enabled extensions from the head of its chain.
pub(super) fn fill_instance(
    table: &InstanceTable,
    enabled: &ExtensionSet,
    find: impl Fn(&CStr) -> Option<Command>,
) -> Result<(), Missing> {
    // The loader answers this one for every layer.
    let own = |command: &CommandId| *command == command::ENUMERATE_DEVICE_LAYER_PROPERTIES;
    fill(table, CommandId::all().filter(|command| !own(command)), enabled, find)
}

pub(super) fn fill_device(
    table: &DeviceTable,
    enabled: &ExtensionSet,
    find: impl Fn(&CStr) -> Option<Command>,
) -> Result<(), Missing> {
    fill(table, CommandId::all(), enabled, find)
}

fn fill<T: Table>(
    table: &T,
    commands: impl Iterator<Item = CommandId>,
    enabled: &ExtensionSet,
    find: impl Fn(&CStr) -> Option<Command>,
) -> Result<(), Missing> {
    for command in commands.filter(|command| T::number(*command).is_some() && EXPORTED.contains(*command)) {
        let disabled = DISABLED.iter().find(|row| row.command == command && !enabled.contains(row.extension));
        match disabled.map(|row| row.stub).or_else(|| find(name::of(command))) {
            Some(function) => table.set(command, function),
            None if command.core() == Some(0) => return Err(Missing(command)),
            None => {}
        }
    }
    Ok(())
}
