//! Commands whose upper end is written by hand. Applications call these functions instead of a trampoline.

mod exports;
#[cfg(test)]
mod handled_gen;
#[cfg(test)]
mod handled_tests;
mod proc_addr;
#[cfg(test)]
mod tests;

use ash::vk;

use crate::abi::{Command, function};
use crate::chain;
use crate::dispatch::KEYS;
use crate::loader::{Loader, handles};
use crate::objects::{Instance, complain_of_null, handle};
use crate::registry::{CommandId, command};

type Callbacks = vk::AllocationCallbacks<'static>;

pub use crate::chain::{
    allocate_command_buffers, create_device, create_external_compute_queue, destroy_instance,
    get_device_queue, get_device_queue2,
};
pub use crate::objects::{
    destroy_device, enumerate_instance_extension_properties, enumerate_instance_layer_properties,
    enumerate_instance_version,
};
pub use proc_addr::{get_device_proc_addr, get_instance_proc_addr};

/// Returns the function for `command` if it is written by hand, except the global ones and
/// vkGetDeviceProcAddr.
pub const fn hand_written(command: CommandId) -> Option<Command> {
    Some(match command {
        command::DESTROY_INSTANCE => function!(destroy_instance),
        command::ENUMERATE_PHYSICAL_DEVICES => function!(enumerate_physical_devices),
        command::ENUMERATE_PHYSICAL_DEVICE_GROUPS => function!(enumerate_physical_device_groups),
        command::ENUMERATE_PHYSICAL_DEVICE_GROUPS_KHR => function!(enumerate_physical_device_groups_khr),
        command::CREATE_DEVICE => function!(create_device),
        command::DESTROY_DEVICE => function!(destroy_device),
        command::GET_DEVICE_QUEUE => function!(get_device_queue),
        command::GET_DEVICE_QUEUE_2 => function!(get_device_queue2),
        command::ALLOCATE_COMMAND_BUFFERS => function!(allocate_command_buffers),
        command::CREATE_EXTERNAL_COMPUTE_QUEUE_NV => function!(create_external_compute_queue),
        _ => return None,
    })
}

/// vkCreateInstance.
///
/// # Safety
/// The parameters are valid for the Vulkan command, except that NULL is reported and not followed.
pub unsafe fn create_instance(
    loader: &'static Loader,
    info: *const vk::InstanceCreateInfo<'static>,
    callbacks: *const Callbacks,
    out: *mut vk::Instance,
) -> vk::Result {
    // SAFETY: by this function's `# Safety` the parameters are valid for vkCreateInstance, or NULL.
    match unsafe { chain::create_instance(loader, info, callbacks, out) } {
        Ok(()) => vk::Result::SUCCESS,
        Err(error) => error,
    }
}

/// vkEnumeratePhysicalDevices.
///
/// # Safety
/// The parameters are valid for the Vulkan command, except that bad handles and NULL are reported and not
/// followed.
pub unsafe extern "system" fn enumerate_physical_devices(
    instance: vk::Instance,
    count: *mut u32,
    out: *mut vk::PhysicalDevice,
) -> vk::Result {
    const COMMAND: CommandId = command::ENUMERATE_PHYSICAL_DEVICES;
    // SAFETY: by this function's `# Safety` the parameters are valid for vkEnumeratePhysicalDevices; a bad
    // handle and a NULL count are reported.
    unsafe {
        let found = handle::instance(instance, COMMAND);
        if count.is_null() {
            complain_of_null(&found.logger, command::ENUMERATE_PHYSICAL_DEVICES, "pPhysicalDeviceCount");
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        }
        found.enumerate_for_application(count, out)
    }
}

/// vkEnumeratePhysicalDeviceGroups.
///
/// # Safety
/// As for [`enumerate_physical_devices`].
pub unsafe extern "system" fn enumerate_physical_device_groups(
    instance: vk::Instance,
    count: *mut u32,
    out: *mut vk::PhysicalDeviceGroupProperties<'_>,
) -> vk::Result {
    // SAFETY: by this function's `# Safety` the parameters are valid for vkEnumeratePhysicalDeviceGroups.
    unsafe { groups(instance, command::ENUMERATE_PHYSICAL_DEVICE_GROUPS, count, out) }
}

/// vkEnumeratePhysicalDeviceGroupsKHR.
///
/// # Safety
/// As for [`enumerate_physical_devices`].
pub unsafe extern "system" fn enumerate_physical_device_groups_khr(
    instance: vk::Instance,
    count: *mut u32,
    out: *mut vk::PhysicalDeviceGroupProperties<'_>,
) -> vk::Result {
    // SAFETY: by this function's `# Safety` the parameters are valid for vkEnumeratePhysicalDeviceGroupsKHR.
    unsafe { groups(instance, command::ENUMERATE_PHYSICAL_DEVICE_GROUPS_KHR, count, out) }
}

/// vkEnumeratePhysicalDeviceGroups by either name.
///
/// # Safety
/// As for [`enumerate_physical_devices`].
unsafe fn groups(
    instance: vk::Instance,
    command: CommandId,
    count: *mut u32,
    out: *mut vk::PhysicalDeviceGroupProperties<'_>,
) -> vk::Result {
    // SAFETY: by this function's `# Safety` the parameters are valid for the command or its alias, which have
    // one type; a bad handle and a NULL count are reported.
    unsafe {
        let found: &Instance = handle::instance(instance, command);
        if count.is_null() {
            complain_of_null(&found.logger, command, "pPhysicalDeviceGroupCount");
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        }
        found.enumerate_groups_for_application(count, out.cast())
    }
}

/// Frees the memory that the process owns, unless it is in use ([`Loader::unload`]).
pub fn unload(loader: &Loader) {
    loader.unload(|waiting| {
        if handles().are_looked_up() {
            KEYS.forget(waiting);
        }
    });
}
