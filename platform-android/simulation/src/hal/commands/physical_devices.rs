//! Instance and physical-device commands.

use std::ffi::{CStr, c_char};

use ash::vk::{self, Handle, TaggedStructure as _};
use platform_android::native_buffer::{PresentationProperties, structure};
use vkload_core::abi::{array, chain};

use super::{Row, make, noted, properties, received, row};
use crate::hal::installed::{ReceivedCreateInfo, current};

/// A row for a core command or its alias, which pass their name to the body; without a body they only record the call.
macro_rules! query {
    ($name:literal: $type:ident($($parameter:ident: $of:ty),*) $(-> $result:ident)? = $body:ident) => {
        row!($name: vk::$type = {
            unsafe extern "system" fn function($($parameter: $of),*) $(-> vk::$result)? {
                // SAFETY: the parameters of the command.
                unsafe { $body($name, $($parameter),*) }
            }
            function
        })
    };
    ($name:literal: $type:ident($($parameter:ident: $of:ty),*) $(-> $result:ident)?) => {
        noted!($name: vk::$type = ($($of),*) $(-> $result)?)
    };
}

/// The rows of core commands and their aliases.
macro_rules! queries {
    ($($core:literal $khr:literal: $type:ident($($parameters:tt)*) $(-> $result:ident)? $(= $body:ident)?;)*) => {
        &[$(
            query!($core: $type($($parameters)*) $(-> $result)? $(= $body)?),
            query!($khr: $type($($parameters)*) $(-> $result)? $(= $body)?),
        )*]
    };
}

