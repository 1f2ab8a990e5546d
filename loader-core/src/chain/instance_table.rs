//! An instance's table: the lower ends of its commands, or the first layer's functions.

use core::ffi::CStr;

use crate::abi::layer_interface::FindInstanceCommand;
use crate::abi::{Command, name};
use crate::dispatch::Table as _;
use crate::objects::{
    Instance, instance_terminator, terminator_get_instance_proc_addr,
    terminator_get_physical_device_proc_addr,
};
use crate::registry::{CommandId, INSTANCE_SLOTS, command};

/// A command that never goes down a call chain: layers do not know about each other.
pub(super) const NEVER_IN_LAYERS: CommandId = command::ENUMERATE_DEVICE_LAYER_PROPERTIES;

/// Fills an instance's table: with the first layer's functions, or with the lower ends of the chains if it
/// has no layers.
pub(super) fn fill_instance_table(instance: &Instance) {
    let layered = !instance.layers().is_empty();
    for number in 0..INSTANCE_SLOTS {
        let Some(command) = CommandId::from_instance_slot(number) else { continue };
        let through_layers = layered && command != NEVER_IN_LAYERS;
        let end =
            if through_layers { instance.command(name::of(command)) } else { instance_terminator(command) };
        if let (Some(slot), Some(function)) = (instance.table.slot(number), end) {
            slot.set(function);
        }
    }
    let loader = instance.loader;
    for number in 0..loader.unknown.physical_device.count(loader.platform.waiting) {
        let name = loader.unknown.physical_device.name(loader.platform.waiting, number);
        if let Some(function) = name.and_then(|name| instance.find_physical_device_command(name)) {
            instance.enter_in_instance_table(number, function);
        }
    }
}

impl Instance {
    /// Puts the upper end of the chain of the unknown physical-device command `number` into the instance's
    /// table.
    pub(crate) fn enter_in_instance_table(&self, number: usize, function: Command) {
        if let Some(slot) = self.table.slot(INSTANCE_SLOTS.wrapping_add(number)) {
            slot.set(function);
        }
    }

    /// Returns the upper end of the chain of a physical-device command that the registry does not know.
    pub(crate) fn find_physical_device_command(&self, name: &CStr) -> Option<Command> {
        // If a layer wraps the instance, only the first layer knows the handle that came up the chain.
        let wrapped = self.chain_handle() != self.handle();
        let mut layers = self.layers().iter().take(if wrapped { 1 } else { usize::MAX });
        let find = layers.find_map(|layer| layer.interface.get_physical_device_proc_addr);
        let (find, handle) = find.map_or(
            (terminator_get_physical_device_proc_addr as FindInstanceCommand, self.handle()),
            |find| (find, self.chain_handle()),
        );
        // SAFETY: the handle is the one that the function's layer knows the instance by, and the name is a C
        // string.
        unsafe { find(handle, name.as_ptr()) }
    }

    /// Returns the upper end of the chain of a command.
    pub(crate) fn command(&self, name: &CStr) -> Option<Command> {
        let first = self.layers().first();
        let find = first
            .map_or(terminator_get_instance_proc_addr as _, |layer| layer.interface.get_instance_proc_addr);
        // SAFETY: the top of the chain knows the instance by the handle that came up the chain, and the
        // name is a C string.
        unsafe { find(self.chain_handle(), name.as_ptr()) }
    }
}
