//! Instance and physical-device commands.

use std::ffi::{CStr, c_char};

use ash::vk::{self, Handle, TaggedStructure as _};
use platform_android::native_buffer::{PresentationProperties, structure};
use vkload_core::abi::{array, chain};

use super::{Row, make, properties, received, row};
use crate::hal::installed::{ReceivedCreateInfo, current};

/// Defines a function for a core command and one for its alias; both pass their name to the body.
macro_rules! both {
    ($core:ident $core_name:literal, $khr:ident $khr_name:literal
     ($($parameter:ident: $type:ty),*) $(-> $result:ty)? = $body:ident) => {
        unsafe extern "system" fn $core($($parameter: $type),*) $(-> $result)? {
            // SAFETY: the parameters of the command.
            unsafe { $body($core_name, $($parameter),*) }
        }
        unsafe extern "system" fn $khr($($parameter: $type),*) $(-> $result)? {
            // SAFETY: the parameters of the command.
            unsafe { $body($khr_name, $($parameter),*) }
        }
    };
}

/// The table of this file.
pub(super) const COMMANDS: &[Row] = &[
    row!(c"vkEnumeratePhysicalDevices": vk::PFN_vkEnumeratePhysicalDevices = enumerate_physical_devices),
    row!(c"vkEnumeratePhysicalDeviceGroups": vk::PFN_vkEnumeratePhysicalDeviceGroups = groups),
    row!(c"vkEnumeratePhysicalDeviceGroupsKHR": vk::PFN_vkEnumeratePhysicalDeviceGroups = groups_khr),
    row!(c"vkEnumerateDeviceExtensionProperties": vk::PFN_vkEnumerateDeviceExtensionProperties =
        enumerate_device_extension_properties),
    row!(c"vkCreateDevice": vk::PFN_vkCreateDevice = create_device),
    row!(c"vkGetPhysicalDeviceProperties": vk::PFN_vkGetPhysicalDeviceProperties = properties1),
    row!(c"vkGetPhysicalDeviceFeatures": vk::PFN_vkGetPhysicalDeviceFeatures = features1),
    row!(c"vkGetPhysicalDeviceQueueFamilyProperties": vk::PFN_vkGetPhysicalDeviceQueueFamilyProperties =
        queue_families1),
    row!(c"vkGetPhysicalDeviceProperties2": vk::PFN_vkGetPhysicalDeviceProperties2 = properties2),
    row!(c"vkGetPhysicalDeviceProperties2KHR": vk::PFN_vkGetPhysicalDeviceProperties2 = properties2_khr),
    row!(c"vkGetPhysicalDeviceFeatures2": vk::PFN_vkGetPhysicalDeviceFeatures2 = features),
    row!(c"vkGetPhysicalDeviceFeatures2KHR": vk::PFN_vkGetPhysicalDeviceFeatures2 = features_khr),
    row!(c"vkGetPhysicalDeviceFormatProperties2": vk::PFN_vkGetPhysicalDeviceFormatProperties2 = format),
    row!(c"vkGetPhysicalDeviceFormatProperties2KHR": vk::PFN_vkGetPhysicalDeviceFormatProperties2 =
        format_khr),
    row!(c"vkGetPhysicalDeviceImageFormatProperties2": vk::PFN_vkGetPhysicalDeviceImageFormatProperties2 =
        image_format),
    row!(c"vkGetPhysicalDeviceImageFormatProperties2KHR": vk::PFN_vkGetPhysicalDeviceImageFormatProperties2 =
        image_format_khr),
    row!(c"vkGetPhysicalDeviceQueueFamilyProperties2": vk::PFN_vkGetPhysicalDeviceQueueFamilyProperties2 =
        queue_families),
    row!(c"vkGetPhysicalDeviceQueueFamilyProperties2KHR": vk::PFN_vkGetPhysicalDeviceQueueFamilyProperties2 =
        queue_families_khr),
    row!(c"vkGetPhysicalDeviceMemoryProperties2": vk::PFN_vkGetPhysicalDeviceMemoryProperties2 = memory),
    row!(c"vkGetPhysicalDeviceMemoryProperties2KHR": vk::PFN_vkGetPhysicalDeviceMemoryProperties2 =
        memory_khr),
    row!(c"vkGetPhysicalDeviceSparseImageFormatProperties2":
        vk::PFN_vkGetPhysicalDeviceSparseImageFormatProperties2 = sparse),
    row!(c"vkGetPhysicalDeviceSparseImageFormatProperties2KHR":
        vk::PFN_vkGetPhysicalDeviceSparseImageFormatProperties2 = sparse_khr),
    row!(c"vkGetPhysicalDeviceExternalBufferProperties":
        vk::PFN_vkGetPhysicalDeviceExternalBufferProperties = external_buffer),
    row!(c"vkGetPhysicalDeviceExternalBufferPropertiesKHR":
        vk::PFN_vkGetPhysicalDeviceExternalBufferProperties = external_buffer_khr),
    row!(c"vkGetPhysicalDeviceExternalFenceProperties":
        vk::PFN_vkGetPhysicalDeviceExternalFenceProperties = external_fence),
    row!(c"vkGetPhysicalDeviceExternalFencePropertiesKHR":
        vk::PFN_vkGetPhysicalDeviceExternalFenceProperties = external_fence_khr),
    row!(c"vkGetPhysicalDeviceExternalSemaphoreProperties":
        vk::PFN_vkGetPhysicalDeviceExternalSemaphoreProperties = external_semaphore),
    row!(c"vkGetPhysicalDeviceExternalSemaphorePropertiesKHR":
        vk::PFN_vkGetPhysicalDeviceExternalSemaphoreProperties = external_semaphore_khr),
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

both!(groups c"vkEnumeratePhysicalDeviceGroups", groups_khr c"vkEnumeratePhysicalDeviceGroupsKHR"
(instance: vk::Instance, count: *mut u32, out: *mut vk::PhysicalDeviceGroupProperties<'_>) -> vk::Result = give_groups);

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

both!(properties2 c"vkGetPhysicalDeviceProperties2", properties2_khr c"vkGetPhysicalDeviceProperties2KHR"
(device: vk::PhysicalDevice, out: *mut vk::PhysicalDeviceProperties2<'_>) = give_properties);

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

both!(features c"vkGetPhysicalDeviceFeatures2", features_khr c"vkGetPhysicalDeviceFeatures2KHR"
(device: vk::PhysicalDevice, out: *mut vk::PhysicalDeviceFeatures2<'_>) = give_features);

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

/// Defines bodies of functions that only record their call.
macro_rules! noted {
    ($($body:ident($($type:ty),*) $(-> $result:ident)?;)*) => {$(
        unsafe fn $body(name: &'static CStr, $(_: $type),*) $(-> vk::$result)? {
            let _result = current().answer(name);
            $({
                let result: vk::$result = _result;
                result
            })?
        }
    )*};
}

noted! {
    note_format(vk::PhysicalDevice, vk::Format, *mut vk::FormatProperties2<'_>);
    note_image_format(
        vk::PhysicalDevice,
        *const vk::PhysicalDeviceImageFormatInfo2<'_>,
        *mut vk::ImageFormatProperties2<'_>
    ) -> Result;
    note_queue_families(vk::PhysicalDevice, *mut u32, *mut vk::QueueFamilyProperties2<'_>);
    note_memory(vk::PhysicalDevice, *mut vk::PhysicalDeviceMemoryProperties2<'_>);
    note_sparse(
        vk::PhysicalDevice,
        *const vk::PhysicalDeviceSparseImageFormatInfo2<'_>,
        *mut u32,
        *mut vk::SparseImageFormatProperties2<'_>
    );
}

both!(format c"vkGetPhysicalDeviceFormatProperties2", format_khr c"vkGetPhysicalDeviceFormatProperties2KHR"
(device: vk::PhysicalDevice, format: vk::Format, out: *mut vk::FormatProperties2<'_>) = note_format);
both!(image_format c"vkGetPhysicalDeviceImageFormatProperties2",
image_format_khr c"vkGetPhysicalDeviceImageFormatProperties2KHR"
(device: vk::PhysicalDevice, info: *const vk::PhysicalDeviceImageFormatInfo2<'_>,
    out: *mut vk::ImageFormatProperties2<'_>) -> vk::Result = note_image_format);
both!(queue_families c"vkGetPhysicalDeviceQueueFamilyProperties2",
queue_families_khr c"vkGetPhysicalDeviceQueueFamilyProperties2KHR"
(device: vk::PhysicalDevice, count: *mut u32, out: *mut vk::QueueFamilyProperties2<'_>) = note_queue_families);
both!(memory c"vkGetPhysicalDeviceMemoryProperties2", memory_khr c"vkGetPhysicalDeviceMemoryProperties2KHR"
(device: vk::PhysicalDevice, out: *mut vk::PhysicalDeviceMemoryProperties2<'_>) = note_memory);
both!(sparse c"vkGetPhysicalDeviceSparseImageFormatProperties2",
sparse_khr c"vkGetPhysicalDeviceSparseImageFormatProperties2KHR"
(device: vk::PhysicalDevice, info: *const vk::PhysicalDeviceSparseImageFormatInfo2<'_>, count: *mut u32,
    out: *mut vk::SparseImageFormatProperties2<'_>) = note_sparse);
both!(external_buffer c"vkGetPhysicalDeviceExternalBufferProperties",
external_buffer_khr c"vkGetPhysicalDeviceExternalBufferPropertiesKHR"
(device: vk::PhysicalDevice, info: *const vk::PhysicalDeviceExternalBufferInfo<'_>,
    out: *mut vk::ExternalBufferProperties<'_>) = give_external_buffer);
both!(external_fence c"vkGetPhysicalDeviceExternalFenceProperties",
external_fence_khr c"vkGetPhysicalDeviceExternalFencePropertiesKHR"
(device: vk::PhysicalDevice, info: *const vk::PhysicalDeviceExternalFenceInfo<'_>,
    out: *mut vk::ExternalFenceProperties<'_>) = give_external_fence);
both!(external_semaphore c"vkGetPhysicalDeviceExternalSemaphoreProperties",
external_semaphore_khr c"vkGetPhysicalDeviceExternalSemaphorePropertiesKHR"
(device: vk::PhysicalDevice, info: *const vk::PhysicalDeviceExternalSemaphoreInfo<'_>,
    out: *mut vk::ExternalSemaphoreProperties<'_>) = give_external_semaphore);

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
