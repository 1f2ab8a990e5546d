//! The runtime's answers from a physical device's description.

use core::ffi::c_char;

use ash::vk;
use vkload_core::registry::ExtensionKind;

use crate::driver::Driver;
use crate::extensions;
use crate::hal;
use crate::object::Object;
use crate::out_array::OutArray;
use crate::physical_device::{Chainable, Physical, write_properties};

/// # Safety
/// `device` is a live handle.
unsafe fn object<'a, D: Driver>(device: vk::PhysicalDevice) -> Option<&'a Object<Physical<D>>> {
    // SAFETY: the caller vouches for the handle.
    unsafe { Object::from_handle(device) }
}

/// # Safety
/// As specified for `vkGetPhysicalDeviceFeatures2`.
pub(crate) unsafe extern "system" fn get_features_2<D: Driver>(
    device: vk::PhysicalDevice,
    out: *mut vk::PhysicalDeviceFeatures2<'_>,
) {
    // SAFETY: the caller vouches for the handle and the chain.
    unsafe {
        let Some(device) = object::<D>(device) else { return };
        let known = device.description();
        // A looped chain is filled up to the loop: the command has no result to report it.
        let more = |structure: *mut vk::BaseOutStructure<'static>| {
            D::write_features(device, &mut *structure.cast::<Chainable>());
        };
        let _ = known.features.write_and(out, known.minor_version(), &known.extensions, more);
    }
}

/// # Safety
/// As specified for `vkGetPhysicalDeviceProperties2`.
pub(crate) unsafe extern "system" fn get_properties_2<D: Driver>(
    device: vk::PhysicalDevice,
    out: *mut vk::PhysicalDeviceProperties2<'_>,
) {
    // SAFETY: the caller vouches for the handle and the chain.
    unsafe {
        if let Some(device) = object::<D>(device) {
            write_properties(device.description(), out, |structure| D::write_properties(device, structure));
        }
    }
}

/// # Safety
/// As specified for `vkGetPhysicalDeviceMemoryProperties2`.
pub(crate) unsafe extern "system" fn get_memory_properties_2<D: Driver>(
    device: vk::PhysicalDevice,
    out: *mut vk::PhysicalDeviceMemoryProperties2<'_>,
) {
    // SAFETY: the caller vouches for the handle and the pointer.
    unsafe {
        if let Some(device) = object::<D>(device) {
            (*out).memory_properties = device.description().memory;
        }
    }
}

/// # Safety
/// As specified for `vkGetPhysicalDeviceQueueFamilyProperties2`.
pub(crate) unsafe extern "system" fn get_queue_family_properties_2<D: Driver>(
    device: vk::PhysicalDevice,
    count: *mut u32,
    out: *mut vk::QueueFamilyProperties2<'_>,
) {
    // SAFETY: the caller vouches for the handle and the counted out-array.
    unsafe {
        let families = object::<D>(device).map_or(&[][..], |device| device.description().families());
        let mut array = OutArray::new(count, out);
        for family in families {
            array.push_with(|out| out.queue_family_properties = *family);
        }
        // The command has no result, so it cannot report elements that did not fit.
        let _ = array.finish();
    }
}

/// # Safety
/// As specified for `vkEnumerateDeviceExtensionProperties`.
pub(crate) unsafe extern "system" fn enumerate_device_extension_properties<D: Driver>(
    device: vk::PhysicalDevice,
    layer: *const c_char,
    count: *mut u32,
    out: *mut vk::ExtensionProperties,
) -> vk::Result {
    if !layer.is_null() {
        return vk::Result::ERROR_LAYER_NOT_PRESENT;
    }
    // SAFETY: the caller vouches for the handle and the counted out-array.
    unsafe {
        let Some(device) = object::<D>(device) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let mut array = OutArray::new(count, out);
        extensions::list(&device.description().extensions, ExtensionKind::Device, &mut array);
        extensions::list_unlisted(hal::more_device_extensions::<D>(), &mut array);
        array.finish()
    }
}

/// Returns no layers, since a driver has none, whatever the array's length.
///
/// # Safety
/// As specified for `vkEnumerateDeviceLayerProperties`.
pub(crate) unsafe extern "system" fn enumerate_device_layer_properties(
    _: vk::PhysicalDevice,
    count: *mut u32,
    _: *mut vk::LayerProperties,
) -> vk::Result {
    // SAFETY: the caller vouches for the pointer.
    unsafe { count.write(0) };
    vk::Result::SUCCESS
}

/// Returns no tools, since a driver is not a tool.
///
/// # Safety
/// As specified for `vkGetPhysicalDeviceToolProperties`.
pub(crate) unsafe extern "system" fn get_tool_properties(
    _: vk::PhysicalDevice,
    count: *mut u32,
    _: *mut vk::PhysicalDeviceToolProperties<'_>,
) -> vk::Result {
    // SAFETY: the caller vouches for the pointer.
    unsafe { count.write(0) };
    vk::Result::SUCCESS
}
