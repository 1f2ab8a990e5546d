//! The Vulkan 1.0 queries, implemented by the queries with a 2 in their name, which take chains.
//!
//! They go through the table of the physical device, so a driver writes the newer query only, and may write it for one of
//! its devices only.

use ash::vk;
use vkload_core::registry::parameter::{In, Out};

use crate::dispatch::EntryPoints;
use crate::forward::calls::{call, copy_array, memory_of};
use crate::{calls, entry_points};

/// Queries that fill one structure: each calls the query with the 2 and copies the result.
macro_rules! plain {
    ($($name:ident($plain:ident { $out:ident }) = $second:ident($($parameter:ident),*),
        $chained:ident { $member:ident };)*) => {$(
        fn $name(call: &calls::$plain<'_>) {
            let mut chained = vk::$chained::default();
            // SAFETY: the second form has the same handle.
            unsafe { call!(call.physical_device, $second($(call.$parameter,)* Out::new(&mut chained))) };
            call.$out.write(chained.$member);
        }
    )*};
}

plain! {
    get_features(GetPhysicalDeviceFeatures { features })
        = GetPhysicalDeviceFeatures2(), PhysicalDeviceFeatures2 { features };
    get_properties(GetPhysicalDeviceProperties { properties })
        = GetPhysicalDeviceProperties2(), PhysicalDeviceProperties2 { properties };
    get_memory_properties(GetPhysicalDeviceMemoryProperties { memory_properties })
        = GetPhysicalDeviceMemoryProperties2(), PhysicalDeviceMemoryProperties2 { memory_properties };
    get_format_properties(GetPhysicalDeviceFormatProperties { format_properties })
        = GetPhysicalDeviceFormatProperties2(format), FormatProperties2 { format_properties };
}

fn get_image_format_properties(call: &calls::GetPhysicalDeviceImageFormatProperties<'_>) -> vk::Result {
    let info = vk::PhysicalDeviceImageFormatInfo2::default()
        .format(call.format)
        .ty(call.r#type)
        .tiling(call.tiling)
        .usage(call.usage)
        .flags(call.flags);
    let mut chained = vk::ImageFormatProperties2::default();
    // SAFETY: the second form has the same handle.
    let result = unsafe {
        call!(call.physical_device, GetPhysicalDeviceImageFormatProperties2(&info, Out::new(&mut chained)))
    };
    call.image_format_properties.write(chained.image_format_properties);
    result.unwrap_or(vk::Result::ERROR_FORMAT_NOT_SUPPORTED)
}

fn get_queue_family_properties(call: &calls::GetPhysicalDeviceQueueFamilyProperties<'_>) {
    // SAFETY: the second form has the same handle.
    let query = |count: *mut u32, out: *mut vk::QueueFamilyProperties2<'_>| unsafe {
        call!(call.physical_device, GetPhysicalDeviceQueueFamilyProperties2(Out::new(count), out))
    };
    let (count, out) = (call.queue_family_property_count.as_ptr(), call.queue_family_properties);
    // SAFETY: the call obeys the specification.
    unsafe {
        copy_array(count, out, memory_of(call.physical_device), query, |chained| {
            chained.queue_family_properties
        });
    }
}

fn get_sparse_image_format_properties(call: &calls::GetPhysicalDeviceSparseImageFormatProperties<'_>) {
    let info = vk::PhysicalDeviceSparseImageFormatInfo2::default()
        .format(call.format)
        .ty(call.r#type)
        .samples(call.samples)
        .usage(call.usage)
        .tiling(call.tiling);
    // SAFETY: the second form has the same handle.
    let query = |count: *mut u32, out: *mut vk::SparseImageFormatProperties2<'_>| unsafe {
        call!(
            call.physical_device,
            GetPhysicalDeviceSparseImageFormatProperties2(In::new(&info), Out::new(count), out)
        )
    };
    let (count, out) = (call.property_count.as_ptr(), call.properties);
    // SAFETY: the call obeys the specification.
    unsafe { copy_array(count, out, memory_of(call.physical_device), query, |chained| chained.properties) };
}

pub(crate) const fn entry_points<D>() -> EntryPoints<D> {
    // SAFETY: each function implements its command, by the second form.
    unsafe {
        entry_points! {
            GetPhysicalDeviceFeatures = get_features,
            GetPhysicalDeviceProperties = get_properties,
            GetPhysicalDeviceMemoryProperties = get_memory_properties,
            GetPhysicalDeviceFormatProperties = get_format_properties,
            GetPhysicalDeviceImageFormatProperties = get_image_format_properties,
            GetPhysicalDeviceQueueFamilyProperties = get_queue_family_properties,
            GetPhysicalDeviceSparseImageFormatProperties = get_sparse_image_format_properties,
        }
    }
}
