//! The Vulkan 1.0 queries, implemented by the queries with a 2 in their name, which take chains.
//!
//! They go through the table of the physical device, so a driver writes the newer query only, and may write it for one of
//! its devices only.

use ash::vk::{self, Handle};
use vkload_core::memory::{CopiedCallbacks, TryGrow, Vec};

use crate::dispatch::{DispatchTable, function};
use crate::object::ObjectBase;

/// Returns the table of a physical device.
///
/// # Safety
/// `device` is a live handle.
unsafe fn table<'a>(device: vk::PhysicalDevice) -> Option<&'a DispatchTable> {
    // SAFETY: the caller vouches for the handle.
    Some(unsafe { ObjectBase::of(device.as_raw()) }?.dispatch())
}

/// Returns an allocator with command scope from the instance.
///
/// # Safety
/// `device` is a live handle.
unsafe fn memory(device: vk::PhysicalDevice) -> CopiedCallbacks {
    // SAFETY: the caller vouches for the handle.
    let base = unsafe { ObjectBase::of(device.as_raw()) };
    let memory = base.map_or(CopiedCallbacks::process(), |base| *base.instance_root().memory());
    memory.scoped(vk::SystemAllocationScope::COMMAND)
}

/// Defines a query that fills one structure: it calls the query with the 2 and copies the result.
macro_rules! plain {
    ($(
        $(#[$doc:meta])*
        $name:ident($($parameter:ident: $parameter_type:ty),*) -> $out:ty
            = $command:ident: $pointer_type:ident, $chained:ty, $member:ident;
    )*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// As specified for the command.
        pub(crate) unsafe extern "system" fn $name(
            device: vk::PhysicalDevice,
            $($parameter: $parameter_type,)*
            out: *mut $out,
        ) {
            let mut chained = <$chained>::default();
            // SAFETY: the caller vouches for handle and pointer, which meet the function's requirements.
            unsafe {
                if let Some(query) = table(device).and_then(|table| function!(table, $command: $pointer_type)) {
                    query(device, $($parameter,)* &mut chained);
                }
                out.write(chained.$member);
            }
        }
    )*};
}

plain! {
    /// `vkGetPhysicalDeviceFeatures`
    get_features() -> vk::PhysicalDeviceFeatures
        = GET_PHYSICAL_DEVICE_FEATURES_2: PFN_vkGetPhysicalDeviceFeatures2, vk::PhysicalDeviceFeatures2<'_>, features;
    /// `vkGetPhysicalDeviceProperties`
    get_properties() -> vk::PhysicalDeviceProperties
        = GET_PHYSICAL_DEVICE_PROPERTIES_2: PFN_vkGetPhysicalDeviceProperties2,
        vk::PhysicalDeviceProperties2<'_>, properties;
    /// `vkGetPhysicalDeviceMemoryProperties`
    get_memory_properties() -> vk::PhysicalDeviceMemoryProperties
        = GET_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2: PFN_vkGetPhysicalDeviceMemoryProperties2,
        vk::PhysicalDeviceMemoryProperties2<'_>, memory_properties;
    /// `vkGetPhysicalDeviceFormatProperties`
    get_format_properties(format: vk::Format) -> vk::FormatProperties
        = GET_PHYSICAL_DEVICE_FORMAT_PROPERTIES_2: PFN_vkGetPhysicalDeviceFormatProperties2,
        vk::FormatProperties2<'_>, format_properties;
}

