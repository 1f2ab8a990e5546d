//! vkEnumerateDeviceExtensionProperties above layers.

use core::ffi::c_char;

use ash::vk::{self, Handle as _};

use crate::abi::function;
use crate::dispatch::{HandleKind, Table as _, any_physical_device};
use crate::objects::Instance;
use crate::registry::command;

const COMMAND: crate::registry::CommandId = command::ENUMERATE_DEVICE_EXTENSION_PROPERTIES;

/// Replaces the first layer's function by the one that takes the turn, for the loader's physical devices and
/// for its stand-ins for the layers' physical devices.
pub(super) fn put_on_top(instance: &mut Instance) {
    // SAFETY: the type matches the command.
    instance.device_extensions = unsafe { instance.table.get(COMMAND) };
    for table in core::iter::once(&instance.table).chain(&instance.of_layer_table) {
        table.set(COMMAND, function!(enumerate_device_extension_properties));
    }
}

/// vkEnumerateDeviceExtensionProperties as the application calls it, if the instance has layers.
///
/// # Safety
/// The parameters are valid for the Vulkan command; a bad handle is reported.
unsafe extern "system" fn enumerate_device_extension_properties(
    handle: vk::PhysicalDevice,
    layer: *const c_char,
    count: *mut u32,
    out: *mut vk::ExtensionProperties,
) -> vk::Result {
    // SAFETY: by this function's `# Safety` the parameters are valid for the command, and a bad handle is reported.
    let found = unsafe { any_physical_device(handle, COMMAND) };
    let instance = found.instance();
    let Some(enumerate) = instance.device_extensions else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    let of_layer = found.kind() == HandleKind::WrappedPhysicalDevice;
    let lower = vk::PhysicalDevice::from_raw(found.lower().expose_provenance() as u64);
    let _turn = instance.turn_in_layers();
    // SAFETY: by this function's `# Safety` the parameters are valid for the command; the first layer knows the physical device by
    // this handle.
    unsafe { enumerate(if of_layer { lower } else { handle }, layer, count, out) }
}
