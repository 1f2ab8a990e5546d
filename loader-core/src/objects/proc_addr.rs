//! vkGetInstanceProcAddr and vkGetDeviceProcAddr at the lower end of a call chain.

use core::ffi::{CStr, c_char};

use ash::vk::{self, Handle as _};

use super::commands::{device_terminator, instance_terminator};
use super::device::device_of;
use super::handle;
use super::instance::Instance;
use super::instance::commands::global_terminator;
use crate::abi::function;
use crate::dispatch::{Command, lower_end_piece};
use crate::registry::{self, Class, CommandId, DEVICE_SLOTS, command};

/// vkGetInstanceProcAddr at the lower end of a call chain.
///
/// # Safety
/// `name` is NULL or a valid C string; `instance` is NULL or the handle that the call chain was
/// entered with.
pub unsafe extern "system" fn terminator_get_instance_proc_addr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    if name.is_null() {
        return None;
    }
    // SAFETY: by this function's `# Safety` `name` is a valid C string, as NULL was checked.
    let name = unsafe { CStr::from_ptr(name) };
    match registry::find(name) {
        Some(command::GET_INSTANCE_PROC_ADDR) => Some(function!(terminator_get_instance_proc_addr)),
        Some(command::GET_DEVICE_PROC_ADDR) => Some(function!(terminator_get_device_proc_addr)),
        Some(command) if command.instance_slot().is_some() => instance_terminator(command),
        None if name == c"vk_layerGetPhysicalDeviceProcAddr" => {
            Some(function!(terminator_get_physical_device_proc_addr))
        }
        Some(command) if command.class() == Class::Global => global_terminator(command),
        _ if instance.is_null() => None,
        command => {
            // SAFETY: by this function's `# Safety` `instance` is the handle that the call chain
            // was entered with, as NULL was checked.
            let instance = unsafe { handle::instance(instance, command::GET_INSTANCE_PROC_ADDR) };
            match command {
                // Only drivers know what kind of command it is.
                None if instance.drivers_have_physical_device_command(name) => {
                    unknown_physical_device_terminator(instance, name)
                }
                _ => device_command(instance, command, name),
            }
        }
    }
}

/// Returns the lower end of the call chain for a device command that a layer looks up through the instance.
/// It works on the devices of every driver: with several drivers, it is a piece that jumps to the lower end
/// of the device that it is called with. Pieces need the first word of a device's handles; if that word may
/// belong to the driver, the result is `None`.
fn device_command(instance: &Instance, command: Option<CommandId>, name: &CStr) -> Option<Command> {
    let drivers = instance.drivers.iter().find_map(|driver| driver.command(name))?;
    // Surfaces and named objects are the loader's, also for a layer that looks commands up this way.
    if let Some(own) = command.and_then(device_terminator) {
        return Some(own);
    }
    if instance.drivers.len() < 2 {
        return Some(drivers);
    }
    let slot = match command {
        Some(command) => command.device_slot()?,
        None => {
            let loader = instance.loader;
            let number = loader.unknown.device.add(loader.platform.waiting, name).ok()??;
            instance.enter_in_lower_ends(number, name);
            DEVICE_SLOTS.wrapping_add(number)
        }
    };
    lower_end_piece(instance.loader.flavour.handles, slot)
}

/// Returns the lower end of the call chain for a physical-device command that the registry does not know and
/// some driver has; `None` if all numbers are taken or memory is short.
fn unknown_physical_device_terminator(instance: &Instance, name: &CStr) -> Option<Command> {
    let loader = instance.loader;
    let number = loader.unknown.physical_device.add(loader.platform.waiting, name).ok()??;
    instance.enter_in_driver_tables(number)
}

/// vk_layerGetPhysicalDeviceProcAddr at the lower end of a call chain. A layer without it is passed
/// over, so the handle may be one that such a layer created: nothing is found for that.
///
/// # Safety
/// As for [`terminator_get_instance_proc_addr`], but `instance` may also be an object of a layer
/// with two readable words.
pub unsafe extern "system" fn terminator_get_physical_device_proc_addr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    if name.is_null() || instance.is_null() {
        return None;
    }
    // SAFETY: by this function's `# Safety` `name` is a valid C string, as NULL was checked, and
    // `instance` a valid handle or a layer's object, of which `known_instance` reads the first two
    // words.
    let (name, instance) = unsafe { (CStr::from_ptr(name), handle::known_instance(instance)?.instance()) };
    match registry::find(name) {
        Some(command) if command.class() == Class::PhysicalDevice => instance_terminator(command),
        Some(_) => None,
        None if instance.drivers_have_physical_device_command(name) => {
            unknown_physical_device_terminator(instance, name)
        }
        None => None,
    }
}

/// vkGetDeviceProcAddr at the lower end of a call chain.
///
/// # Safety
/// `name` is NULL or a valid C string; `device` is NULL or the driver's handle for a live device.
pub unsafe extern "system" fn terminator_get_device_proc_addr(
    device: vk::Device,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    if name.is_null() {
        return None;
    }
    // SAFETY: by this function's `# Safety` `name` is a valid C string, as NULL was checked, and
    // `device` is NULL or a live device.
    let (name, device) = unsafe { (CStr::from_ptr(name), device_of(device.as_raw())?) };
    match registry::find(name) {
        Some(command::GET_DEVICE_PROC_ADDR) => Some(function!(terminator_get_device_proc_addr)),
        Some(command) if command.device_slot().is_some() => device.lower_end(command),
        Some(_) => None,
        None => device.driver_proc_addr(name),
    }
}
