//! A device's table: the lower ends of its commands, or the functions of the first layer.

use core::ffi::c_void;
use core::sync::atomic::Ordering;

use ash::vk::{self, Handle as _};

use super::destroy_device;
use super::device::{Device, OWN_COMMANDS};
use super::drivers_key::DriversKey;
use super::naming;
use super::swapchain;
use super::terminator::Terminator;
use crate::abi::{Command, function, name};
use crate::dispatch::{DeviceTable, Table as _};
use crate::registry::{CommandId, CommandSet, DEVICE_SLOTS, command};

/// Device commands that the loader implements itself if the driver has them.
const DEVICE_TERMINATORS: &[Terminator] = &[
    (command::DESTROY_DEVICE, function!(destroy_device::terminator)),
    (command::CREATE_SWAPCHAIN_KHR, function!(swapchain::create_swapchain)),
    (command::CREATE_SHARED_SWAPCHAINS_KHR, function!(swapchain::create_shared_swapchains)),
    #[cfg(feature = "foreign-handles")]
    (command::DESTROY_SWAPCHAIN_KHR, function!(swapchain::destroy_swapchain)),
    (command::GET_DEVICE_GROUP_SURFACE_PRESENT_MODES_KHR, function!(swapchain::group_present_modes)),
    (command::GET_DEVICE_GROUP_SURFACE_PRESENT_MODES_2_EXT, function!(swapchain::group_present_modes2)),
    (command::SET_DEBUG_UTILS_OBJECT_NAME_EXT, function!(naming::set_debug_utils_object_name)),
    (command::SET_DEBUG_UTILS_OBJECT_TAG_EXT, function!(naming::set_debug_utils_object_tag)),
    (command::DEBUG_MARKER_SET_OBJECT_NAME_EXT, function!(naming::debug_marker_set_object_name)),
    (command::DEBUG_MARKER_SET_OBJECT_TAG_EXT, function!(naming::debug_marker_set_object_tag)),
];

/// Device commands that succeed and do nothing if the driver lacks them: they belong to an instance
/// extension of the loader, which an application may enable whatever the drivers have.
const EMULATED_DEVICE_COMMANDS: [CommandId; 8] = [
    command::SET_DEBUG_UTILS_OBJECT_NAME_EXT,
    command::SET_DEBUG_UTILS_OBJECT_TAG_EXT,
    command::QUEUE_BEGIN_DEBUG_UTILS_LABEL_EXT,
    command::QUEUE_END_DEBUG_UTILS_LABEL_EXT,
    command::QUEUE_INSERT_DEBUG_UTILS_LABEL_EXT,
    command::CMD_BEGIN_DEBUG_UTILS_LABEL_EXT,
    command::CMD_END_DEBUG_UTILS_LABEL_EXT,
    command::CMD_INSERT_DEBUG_UTILS_LABEL_EXT,
];

/// The commands whose lower end is not always the driver's function.
const OWN_ENDS: CommandSet =
    CommandSet::listed(OWN_COMMANDS).with(&CommandSet::listed(&EMULATED_DEVICE_COMMANDS));

#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const _: () = {
    assert!(OWN_COMMANDS.len() == DEVICE_TERMINATORS.len());
    let mut place = 0;
    while place < OWN_COMMANDS.len() {
        assert!(OWN_COMMANDS[place].index() == DEVICE_TERMINATORS[place].0.index());
        place += 1;
    }
};

/// Returns the lower end of a device's call chain for `command`, if it is not the driver's own function.
#[must_use]
pub fn device_terminator(command: CommandId) -> Option<Command> {
    DEVICE_TERMINATORS.iter().find(|(id, _)| *id == command).map(|(_, function)| *function)
}

impl Device {
    /// Fills the table with the commands of `handle`, which the driver has just created.
    pub(super) fn fill_table(&mut self, handle: vk::Device) {
        self.handle = handle;
        if self.is_foreign() {
            // SAFETY: the driver has just created the device, so that its first word can be read.
            self.drivers_key = unsafe { DriversKey::of(handle) };
        }
        let layered = !self.instance().layers().is_empty();
        for slot in 0..DEVICE_SLOTS {
            let Some(command) = CommandId::from_device_slot(slot) else { continue };
            if !self.has_below_layers(command) {
                continue;
            }
            let drivers = self.drivers_unknown(name::of(command));
            let function = if OWN_ENDS.contains(command) { self.own_end(command, drivers) } else { drivers };
            if let Some(function) = function {
                self.set_lower_end(slot, Some(function));
                if !layered || self.has(command) {
                    self.table.set(command, function);
                }
            }
        }
    }

    /// Returns the lower end of the call chain for a command in [`OWN_ENDS`], whose driver's function is noted.
    fn own_end(&mut self, command: CommandId, drivers: Option<Command>) -> Option<Command> {
        if let Some(place) = DEVICE_TERMINATORS.iter().position(|(id, _)| *id == command) {
            *self.own.get_mut(place)? = drivers;
        }
        self.end_over(command, drivers)
    }

    /// Returns the lower end of the call chain for `command`, if the application or a layer enabled it.
    pub(super) fn lower_end(&self, command: CommandId) -> Option<Command> {
        if !self.has_below_layers(command) {
            return None;
        }
        self.end_over(command, self.drivers_unknown(name::of(command)))
    }

    fn end_over(&self, command: CommandId, drivers: Option<Command>) -> Option<Command> {
        if drivers.is_none() && EMULATED_DEVICE_COMMANDS.contains(&command) {
            return Some(naming::SUCCEED);
        }
        match DEVICE_TERMINATORS.iter().find(|(id, _)| *id == command) {
            Some((_, terminator)) => drivers.map(|_| *terminator),
            None => drivers,
        }
    }

    /// Fills the table with the first layer's functions for `handle`, which came up the call chain.
    pub(crate) fn put_layers_on_top(&self, handle: vk::Device, find: vk::PFN_vkGetDeviceProcAddr) {
        self.chain_handle.store(handle.as_raw(), Ordering::Relaxed);
        self.first_layer.store(find as *mut c_void, Ordering::Release);
        for slot in 0..DEVICE_SLOTS {
            let Some(command) = CommandId::from_device_slot(slot) else { continue };
            // A layer may pass on the function that it found through the instance: the table already holds
            // the lower end.
            let above = |function: &Command| !DeviceTable::is_missing(*function as *const c_void);
            if self.has(command)
                && let Some(function) = self.command(name::of(command)).filter(above)
            {
                let own = naming::ABOVE_LAYERS.iter().find(|(id, _)| *id == command);
                self.table.set(command, own.map_or(function, |(_, own)| *own));
            }
        }
        let loader = self.instance().loader;
        for number in 0..loader.unknown.device.count(loader.platform.waiting) {
            self.enter_unknown_command(number, DEVICE_SLOTS.wrapping_add(number));
        }
    }
}
