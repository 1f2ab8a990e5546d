//! vkEnumerateDeviceExtensionProperties and vkEnumerateDeviceLayerProperties.

use core::ffi::{CStr, c_char};

use ash::vk;

use super::handle;
use super::terminators::Terminator;
use crate::abi::function;
use crate::dispatch::Table as _;
use crate::log::{Level, Topic};
use crate::registry::command;

/// The commands of this file.
pub(super) static TERMINATORS: &[Terminator] = &[
    (command::ENUMERATE_DEVICE_EXTENSION_PROPERTIES, function!(enumerate_device_extension_properties)),
    (command::ENUMERATE_DEVICE_LAYER_PROPERTIES, function!(enumerate_device_layer_properties)),
];

/// A driver is never asked about a layer (LDP_LOADER_12).
unsafe extern "system" fn enumerate_device_extension_properties(
    device: vk::PhysicalDevice,
    layer: *const c_char,
    count: *mut u32,
    out: *mut vk::ExtensionProperties,
) -> vk::Result {
    // SAFETY: the application vouches for the handle, the C string and the counted out-array.
    unsafe {
        let device = handle::physical_device(device, command::ENUMERATE_DEVICE_EXTENSION_PROPERTIES);
        if !layer.is_null() && !CStr::from_ptr(layer).is_empty() {
            return vk::Result::ERROR_LAYER_NOT_PRESENT;
        }
        if count.is_null() {
            device.instance().logger.log(
                Level::Error,
                Topic::Loader,
                format_args!("vkEnumerateDeviceExtensionProperties: pPropertyCount must not be NULL"),
            );
            return vk::Result::INCOMPLETE;
        }
        let enumerate = device.driver().table.get::<vk::PFN_vkEnumerateDeviceExtensionProperties>(
            command::ENUMERATE_DEVICE_EXTENSION_PROPERTIES,
        );
        match enumerate {
            Some(enumerate) => enumerate(device.driver_handle(), core::ptr::null(), count, out),
            None => vk::Result::ERROR_INITIALIZATION_FAILED,
        }
    }
}

/// Device layers are a thing of the past: a device has the layers of its instance.
unsafe extern "system" fn enumerate_device_layer_properties(
    device: vk::PhysicalDevice,
    count: *mut u32,
    _out: *mut vk::LayerProperties,
) -> vk::Result {
    // SAFETY: the application vouches for the handle and the counted out-array.
    unsafe {
        let _ = handle::physical_device(device, command::ENUMERATE_DEVICE_LAYER_PROPERTIES);
        if count.is_null() {
            return vk::Result::INCOMPLETE;
        }
        *count = 0;
        vk::Result::SUCCESS
    }
}