/// Implements `vkGetPhysicalDeviceImageFormatProperties`.
///
/// # Safety
/// As specified for the command.
pub(crate) unsafe extern "system" fn get_image_format_properties(
    device: vk::PhysicalDevice,
    format: vk::Format,
    kind: vk::ImageType,
    tiling: vk::ImageTiling,
    usage: vk::ImageUsageFlags,
    flags: vk::ImageCreateFlags,
    out: *mut vk::ImageFormatProperties,
) -> vk::Result {
    let info = vk::PhysicalDeviceImageFormatInfo2::default()
        .format(format)
        .ty(kind)
        .tiling(tiling)
        .usage(usage)
        .flags(flags);
    let mut chained = vk::ImageFormatProperties2::default();
    // SAFETY: the caller vouches for handle and pointer, which meet the function's requirements.
    unsafe {
        let query = table(device).and_then(|table| {
            function!(
                table,
                GET_PHYSICAL_DEVICE_IMAGE_FORMAT_PROPERTIES_2: PFN_vkGetPhysicalDeviceImageFormatProperties2
            )
        });
        let result =
            query.map_or(vk::Result::ERROR_FORMAT_NOT_SUPPORTED, |query| query(device, &info, &mut chained));
        out.write(chained.image_format_properties);
        result
    }
}

/// Implements `vkGetPhysicalDeviceQueueFamilyProperties`.
///
/// # Safety
/// As specified for the command.
pub(crate) unsafe extern "system" fn get_queue_family_properties(
    device: vk::PhysicalDevice,
    count: *mut u32,
    out: *mut vk::QueueFamilyProperties,
) {
    // SAFETY: the caller vouches for handle and counted out-array.
    unsafe {
        let query = table(device).and_then(|table| {
            function!(
                table,
                GET_PHYSICAL_DEVICE_QUEUE_FAMILY_PROPERTIES_2: PFN_vkGetPhysicalDeviceQueueFamilyProperties2
            )
        });
        let Some(query) = query else { return count.write(0) };
        copy_array(
            count,
            out,
            memory(device),
            |count, out| query(device, count, out),
            |chained| chained.queue_family_properties,
        );
    }
}

/// Implements `vkGetPhysicalDeviceSparseImageFormatProperties`.
///
/// # Safety
/// As specified for the command.
pub(crate) unsafe extern "system" fn get_sparse_image_format_properties(
    device: vk::PhysicalDevice,
    format: vk::Format,
    kind: vk::ImageType,
    samples: vk::SampleCountFlags,
    usage: vk::ImageUsageFlags,
    tiling: vk::ImageTiling,
    count: *mut u32,
    out: *mut vk::SparseImageFormatProperties,
) {
    let info = vk::PhysicalDeviceSparseImageFormatInfo2::default()
        .format(format)
        .ty(kind)
        .samples(samples)
        .usage(usage)
        .tiling(tiling);
    // SAFETY: the caller vouches for handle and counted out-array.
    unsafe {
        let query = table(device).and_then(|table| {
            function!(
                table,
                GET_PHYSICAL_DEVICE_SPARSE_IMAGE_FORMAT_PROPERTIES_2:
                    PFN_vkGetPhysicalDeviceSparseImageFormatProperties2
            )
        });
        let Some(query) = query else { return count.write(0) };
        let all = |count: *mut u32, out| query(device, &info, count, out);
        copy_array(count, out, memory(device), all, |chained| chained.properties);
    }
}

/// Fills an array from one of chained structures. If memory for these runs out, the array stays empty: the commands
/// have no result to report it.
///
/// # Safety
/// `count` and `out` are a counted out-array, and `query` fills such arrays.
unsafe fn copy_array<C: Default + Copy, P>(
    count: *mut u32,
    out: *mut P,
    memory: CopiedCallbacks,
    query: impl Fn(*mut u32, *mut C),
    plain: impl Fn(&C) -> P,
) {
    if out.is_null() {
        return query(count, core::ptr::null_mut());
    }
    // SAFETY: the caller vouches for the array; as many elements are written as the query counts, at most all.
    unsafe {
        let mut chained = Vec::new_in(memory);
        if chained.try_resize(count.read() as usize, C::default()).is_err() {
            return count.write(0);
        }
        query(count, chained.as_mut_ptr());
        for (index, chained) in chained.iter().take(count.read() as usize).enumerate() {
            out.add(index).write(plain(chained));
        }
    }
}
