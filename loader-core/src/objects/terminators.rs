//! The commands that the loader implements itself at the lower end of the chain, as tables.

use core::ffi::{CStr, c_char};

use ash::vk::{self, Handle as _};

use super::device::device_of;
use super::driver::DriverInstance;
use super::handle;
use super::instance::Instance;
use super::{
    create_device, create_instance, device, emulated, extension_queries, group, messenger, naming,
    physical_device, surface, surface_queries, swapchain,
};
use crate::abi::{function, name};
use crate::dispatch::{Command, TERMINATORS, Table as _};
use crate::entry::global_terminator;
use crate::registry::{Class, CommandId, INSTANCE_SLOTS, command, find};

/// What a table of terminators holds for each command.
pub(super) type Terminator = (CommandId, Command);

/// Functions of commands on instances and physical devices, by the slots of the commands.
pub(super) type InstanceFunctions = [Option<Command>; INSTANCE_SLOTS];

/// Commands on instances and physical devices.
static INSTANCE_TERMINATORS: InstanceFunctions = by_slot(&[
    &[
        (command::DESTROY_INSTANCE, function!(create_instance::destroy_terminator)),
        (command::ENUMERATE_PHYSICAL_DEVICES, function!(physical_device::enumerate_physical_devices)),
        (command::ENUMERATE_PHYSICAL_DEVICE_GROUPS, function!(group::enumerate_physical_device_groups)),
        (command::ENUMERATE_PHYSICAL_DEVICE_GROUPS_KHR, function!(group::enumerate_physical_device_groups)),
        (command::CREATE_DEVICE, function!(create_device::terminator)),
    ],
    extension_queries::TERMINATORS,
    emulated::TERMINATORS,
    surface::TERMINATORS,
    surface_queries::TERMINATORS,
    messenger::TERMINATORS,
]);

/// The functions of `lists` by slot, laid out by the compiler so that nothing has to be searched.
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

