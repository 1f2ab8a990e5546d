//! The queries of physical devices that Vulkan 1.1 made core. The loader has them for every driver,
//! based on the driver's commands: the command itself, its KHR alias, or its predecessor in Vulkan
//! 1.0.

use core::mem::offset_of;

use ash::vk::{self, Handle};
use vkload_core::abi::array;

use super::features;
use crate::objects::instance_of;

/// Defines a function that passes the call to the first of the driver's functions that exists, or
/// runs its body with the driver's functions and the device.
macro_rules! query {
    ($name:ident: $own:ident | $alias:ident ($($parameter:ident: $type:ty),*) $(-> $result:ty)?;
     |$driver:ident, $device:ident| $body:expr) => {
        /// The command of this name, and its KHR alias.
        ///
        /// # Safety
        /// The parameters meet the valid usage of the Vulkan command.
        pub(super) unsafe extern "system" fn $name(
            $device: vk::PhysicalDevice,
            $($parameter: $type),*
        ) $(-> $result)? {
            // SAFETY: by this function's `# Safety` the device is a valid handle and the out
            // parameters are valid; the driver gets them unchanged, or `$body` fills them.
            unsafe {
                let $driver = &instance_of($device.as_raw()).driver;
                match $driver.$own.or($driver.$alias) {
                    Some(get) => get($device, $($parameter),*),
                    None => $body,
                }
            }
        }
    };
}

/// vkGetPhysicalDeviceFeatures2, and its KHR alias. Adds the loader's own features.
///
/// # Safety
/// The parameters meet the valid usage of the Vulkan command.
pub(super) unsafe extern "system" fn get_features(
    device: vk::PhysicalDevice,
    out: *mut vk::PhysicalDeviceFeatures2<'_>,
) {
    // SAFETY: by this function's `# Safety` the device is a valid handle, and `out` begins a
    // writable pNext chain.
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

query!(get_properties: get_physical_device_properties2 | get_physical_device_properties2_khr
(out: *mut vk::PhysicalDeviceProperties2<'_>);
|driver, device| if let Some(get) = driver.get_physical_device_properties {
    get(device, &raw mut (*out).properties);
});

query!(get_format_properties: get_physical_device_format_properties2 | get_physical_device_format_properties2_khr
(format: vk::Format, out: *mut vk::FormatProperties2<'_>);
|driver, device| if let Some(get) = driver.get_physical_device_format_properties {
    get(device, format, &raw mut (*out).format_properties);
});

query!(get_image_format_properties:
get_physical_device_image_format_properties2 | get_physical_device_image_format_properties2_khr
(info: *const vk::PhysicalDeviceImageFormatInfo2<'_>, out: *mut vk::ImageFormatProperties2<'_>) -> vk::Result;
|driver, device| match driver.get_physical_device_image_format_properties {
    Some(get) => {
        let info = &*info;
        let out = &raw mut (*out).image_format_properties;
        get(device, info.format, info.ty, info.tiling, info.usage, info.flags, out)
    }
    None => vk::Result::ERROR_FORMAT_NOT_SUPPORTED,
});

query!(get_queue_family_properties:
get_physical_device_queue_family_properties2 | get_physical_device_queue_family_properties2_khr
(count: *mut u32, out: *mut vk::QueueFamilyProperties2<'_>);
|driver, device| if let Some(get) = driver.get_physical_device_queue_family_properties {
    let ask = |count: *mut u32, out| {
        get(device, count, out);
        vk::Result::SUCCESS
    };
    let _ = array::wrapped(count, out, offset_of!(vk::QueueFamilyProperties2<'_>, queue_family_properties), ask);
});

query!(get_memory_properties: get_physical_device_memory_properties2 | get_physical_device_memory_properties2_khr
(out: *mut vk::PhysicalDeviceMemoryProperties2<'_>);
|driver, device| if let Some(get) = driver.get_physical_device_memory_properties {
    get(device, &raw mut (*out).memory_properties);
});

query!(get_sparse_image_format_properties:
get_physical_device_sparse_image_format_properties2 | get_physical_device_sparse_image_format_properties2_khr
(
    info: *const vk::PhysicalDeviceSparseImageFormatInfo2<'_>,
    count: *mut u32,
    out: *mut vk::SparseImageFormatProperties2<'_>
);
|driver, device| if let Some(get) = driver.get_physical_device_sparse_image_format_properties {
    let info = &*info;
    let ask = |count: *mut u32, out| {
        get(device, info.format, info.ty, info.samples, info.usage, info.tiling, count, out);
        vk::Result::SUCCESS
    };
    let _ = array::wrapped(count, out, offset_of!(vk::SparseImageFormatProperties2<'_>, properties), ask);
});

// Without the following functions a driver cannot export or import anything.

query!(get_external_buffer_properties:
get_physical_device_external_buffer_properties | get_physical_device_external_buffer_properties_khr
(info: *const vk::PhysicalDeviceExternalBufferInfo<'_>, out: *mut vk::ExternalBufferProperties<'_>);
|driver, device| (*out).external_memory_properties = vk::ExternalMemoryProperties::default());

query!(get_external_fence_properties:
get_physical_device_external_fence_properties | get_physical_device_external_fence_properties_khr
(info: *const vk::PhysicalDeviceExternalFenceInfo<'_>, out: *mut vk::ExternalFenceProperties<'_>);
|driver, device| {
    (*out).export_from_imported_handle_types = vk::ExternalFenceHandleTypeFlags::empty();
    (*out).compatible_handle_types = vk::ExternalFenceHandleTypeFlags::empty();
    (*out).external_fence_features = vk::ExternalFenceFeatureFlags::empty();
});

query!(get_external_semaphore_properties:
get_physical_device_external_semaphore_properties | get_physical_device_external_semaphore_properties_khr
(info: *const vk::PhysicalDeviceExternalSemaphoreInfo<'_>, out: *mut vk::ExternalSemaphoreProperties<'_>);
|driver, device| {
    (*out).export_from_imported_handle_types = vk::ExternalSemaphoreHandleTypeFlags::empty();
    (*out).compatible_handle_types = vk::ExternalSemaphoreHandleTypeFlags::empty();
    (*out).external_semaphore_features = vk::ExternalSemaphoreFeatureFlags::empty();
});
