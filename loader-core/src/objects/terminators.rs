//! The commands that the loader implements itself at the lower end of the chain, as tables.

use core::ffi::{CStr, c_char};

use ash::vk;

use super::instance::Instance;
use super::{
    create_device, create_instance, emulated, extension_queries, group, messenger, naming, physical_device,
    surface, surface_queries, swapchain,
};
use crate::abi::function;
use crate::dispatch::{Command, TERMINATORS, Table as _};
use crate::registry::{Class, CommandId, FIRST_INSTANCE, INSTANCE_SLOTS, command, find};

/// What a table of terminators holds for each command.
pub(super) type Terminator = (CommandId, Command);

/// Commands on instances and physical devices.
static INSTANCE_TERMINATORS: &[&[Terminator]] = &[
    &[
        (command::DESTROY_INSTANCE, function!(create_instance::destroy_instance)),
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
];

/// Commands on devices that the loader implements itself where the driver has them.
pub(super) const DEVICE_TERMINATORS: [Terminator; 8] = [
    (command::CREATE_SWAPCHAIN_KHR, function!(swapchain::create_swapchain)),
    (command::CREATE_SHARED_SWAPCHAINS_KHR, function!(swapchain::create_shared_swapchains)),
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
    let own = INSTANCE_TERMINATORS.iter().copied().flatten().find(|(id, _)| *id == command);
    match own {
        Some((_, function)) => Some(*function),
        None if command.class() == Class::PhysicalDevice => TERMINATORS.piece(command.instance_slot()?),
        None => None,
    }
}

/// The lower end of a device's chain for `command`, where that is not the driver's own function.
#[must_use]
pub fn device_terminator(command: CommandId) -> Option<Command> {
    DEVICE_TERMINATORS.iter().find(|(id, _)| *id == command).map(|(_, function)| *function)
}

/// Fills an instance's table with the lower ends of the chains: an instance without layers.
pub(super) fn fill_instance_table(instance: &mut Instance) {
    for slot in 0..INSTANCE_SLOTS {
        let Ok(id) = u16::try_from(FIRST_INSTANCE.saturating_add(slot)) else { continue };
        let command = CommandId::new(id);
        if command.class() == Class::PhysicalDevice
            && let (Some(slot), Some(piece)) = (instance.table.slot(slot), TERMINATORS.piece(slot))
        {
            slot.set(piece);
        }
    }
    for (command, function) in INSTANCE_TERMINATORS.iter().copied().flatten() {
        instance.table.set(*command, *function);
    }
    let loader = instance.loader;
    for number in 0..loader.unknown.physical_device.count(loader) {
        instance.resolve_unknown_physical_device_command(number);
    }
}

/// vkGetInstanceProcAddr at the lower end of a chain.
///
/// # Safety
/// `name` is a valid C string.
pub unsafe extern "system" fn terminator_get_instance_proc_addr(
    _instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    if name.is_null() {
        return None;
    }
    // SAFETY: the caller vouches for the name.
    let name = unsafe { CStr::from_ptr(name) };
    match find(name)? {
        command::CREATE_INSTANCE => Some(function!(create_instance::terminator)),
        command => instance_terminator(command),
    }
}