/// Commands on devices that the loader implements itself where the driver has them.
pub(super) const DEVICE_TERMINATORS: &[Terminator] = &[
    (command::DESTROY_DEVICE, function!(device::destroy_terminator)),
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

/// Commands on devices that do nothing, successfully, where the driver lacks them: the instance extension that they
/// belong to is the loader's, so that an application may enable it whatever the drivers have.
pub(super) const EMULATED_DEVICE_COMMANDS: [CommandId; 8] = [
    command::SET_DEBUG_UTILS_OBJECT_NAME_EXT,
    command::SET_DEBUG_UTILS_OBJECT_TAG_EXT,
    command::QUEUE_BEGIN_DEBUG_UTILS_LABEL_EXT,
    command::QUEUE_END_DEBUG_UTILS_LABEL_EXT,
    command::QUEUE_INSERT_DEBUG_UTILS_LABEL_EXT,
    command::CMD_BEGIN_DEBUG_UTILS_LABEL_EXT,
    command::CMD_END_DEBUG_UTILS_LABEL_EXT,
    command::CMD_INSERT_DEBUG_UTILS_LABEL_EXT,
];

/// The lower end of an instance's chain for `command`: the loader's own function, or the piece that passes a
/// physical-device command on to the driver.
#[must_use]
pub fn instance_terminator(command: CommandId) -> Option<Command> {
    let slot = command.instance_slot()?;
    let own = INSTANCE_TERMINATORS.get(slot).copied().flatten();
    own.or_else(|| if command.class() == Class::PhysicalDevice { TERMINATORS.piece(slot) } else { None })
}

/// The lower end of a device's chain for `command`, where that is not the driver's own function.
#[must_use]
pub fn device_terminator(command: CommandId) -> Option<Command> {
    DEVICE_TERMINATORS.iter().find(|(id, _)| *id == command).map(|(_, function)| *function)
}

/// Fills an instance's table: with the lower ends of the chains if it has no layers, else with what the first layer
/// gives.
pub(super) fn fill_instance_table(instance: &Instance) {
    let layered = !instance.layers().is_empty();
    let (never_layered, _) = extension_queries::DEVICE_LAYERS;
    for number in 0..INSTANCE_SLOTS {
        let Some(command) = CommandId::from_instance_slot(number) else { continue };
        let through_layers = layered && command != never_layered;
        let end =
            if through_layers { instance.find(name::of(command)) } else { instance_terminator(command) };
        if let (Some(slot), Some(function)) = (instance.table.slot(number), end) {
            slot.set(function);
        }
    }
    let loader = instance.loader;
    for number in 0..loader.unknown.physical_device.count(loader) {
        let name = loader.unknown.physical_device.name(loader, number);
        if let Some(function) = name.and_then(|name| instance.find_physical_device_command(name)) {
            instance.set_unknown_physical_device_command(number, function);
        }
    }
}

/// vkGetInstanceProcAddr at the lower end of a chain.
///
/// # Safety
/// `name` is NULL or a valid C string; `instance` is NULL or the handle that the chain was entered with.
pub unsafe extern "system" fn terminator_get_instance_proc_addr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    if name.is_null() {
        return None;
    }
    // SAFETY: the caller vouches for the name.
    let name = unsafe { CStr::from_ptr(name) };
    match find(name) {
        Some(command::CREATE_INSTANCE) => Some(function!(create_instance::terminator)),
        Some(command::CREATE_DEVICE) => Some(function!(create_device::terminator)),
        Some(command::GET_INSTANCE_PROC_ADDR) => Some(function!(terminator_get_instance_proc_addr)),
        Some(command::GET_DEVICE_PROC_ADDR) => Some(function!(terminator_get_device_proc_addr)),
        Some(command) if command.instance_slot().is_some() => instance_terminator(command),
        None if name == c"vk_layerGetPhysicalDeviceProcAddr" => {
            Some(function!(terminator_get_physical_device_proc_addr))
        }
        Some(command) if command.class() == Class::Global => global_terminator(command),
        _ if instance.is_null() => None,
        // Commands of devices: which driver's it is does not matter, since devices have look-ups of their own.
        command => {
            // SAFETY: the caller vouches for the handle.
            let instance = unsafe { handle::instance(instance, command::GET_INSTANCE_PROC_ADDR) };
            let drivers = instance.drivers.iter().find_map(|driver| driver.find(name))?;
            // Surfaces and named objects are the loader's, also for a layer that looks commands up so.
            Some(command.and_then(device_terminator).unwrap_or(drivers))
        }
    }
}

/// vk_layerGetPhysicalDeviceProcAddr at the lower end of a chain. A layer without one is passed over, so that the handle
/// may be one that such a layer made: nothing is found for it.
///
/// # Safety
/// As for [`terminator_get_instance_proc_addr`].
pub unsafe extern "system" fn terminator_get_physical_device_proc_addr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    if name.is_null() || instance.is_null() {
        return None;
    }
    // SAFETY: the caller vouches for the name and the handle.
    let (name, instance) = unsafe { (CStr::from_ptr(name), handle::known_instance(instance)?.instance()) };
    match find(name) {
        Some(command) if command.class() == Class::PhysicalDevice => instance_terminator(command),
        Some(_) => None,
        None => {
            let has = |driver: &DriverInstance| driver.find_physical_device_command(name).is_some();
            if !instance.drivers.iter().any(|driver| has(driver)) {
                return None;
            }
            let number = instance.loader.unknown.physical_device.add(instance.loader, name).ok()??;
            instance.resolve_unknown_physical_device_command(number)
        }
    }
}

/// vkGetDeviceProcAddr at the lower end of a chain.
///
/// # Safety
/// `name` is NULL or a valid C string; `device` is the driver's handle.
pub unsafe extern "system" fn terminator_get_device_proc_addr(
    device: vk::Device,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    if name.is_null() {
        return None;
    }
    // SAFETY: the caller vouches for the name and the handle.
    let (name, device) = unsafe { (CStr::from_ptr(name), device_of(device.as_raw())?) };
    match find(name) {
        Some(command::GET_DEVICE_PROC_ADDR) => Some(function!(terminator_get_device_proc_addr)),
        Some(command) if command.device_slot().is_some() => device.lower_end(command),
        Some(_) => None,
        None => device.drivers_unknown(name),
    }
}
