//! The queries of physical devices that Vulkan 1.1 made core. The loader has them for every driver,
//! based on the driver's commands: the command itself, its KHR alias, or its predecessor in Vulkan
//! 1.0.

use core::mem::offset_of;

use ash::vk::{self, Handle};
use vkload_core::abi::array;
use vkload_core::registry::calls;

use super::features;
use crate::objects::{instance_of, untyped};

/// Defines functions that pass the call to the first of the driver's functions that exists, or run
/// their body with the driver's functions and the device.
macro_rules! queries {
    ($($name:ident: $call:ident, $own:ident | $alias:ident $(-> $result:ty)?;
     |$driver:ident, $query:ident| $body:expr;)*) => {$(
        pub(super) fn $name($query: &calls::$call<'_>) $(-> $result)? {
            // SAFETY: by valid usage of the command the device is a valid handle and the out parameters are
            // valid; the driver gets them unchanged, or `$body` fills them.
            unsafe {
                let $driver = &instance_of($query.physical_device.as_raw()).driver;
                match $query.make(|_| untyped($driver.$own.or($driver.$alias))) {
                    Some(result) => result,
                    None => $body,
                }
            }
        }
    )*};
}

/// Adds the loader's own features.
pub(super) fn get_features(call: &calls::GetPhysicalDeviceFeatures2<'_>) {
    let (device, out) = (call.physical_device, call.features.as_ptr());
    // SAFETY: by valid usage of the command the device is a valid handle, and `out` begins a writable
    // pNext chain.
    unsafe {
        let instance = instance_of(device.as_raw());
        let driver = &instance.driver;
        match driver.get_physical_device_features2.or(driver.get_physical_device_features2_khr) {
            Some(get) => get(device, out),
            None => {
                if let Some(get) = driver.get_physical_device_features {
                    get(device, &raw mut (*out).features);
                }
            }
        }
        features::put_in(instance, device, (*out).p_next);
    }
}

queries! {
    get_properties: GetPhysicalDeviceProperties2,
        get_physical_device_properties2 | get_physical_device_properties2_khr;
    |driver, call| if let Some(get) = driver.get_physical_device_properties {
        get(call.physical_device, &raw mut (*call.properties.as_ptr()).properties);
    };

    get_format_properties: GetPhysicalDeviceFormatProperties2,
        get_physical_device_format_properties2 | get_physical_device_format_properties2_khr;
    |driver, call| if let Some(get) = driver.get_physical_device_format_properties {
        let out = &raw mut (*call.format_properties.as_ptr()).format_properties;
        get(call.physical_device, call.format, out);
    };

    get_image_format_properties: GetPhysicalDeviceImageFormatProperties2,
        get_physical_device_image_format_properties2 | get_physical_device_image_format_properties2_khr
        -> vk::Result;
    |driver, call| match driver.get_physical_device_image_format_properties {
        Some(get) => {
            let info = &*call.image_format_info;
            let out = &raw mut (*call.image_format_properties.as_ptr()).image_format_properties;
            get(call.physical_device, info.format, info.ty, info.tiling, info.usage, info.flags, out)
        }
        None => vk::Result::ERROR_FORMAT_NOT_SUPPORTED,
    };

    get_queue_family_properties: GetPhysicalDeviceQueueFamilyProperties2,
        get_physical_device_queue_family_properties2 | get_physical_device_queue_family_properties2_khr;
    |driver, call| if let Some(get) = driver.get_physical_device_queue_family_properties {
        let ask = |count: *mut u32, out| {
            get(call.physical_device, count, out);
            vk::Result::SUCCESS
        };
        let (count, out) = (call.queue_family_property_count.as_ptr(), call.queue_family_properties);
        let first = offset_of!(vk::QueueFamilyProperties2<'_>, queue_family_properties);
        let _ = array::wrapped(count, out, first, ask);
    };

    get_memory_properties: GetPhysicalDeviceMemoryProperties2,
        get_physical_device_memory_properties2 | get_physical_device_memory_properties2_khr;
    |driver, call| if let Some(get) = driver.get_physical_device_memory_properties {
        get(call.physical_device, &raw mut (*call.memory_properties.as_ptr()).memory_properties);
    };

    get_sparse_image_format_properties: GetPhysicalDeviceSparseImageFormatProperties2,
        get_physical_device_sparse_image_format_properties2
        | get_physical_device_sparse_image_format_properties2_khr;
    |driver, call| if let Some(get) = driver.get_physical_device_sparse_image_format_properties {
        let info = &*call.format_info;
        let ask = |count: *mut u32, out| {
            let (device, samples) = (call.physical_device, info.samples);
            get(device, info.format, info.ty, samples, info.usage, info.tiling, count, out);
            vk::Result::SUCCESS
        };
        let first = offset_of!(vk::SparseImageFormatProperties2<'_>, properties);
        let _ = array::wrapped(call.property_count.as_ptr(), call.properties, first, ask);
    };

    // Without the following functions a driver cannot export or import anything.
    get_external_buffer_properties: GetPhysicalDeviceExternalBufferProperties,
        get_physical_device_external_buffer_properties | get_physical_device_external_buffer_properties_khr;
    |driver, call| call.external_buffer_properties.as_mut().external_memory_properties =
        vk::ExternalMemoryProperties::default();

    get_external_fence_properties: GetPhysicalDeviceExternalFenceProperties,
        get_physical_device_external_fence_properties | get_physical_device_external_fence_properties_khr;
    |driver, call| {
        let out = call.external_fence_properties.as_mut();
        out.export_from_imported_handle_types = vk::ExternalFenceHandleTypeFlags::empty();
        out.compatible_handle_types = vk::ExternalFenceHandleTypeFlags::empty();
        out.external_fence_features = vk::ExternalFenceFeatureFlags::empty();
    };

    get_external_semaphore_properties: GetPhysicalDeviceExternalSemaphoreProperties,
        get_physical_device_external_semaphore_properties
        | get_physical_device_external_semaphore_properties_khr;
    |driver, call| {
        let out = call.external_semaphore_properties.as_mut();
        out.export_from_imported_handle_types = vk::ExternalSemaphoreHandleTypeFlags::empty();
        out.compatible_handle_types = vk::ExternalSemaphoreHandleTypeFlags::empty();
        out.external_semaphore_features = vk::ExternalSemaphoreFeatureFlags::empty();
    };
}