pub(super) const QUERIES: &[Row] = queries! {
    c"vkEnumeratePhysicalDeviceGroups" c"vkEnumeratePhysicalDeviceGroupsKHR": PFN_vkEnumeratePhysicalDeviceGroups
        (instance: vk::Instance, count: *mut u32, out: *mut vk::PhysicalDeviceGroupProperties<'_>) -> Result = give_groups;
    c"vkGetPhysicalDeviceProperties2" c"vkGetPhysicalDeviceProperties2KHR": PFN_vkGetPhysicalDeviceProperties2
        (device: vk::PhysicalDevice, out: *mut vk::PhysicalDeviceProperties2<'_>) = give_properties;
    c"vkGetPhysicalDeviceFeatures2" c"vkGetPhysicalDeviceFeatures2KHR": PFN_vkGetPhysicalDeviceFeatures2
        (device: vk::PhysicalDevice, out: *mut vk::PhysicalDeviceFeatures2<'_>) = give_features;
    c"vkGetPhysicalDeviceFormatProperties2" c"vkGetPhysicalDeviceFormatProperties2KHR": PFN_vkGetPhysicalDeviceFormatProperties2
        (device: vk::PhysicalDevice, format: vk::Format, out: *mut vk::FormatProperties2<'_>);
    c"vkGetPhysicalDeviceImageFormatProperties2" c"vkGetPhysicalDeviceImageFormatProperties2KHR": PFN_vkGetPhysicalDeviceImageFormatProperties2
        (device: vk::PhysicalDevice, info: *const vk::PhysicalDeviceImageFormatInfo2<'_>, out: *mut vk::ImageFormatProperties2<'_>) -> Result;
    c"vkGetPhysicalDeviceQueueFamilyProperties2" c"vkGetPhysicalDeviceQueueFamilyProperties2KHR": PFN_vkGetPhysicalDeviceQueueFamilyProperties2
        (device: vk::PhysicalDevice, count: *mut u32, out: *mut vk::QueueFamilyProperties2<'_>);
    c"vkGetPhysicalDeviceMemoryProperties2" c"vkGetPhysicalDeviceMemoryProperties2KHR": PFN_vkGetPhysicalDeviceMemoryProperties2
        (device: vk::PhysicalDevice, out: *mut vk::PhysicalDeviceMemoryProperties2<'_>);
    c"vkGetPhysicalDeviceSparseImageFormatProperties2" c"vkGetPhysicalDeviceSparseImageFormatProperties2KHR": PFN_vkGetPhysicalDeviceSparseImageFormatProperties2
        (device: vk::PhysicalDevice, info: *const vk::PhysicalDeviceSparseImageFormatInfo2<'_>, count: *mut u32, out: *mut vk::SparseImageFormatProperties2<'_>);
    c"vkGetPhysicalDeviceExternalBufferProperties" c"vkGetPhysicalDeviceExternalBufferPropertiesKHR": PFN_vkGetPhysicalDeviceExternalBufferProperties
        (device: vk::PhysicalDevice, info: *const vk::PhysicalDeviceExternalBufferInfo<'_>, out: *mut vk::ExternalBufferProperties<'_>) = give_external_buffer;
    c"vkGetPhysicalDeviceExternalFenceProperties" c"vkGetPhysicalDeviceExternalFencePropertiesKHR": PFN_vkGetPhysicalDeviceExternalFenceProperties
        (device: vk::PhysicalDevice, info: *const vk::PhysicalDeviceExternalFenceInfo<'_>, out: *mut vk::ExternalFenceProperties<'_>) = give_external_fence;
    c"vkGetPhysicalDeviceExternalSemaphoreProperties" c"vkGetPhysicalDeviceExternalSemaphorePropertiesKHR": PFN_vkGetPhysicalDeviceExternalSemaphoreProperties
        (device: vk::PhysicalDevice, info: *const vk::PhysicalDeviceExternalSemaphoreInfo<'_>, out: *mut vk::ExternalSemaphoreProperties<'_>) = give_external_semaphore;
};

pub(super) const COMMANDS: &[Row] = &[
    row!(c"vkEnumeratePhysicalDevices": vk::PFN_vkEnumeratePhysicalDevices = enumerate_physical_devices),
    row!(c"vkEnumerateDeviceExtensionProperties": vk::PFN_vkEnumerateDeviceExtensionProperties =
        enumerate_device_extension_properties),
    row!(c"vkCreateDevice": vk::PFN_vkCreateDevice = create_device),
    row!(c"vkGetPhysicalDeviceProperties": vk::PFN_vkGetPhysicalDeviceProperties = properties1),
    row!(c"vkGetPhysicalDeviceFeatures": vk::PFN_vkGetPhysicalDeviceFeatures = features1),
    row!(c"vkGetPhysicalDeviceQueueFamilyProperties": vk::PFN_vkGetPhysicalDeviceQueueFamilyProperties =
        queue_families1),
];

unsafe extern "system" fn enumerate_physical_devices(
    instance: vk::Instance,
    count: *mut u32,
    out: *mut vk::PhysicalDevice,
) -> vk::Result {
    let result = current().answer(c"vkEnumeratePhysicalDevices");
    if result != vk::Result::SUCCESS {
        return result;
    }
    let devices = current().hal().devices;
    let all: Vec<vk::PhysicalDevice> = (0..devices).map(|number| make(instance.as_raw(), number)).collect();
    // SAFETY: a counted out-array.
    unsafe { array::deliver(&all, count, out) }
}

unsafe fn give_groups(
    name: &'static CStr,
    instance: vk::Instance,
    count: *mut u32,
    out: *mut vk::PhysicalDeviceGroupProperties<'_>,
) -> vk::Result {
    current().record(name);
    let groups = current().hal().groups.clone();
    // SAFETY: a counted out-array; structures chained to its elements are left alone.
    unsafe {
        let room = if out.is_null() { groups.len() } else { groups.len().min(*count as usize) };
        let mut next = 0;
        for (index, size) in groups.iter().enumerate().take(if out.is_null() { 0 } else { room }) {
            let group = &mut *out.add(index);
            group.physical_device_count = *size as u32;
            for device in &mut group.physical_devices[..*size] {
                *device = make(instance.as_raw(), next);
                next += 1;
            }
            group.subset_allocation = vk::TRUE;
        }
        *count = room as u32;
        if room < groups.len() { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS }
    }
}

unsafe extern "system" fn enumerate_device_extension_properties(
    _: vk::PhysicalDevice,
    layer: *const c_char,
    count: *mut u32,
    out: *mut vk::ExtensionProperties,
) -> vk::Result {
    assert!(layer.is_null(), "a driver has no layers");
    let all = properties(&current().hal().device_extensions);
    // SAFETY: a counted out-array.
    unsafe { array::deliver(&all, count, out) }
}

unsafe extern "system" fn create_device(
    physical_device: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Device,
) -> vk::Result {
    let driver = current();
    // SAFETY: the parameters of the command.
    unsafe {
        let info = &*info;
        #[expect(deprecated, reason = "nothing must be there")]
        let received = ReceivedCreateInfo {
            layers: info.enabled_layer_count,
            robust: info.p_enabled_features.as_ref().map(|features| features.robust_buffer_access != 0),
            ..received(
                info.pp_enabled_extension_names,
                info.enabled_extension_count,
                info.p_next,
                callbacks.cast(),
            )
        };
        driver.received.lock().unwrap().devices.push(received);
        let result = driver.answer(c"vkCreateDevice");
        if result == vk::Result::SUCCESS {
            let _ = driver.objects().parent(physical_device.as_raw());
            out.write(make(0, 0));
        }
        result
    }
}

unsafe extern "system" fn properties1(_: vk::PhysicalDevice, out: *mut vk::PhysicalDeviceProperties) {
    current().record(c"vkGetPhysicalDeviceProperties");
    // SAFETY: memory for the result.
    unsafe { (*out).api_version = current().hal().device_version };
}

unsafe extern "system" fn features1(_: vk::PhysicalDevice, out: *mut vk::PhysicalDeviceFeatures) {
    current().record(c"vkGetPhysicalDeviceFeatures");
    // SAFETY: memory for the result.
    unsafe { out.write(vk::PhysicalDeviceFeatures { robust_buffer_access: vk::TRUE, ..Default::default() }) };
}

unsafe extern "system" fn queue_families1(
    _: vk::PhysicalDevice,
    count: *mut u32,
    out: *mut vk::QueueFamilyProperties,
) {
    let all = [1, 2].map(|queue_count| vk::QueueFamilyProperties { queue_count, ..Default::default() });
    // SAFETY: a counted out-array.
    let _ = unsafe { array::deliver(&all, count, out) };
}

unsafe fn give_properties(
    name: &'static CStr,
    _: vk::PhysicalDevice,
    out: *mut vk::PhysicalDeviceProperties2<'_>,
) {
    current().record(name);
    // SAFETY: memory for the result with a pNext chain, in which types say what structures are.
    unsafe {
        (*out).properties.api_version = current().hal().device_version;
        for next in chain::pointers((*out).p_next) {
            if (*next).s_type == structure::PRESENTATION_PROPERTIES {
                (*next.cast::<PresentationProperties>()).shared_image = current().hal().shared_image.into();
            }
        }
    }
}

unsafe fn give_features(
    name: &'static CStr,
    _: vk::PhysicalDevice,
    out: *mut vk::PhysicalDeviceFeatures2<'_>,
) {
    type Compression = vk::PhysicalDeviceImageCompressionControlFeaturesEXT<'static>;
    current().record(name);
    // SAFETY: memory for the result with a pNext chain, in which types say what structures are.
    unsafe {
        (*out).features = vk::PhysicalDeviceFeatures::default();
        for next in chain::pointers((*out).p_next) {
            if (*next).s_type == Compression::STRUCTURE_TYPE {
                (*next.cast::<Compression>()).image_compression_control =
                    current().hal().image_compression_control.into();
            }
        }
    }
}

unsafe fn give_external_buffer(
    name: &'static CStr,
    _: vk::PhysicalDevice,
    _: *const vk::PhysicalDeviceExternalBufferInfo<'_>,
    out: *mut vk::ExternalBufferProperties<'_>,
) {
    current().record(name);
    // SAFETY: memory for the result.
    unsafe {
        (*out).external_memory_properties.external_memory_features =
            vk::ExternalMemoryFeatureFlags::IMPORTABLE;
    }
}

unsafe fn give_external_fence(
    name: &'static CStr,
    _: vk::PhysicalDevice,
    info: *const vk::PhysicalDeviceExternalFenceInfo<'_>,
    out: *mut vk::ExternalFenceProperties<'_>,
) {
    current().record(name);
    // SAFETY: the parameters of the command.
    unsafe {
        let importable = (*info).handle_type == vk::ExternalFenceHandleTypeFlags::SYNC_FD
            && current().hal().imports_sync_fd;
        (*out).external_fence_features = if importable {
            vk::ExternalFenceFeatureFlags::IMPORTABLE
        } else {
            vk::ExternalFenceFeatureFlags::empty()
        };
    }
}

unsafe fn give_external_semaphore(
    name: &'static CStr,
    _: vk::PhysicalDevice,
    _: *const vk::PhysicalDeviceExternalSemaphoreInfo<'_>,
    out: *mut vk::ExternalSemaphoreProperties<'_>,
) {
    current().record(name);
    // SAFETY: memory for the result.
    unsafe { (*out).external_semaphore_features = vk::ExternalSemaphoreFeatureFlags::IMPORTABLE };
}
