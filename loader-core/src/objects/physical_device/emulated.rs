//! Instance-level commands that the loader emulates for drivers that lack them (LDP_LOADER_8).
//!
//! An application that uses several drivers cannot know which of them has an instance extension, so
//! the commands must work on all physical devices.

use core::mem::offset_of;

use ash::vk;

use super::stand_ins::{no_capabilities, nothing, report_missing};
use crate::abi::array::wrapped;
use crate::abi::{chain, function};
use crate::dispatch::Table as _;
use crate::objects::handle;
use crate::objects::own_command::OwnCommand;
use crate::registry::command;

/// Defines terminators that pass the call on under the first of the given names that the driver has, or
/// else run their body with the driver and the driver's handle.
macro_rules! emulated {
    ($($name:ident: $pfn:ident as $($command:ident)|+; ($($parameter:ident: $type:ty),*) $(-> $result:ty)?;
     |$driver:ident, $device:ident $(, $physical:ident)?| $body:expr;)*) => {
        pub(in crate::objects) const COMMANDS: &[OwnCommand] =
            &[$($(OwnCommand::new(command::$command, function!($name)),)+)*];

        $(
            unsafe extern "system" fn $name(device: vk::PhysicalDevice, $($parameter: $type),*) $(-> $result)? {
                // SAFETY: by valid usage of the command structures and counts can be read and written as it
                // requires, and structures begin pNext chains. Each function-pointer type is its command's.
                unsafe {
                    let commands = [$(command::$command),+];
                    let physical_device = handle::physical_device(device, commands[0]);
                    let ($driver, $device) = (physical_device.driver(), physical_device.driver_handle());
                    $(let $physical = physical_device;)?
                    let native = commands.into_iter().find_map(|command| $driver.table.get::<vk::$pfn>(command));
                    match native {
                        Some(native) => native($device, $($parameter),*),
                        None => $body,
                    }
                }
            }
        )*
    };
}

/// The command in the driver's table, which every Vulkan 1.0 driver has.
macro_rules! original {
    ($driver:ident, $pfn:ident, $command:ident) => {
        $driver.table.get::<vk::$pfn>(command::$command)
    };
}

