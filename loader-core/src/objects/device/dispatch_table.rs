//! A device's table: the lower ends of its commands, or the functions of the first layer.

use core::ffi::c_void;
use core::sync::atomic::Ordering;

use ash::vk::{self, Handle as _};

use super::Device;
use super::foreign_key::DriversKey;
use crate::abi::{Command, name};
use crate::dispatch::{DeviceTable, Table as _};
use crate::objects::commands::device_command;
use crate::registry::{CommandId, CommandSet, DEVICE_SLOTS, ExtensionSet};

impl Device {
    /// # Safety
    /// `F` is the function-pointer type of `command`.
    pub(in crate::objects) unsafe fn driver_function<F: Copy>(&self, command: CommandId) -> Option<F> {
        const { assert!(size_of::<F>() == size_of::<Command>()) };
        let (index, _) = device_command(command)?;
        let function = (*self.driver_functions.get(index)?)?;
        // SAFETY: by this function's `# Safety` `F` is the function-pointer type of `command`.
        Some(unsafe { core::mem::transmute_copy::<Command, F>(&function) })
    }

    /// Fills the table with the commands of `handle`, which the driver has just created.
    pub(super) fn fill_table(&mut self, handle: vk::Device) {
        self.handle = handle;
        if self.is_foreign() {
            // SAFETY: the driver has just created the device, so that its first word can be read.
            self.drivers_key = unsafe { DriversKey::of(handle) };
        }
        let instance = self.instance();
        let layered = !instance.layers().is_empty();
        // Faster than to ask for each command, since most are not enabled.
        let extensions = ExtensionSet::of_instance_and_device(&instance.lower_extensions, self.extensions);
        let of_extensions = CommandSet::of_extensions(&extensions);
        for slot in 0..DEVICE_SLOTS {
            let Some(command) = CommandId::from_device_slot(slot) else { continue };
            if !self.has_core(command) && !of_extensions.contains(command) {
                continue;
            }
            let drivers = self.driver_proc_addr(name::of(command));
            let function = match device_command(command) {
                Some((index, own)) => {
                    if let Some(function) = self.driver_functions.get_mut(index) {
                        *function = drivers;
                    }
                    own.lower_end(drivers)
                }
                None => drivers,
            };
            if let Some(function) = function {
                self.set_lower_end(slot, Some(function));
                if !layered || self.has(command) {
                    self.table.set(command, function);
                }
            }
        }
    }

    /// Returns the lower end of the call chain for `command`, if the application or a layer enabled it.
    pub(in crate::objects) fn lower_end(&self, command: CommandId) -> Option<Command> {
        if !self.has_below_layers(command) {
            return None;
        }
        let drivers = self.driver_proc_addr(name::of(command));
        device_command(command).map_or(drivers, |(_, own)| own.lower_end(drivers))
    }

    /// Fills the table with the first layer's functions for `handle`, which came up the call chain.
    pub(crate) fn put_layers_on_top(&self, handle: vk::Device, find: vk::PFN_vkGetDeviceProcAddr) {
        self.chain_handle.store(handle.as_raw() as usize, Ordering::Relaxed);
        self.first_layer.store(find as *mut c_void, Ordering::Release);
        for slot in 0..DEVICE_SLOTS {
            let Some(command) = CommandId::from_device_slot(slot) else { continue };
            // A layer may pass on the function that it found through the instance: the table already holds
            // the lower end.
            let above = |function: &Command| !DeviceTable::is_missing(*function as *const c_void);
            if self.has(command)
                && let Some(function) = self.command(name::of(command)).filter(above)
            {
                let own = device_command(command).and_then(|(_, own)| own.above_layers);
                self.table.set(command, own.unwrap_or(function));
            }
        }
        let loader = self.instance().loader;
        for number in 0..loader.unknown.device.count(loader.platform.waiting) {
            self.enter_unknown_command(number, DEVICE_SLOTS.wrapping_add(number));
        }
    }
}