emulated! {
features: PFN_vkGetPhysicalDeviceFeatures2
as GET_PHYSICAL_DEVICE_FEATURES_2 | GET_PHYSICAL_DEVICE_FEATURES_2_KHR;
(out: *mut vk::PhysicalDeviceFeatures2<'_>);
|driver, device| if let Some(get) = original!(driver, PFN_vkGetPhysicalDeviceFeatures, GET_PHYSICAL_DEVICE_FEATURES) {
    get(device, &mut (*out).features);
};

properties: PFN_vkGetPhysicalDeviceProperties2
as GET_PHYSICAL_DEVICE_PROPERTIES_2 | GET_PHYSICAL_DEVICE_PROPERTIES_2_KHR;
(out: *mut vk::PhysicalDeviceProperties2<'_>);
|driver, device| if let Some(get) =
    original!(driver, PFN_vkGetPhysicalDeviceProperties, GET_PHYSICAL_DEVICE_PROPERTIES)
{
    get(device, &mut (*out).properties);
    for address in chain::pointers((*out).p_next) {
        if (*address).s_type == vk::StructureType::PHYSICAL_DEVICE_ID_PROPERTIES {
            // The driver reports none. Leave the structure empty: the previous values would be wrong.
            let none = vk::PhysicalDeviceIDProperties { p_next: (*address).p_next.cast(), ..Default::default() };
            *address.cast() = none;
        }
    }
};

format_properties: PFN_vkGetPhysicalDeviceFormatProperties2
as GET_PHYSICAL_DEVICE_FORMAT_PROPERTIES_2 | GET_PHYSICAL_DEVICE_FORMAT_PROPERTIES_2_KHR;
(format: vk::Format, out: *mut vk::FormatProperties2<'_>);
|driver, device| if let Some(get) =
    original!(driver, PFN_vkGetPhysicalDeviceFormatProperties, GET_PHYSICAL_DEVICE_FORMAT_PROPERTIES)
{
    get(device, format, &mut (*out).format_properties);
};

image_format_properties: PFN_vkGetPhysicalDeviceImageFormatProperties2
as GET_PHYSICAL_DEVICE_IMAGE_FORMAT_PROPERTIES_2 | GET_PHYSICAL_DEVICE_IMAGE_FORMAT_PROPERTIES_2_KHR;
(info: *const vk::PhysicalDeviceImageFormatInfo2<'_>, out: *mut vk::ImageFormatProperties2<'_>) -> vk::Result;
|driver, device| match original!(
    driver, PFN_vkGetPhysicalDeviceImageFormatProperties, GET_PHYSICAL_DEVICE_IMAGE_FORMAT_PROPERTIES
) {
    Some(get) => {
        let info = &*info;
        let out = &mut (*out).image_format_properties;
        get(device, info.format, info.ty, info.tiling, info.usage, info.flags, out)
    }
    None => vk::Result::ERROR_INITIALIZATION_FAILED,
};

queue_family_properties: PFN_vkGetPhysicalDeviceQueueFamilyProperties2
as GET_PHYSICAL_DEVICE_QUEUE_FAMILY_PROPERTIES_2 | GET_PHYSICAL_DEVICE_QUEUE_FAMILY_PROPERTIES_2_KHR;
(count: *mut u32, out: *mut vk::QueueFamilyProperties2<'_>);
|driver, device| if let Some(get) = original!(
    driver, PFN_vkGetPhysicalDeviceQueueFamilyProperties, GET_PHYSICAL_DEVICE_QUEUE_FAMILY_PROPERTIES
) {
    let ask = |count: *mut u32, array| { get(device, count, array); vk::Result::SUCCESS };
    let _ = wrapped(count, out, offset_of!(vk::QueueFamilyProperties2<'_>, queue_family_properties), ask);
};

memory_properties: PFN_vkGetPhysicalDeviceMemoryProperties2
as GET_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2 | GET_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2_KHR;
(out: *mut vk::PhysicalDeviceMemoryProperties2<'_>);
|driver, device| if let Some(get) =
    original!(driver, PFN_vkGetPhysicalDeviceMemoryProperties, GET_PHYSICAL_DEVICE_MEMORY_PROPERTIES)
{
    get(device, &mut (*out).memory_properties);
};

sparse_image_format_properties: PFN_vkGetPhysicalDeviceSparseImageFormatProperties2
as GET_PHYSICAL_DEVICE_SPARSE_IMAGE_FORMAT_PROPERTIES_2 | GET_PHYSICAL_DEVICE_SPARSE_IMAGE_FORMAT_PROPERTIES_2_KHR;
(
    info: *const vk::PhysicalDeviceSparseImageFormatInfo2<'_>,
    count: *mut u32,
    out: *mut vk::SparseImageFormatProperties2<'_>
);
|driver, device| if let Some(get) = original!(
    driver, PFN_vkGetPhysicalDeviceSparseImageFormatProperties, GET_PHYSICAL_DEVICE_SPARSE_IMAGE_FORMAT_PROPERTIES
) {
    let info = &*info;
    let ask = |count: *mut u32, array| {
        get(device, info.format, info.ty, info.samples, info.usage, info.tiling, count, array);
        vk::Result::SUCCESS
    };
    let _ = wrapped(count, out, offset_of!(vk::SparseImageFormatProperties2<'_>, properties), ask);
};

external_buffer_properties: PFN_vkGetPhysicalDeviceExternalBufferProperties
as GET_PHYSICAL_DEVICE_EXTERNAL_BUFFER_PROPERTIES | GET_PHYSICAL_DEVICE_EXTERNAL_BUFFER_PROPERTIES_KHR;
(info: *const vk::PhysicalDeviceExternalBufferInfo<'_>, out: *mut vk::ExternalBufferProperties<'_>);
|_driver, _device| {
    (*out).external_memory_properties = vk::ExternalMemoryProperties::default();
};

external_fence_properties: PFN_vkGetPhysicalDeviceExternalFenceProperties
as GET_PHYSICAL_DEVICE_EXTERNAL_FENCE_PROPERTIES | GET_PHYSICAL_DEVICE_EXTERNAL_FENCE_PROPERTIES_KHR;
(info: *const vk::PhysicalDeviceExternalFenceInfo<'_>, out: *mut vk::ExternalFenceProperties<'_>);
|_driver, _device| {
    (*out).export_from_imported_handle_types = vk::ExternalFenceHandleTypeFlags::empty();
    (*out).compatible_handle_types = vk::ExternalFenceHandleTypeFlags::empty();
    (*out).external_fence_features = vk::ExternalFenceFeatureFlags::empty();
};

external_semaphore_properties: PFN_vkGetPhysicalDeviceExternalSemaphoreProperties
as GET_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_PROPERTIES | GET_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_PROPERTIES_KHR;
(info: *const vk::PhysicalDeviceExternalSemaphoreInfo<'_>, out: *mut vk::ExternalSemaphoreProperties<'_>);
|_driver, _device| {
    (*out).export_from_imported_handle_types = vk::ExternalSemaphoreHandleTypeFlags::empty();
    (*out).compatible_handle_types = vk::ExternalSemaphoreHandleTypeFlags::empty();
    (*out).external_semaphore_features = vk::ExternalSemaphoreFeatureFlags::empty();
};

tool_properties: PFN_vkGetPhysicalDeviceToolProperties
as GET_PHYSICAL_DEVICE_TOOL_PROPERTIES | GET_PHYSICAL_DEVICE_TOOL_PROPERTIES_EXT;
(count: *mut u32, out: *mut vk::PhysicalDeviceToolProperties<'_>) -> vk::Result;
|_driver, _device| {
    *count = 0;
    vk::Result::SUCCESS
};

display_properties: PFN_vkGetPhysicalDeviceDisplayProperties2KHR
as GET_PHYSICAL_DEVICE_DISPLAY_PROPERTIES_2_KHR;
(count: *mut u32, out: *mut vk::DisplayProperties2KHR<'_>) -> vk::Result;
|driver, device, physical| match original!(
    driver, PFN_vkGetPhysicalDeviceDisplayPropertiesKHR, GET_PHYSICAL_DEVICE_DISPLAY_PROPERTIES_KHR
) {
    Some(get) => wrapped(count, out, offset_of!(vk::DisplayProperties2KHR<'_>, display_properties),
        |count, array| get(device, count, array)),
    None => { report_missing(physical, command::GET_PHYSICAL_DEVICE_DISPLAY_PROPERTIES_KHR); nothing(count) }
};

display_plane_properties: PFN_vkGetPhysicalDeviceDisplayPlaneProperties2KHR
as GET_PHYSICAL_DEVICE_DISPLAY_PLANE_PROPERTIES_2_KHR;
(count: *mut u32, out: *mut vk::DisplayPlaneProperties2KHR<'_>) -> vk::Result;
|driver, device, physical| match original!(
    driver, PFN_vkGetPhysicalDeviceDisplayPlanePropertiesKHR, GET_PHYSICAL_DEVICE_DISPLAY_PLANE_PROPERTIES_KHR
) {
    Some(get) => wrapped(count, out, offset_of!(vk::DisplayPlaneProperties2KHR<'_>, display_plane_properties),
        |count, array| get(device, count, array)),
    None => { report_missing(physical, command::GET_PHYSICAL_DEVICE_DISPLAY_PLANE_PROPERTIES_KHR); nothing(count) }
};

display_mode_properties: PFN_vkGetDisplayModeProperties2KHR as GET_DISPLAY_MODE_PROPERTIES_2_KHR;
(display: vk::DisplayKHR, count: *mut u32, out: *mut vk::DisplayModeProperties2KHR<'_>) -> vk::Result;
|driver, device, physical| match original!(driver, PFN_vkGetDisplayModePropertiesKHR, GET_DISPLAY_MODE_PROPERTIES_KHR) {
    Some(get) => wrapped(count, out, offset_of!(vk::DisplayModeProperties2KHR<'_>, display_mode_properties),
        |count, array| get(device, display, count, array)),
    None => { report_missing(physical, command::GET_DISPLAY_MODE_PROPERTIES_KHR); nothing(count) }
};

display_plane_capabilities: PFN_vkGetDisplayPlaneCapabilities2KHR as GET_DISPLAY_PLANE_CAPABILITIES_2_KHR;
(info: *const vk::DisplayPlaneInfo2KHR<'_>, out: *mut vk::DisplayPlaneCapabilities2KHR<'_>) -> vk::Result;
|driver, device, physical| match original!(
    driver, PFN_vkGetDisplayPlaneCapabilitiesKHR, GET_DISPLAY_PLANE_CAPABILITIES_KHR
) {
    Some(get) => get(device, (*info).mode, (*info).plane_index, &mut (*out).capabilities),
    None => {
        report_missing(physical, command::GET_DISPLAY_PLANE_CAPABILITIES_KHR);
        no_capabilities(&mut (*out).capabilities)
    }
};
}
