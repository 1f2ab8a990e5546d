//! The driver's functions.

use std::ffi::{c_int, c_void};
use std::ptr;

use ash::vk::{self, Handle, TaggedStructure};
use platform_android::System;
use platform_android::native_buffer::{self as native, NativeBuffer, SwapchainImageCreateInfo};
use vkload_core::abi::chain::{find, pointers, structures};
use vkload_core::abi::{array, name};

use super::{Graphics, Image, Releases};
use crate::Android;

/// Returns the types of the structures of a chain.
///
/// # Safety
/// `first` begins a pNext chain.
unsafe fn types(first: *const c_void) -> Vec<i32> {
    // SAFETY: by this function's `# Safety` `first` begins a pNext chain.
    unsafe { structures(first).map(|structure| structure.s_type.as_raw()).collect() }
}

/// Finds a structure of a type that the bindings do not have.
///
/// # Safety
/// `first` begins a pNext chain in which structures of that type are a `T`.
unsafe fn find_by<T: Copy>(first: *const c_void, s_type: vk::StructureType) -> Option<T> {
    // SAFETY: by this function's `# Safety` `first` begins a pNext chain, in which structures of
    // that type are a `T`.
    unsafe {
        let found = structures(first).find(|structure| structure.s_type == s_type)?;
        Some(*ptr::from_ref(found).cast::<T>())
    }
}

pub(super) unsafe extern "system" fn create_image(
    _: vk::Device,
    info: *const vk::ImageCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Image,
) -> vk::Result {
    assert!(callbacks.is_null(), "images of swapchains are made without callbacks");
    let mut graphics = Graphics::change();
    let result = graphics.call("create-image");
    if result != vk::Result::SUCCESS {
        return result;
    }
    graphics.created += 1;
    let handle = graphics.created;
    // SAFETY: the loader passes a valid structure with a valid chain, and memory for the result.
    unsafe {
        let info = &*info;
        let image = Image {
            info: vk::ImageCreateInfo {
                p_next: ptr::null(),
                p_queue_family_indices: ptr::null(),
                _marker: std::marker::PhantomData,
                ..*info
            },
            chain: types(info.p_next),
            buffer: find_by(info.p_next, native::structure::NATIVE_BUFFER),
            swapchain_usage: find_by::<SwapchainImageCreateInfo>(
                info.p_next,
                native::structure::SWAPCHAIN_IMAGE_CREATE_INFO,
            )
            .map(|found| found.usage),
        };
        graphics.images.insert(handle, image);
        out.write(vk::Image::from_raw(handle));
    }
    vk::Result::SUCCESS
}

pub(super) unsafe extern "system" fn destroy_image(
    _: vk::Device,
    image: vk::Image,
    _: *const vk::AllocationCallbacks<'_>,
) {
    let mut graphics = Graphics::change();
    let _ = graphics.call("destroy-image");
    assert!(graphics.images.remove(&image.as_raw()).is_some(), "an image is destroyed that is not there");
}

pub(super) unsafe extern "system" fn bind_image_memory(
    _: vk::Device,
    count: u32,
    infos: *const vk::BindImageMemoryInfo<'_>,
) -> vk::Result {
    let mut graphics = Graphics::change();
    let result = graphics.call("bind");
    for index in 0..count as usize {
        // SAFETY: the loader passes a counted array of valid chains.
        unsafe {
            let info = &*infos.add(index);
            let buffer = find_by::<NativeBuffer>(info.p_next, native::structure::NATIVE_BUFFER);
            let handle = buffer.map_or(0, |buffer| buffer.handle.addr());
            graphics.bound.push((info.image.as_raw(), types(info.p_next), handle));
        }
    }
    result
}

pub(super) unsafe extern "system" fn import_fence(
    _: vk::Device,
    info: *const vk::ImportFenceFdInfoKHR<'_>,
) -> vk::Result {
    let mut graphics = Graphics::change();
    let result = graphics.call("import-fence");
    // SAFETY: the loader passes a valid structure.
    let info = unsafe { &*info };
    assert!(info.flags == vk::FenceImportFlags::TEMPORARY);
    assert!(info.handle_type == vk::ExternalFenceHandleTypeFlags::SYNC_FD);
    if result == vk::Result::SUCCESS {
        graphics.imported.push((info.fence.as_raw(), info.fd >= 0));
        close(graphics.android(), info.fd);
    }
    result
}

pub(super) unsafe extern "system" fn acquire_image(
    _: vk::Device,
    image: vk::Image,
    fence: c_int,
    semaphore: vk::Semaphore,
    to_signal: vk::Fence,
) -> vk::Result {
    let mut graphics = Graphics::change();
    close(graphics.android(), fence);
    let result = graphics.call("acquire-image");
    if result == vk::Result::SUCCESS {
        let images = &graphics.images;
        assert!(images.contains_key(&image.as_raw()), "an image is acquired that is not there");
        graphics.acquired.push((image.as_raw(), fence >= 0, semaphore.as_raw(), to_signal.as_raw()));
    }
    result
}

pub(super) unsafe extern "system" fn release_image(
    _: vk::Queue,
    count: u32,
    _: *const vk::Semaphore,
    image: vk::Image,
    out: *mut c_int,
) -> vk::Result {
    let mut graphics = Graphics::change();
    let result = graphics.call("release-image");
    let mut fence = -1;
    if result == vk::Result::SUCCESS {
        graphics.released.push((count, image.as_raw()));
        let idle = graphics.releases == Releases::Idle || count == 0 && graphics.idle_without_semaphores;
        if !idle {
            let (made, signal) = graphics.android().fence();
            fence = made;
            if graphics.releases == Releases::Later {
                graphics.later.push(signal);
            }
        }
    }
    // SAFETY: the loader passes memory for the fence.
    unsafe { out.write(fence) };
    result
}

fn close(android: &Android, fence: c_int) {
    if fence >= 0 {
        android.close_fence(fence);
    }
}

pub(super) unsafe extern "system" fn get_usage(
    _: vk::Device,
    _: vk::Format,
    _: vk::ImageUsageFlags,
    out: *mut c_int,
) -> vk::Result {
    let result = Graphics::change().call("usage");
    // SAFETY: the loader passes memory for the usage.
    unsafe { out.write(0x1000) };
    result
}

pub(super) unsafe extern "system" fn get_usage2(
    _: vk::Device,
    _: vk::Format,
    _: vk::ImageUsageFlags,
    _: vk::SwapchainImageUsageFlagsANDROID,
    consumer: *mut u64,
    producer: *mut u64,
) -> vk::Result {
    let result = Graphics::change().call("usage2");
    // SAFETY: the loader passes memory for the usage.
    unsafe {
        consumer.write(1 << 8);
        producer.write(1 << 9);
    }
    result
}

pub(super) unsafe extern "system" fn get_usage3(
    _: vk::Device,
    info: *const native::GrallocUsageInfo,
    out: *mut u64,
) -> vk::Result {
    let result = Graphics::change().call("usage3");
    // SAFETY: the loader passes a valid structure and memory for the usage.
    unsafe {
        assert!((*info).s_type == native::structure::GRALLOC_USAGE_INFO);
        Graphics::change().usage_chain = types((*info).p_next);
        out.write(0x3000);
    }
    result
}

pub(super) unsafe extern "system" fn get_usage4(
    _: vk::Device,
    info: *const native::GrallocUsageInfo2,
    out: *mut u64,
) -> vk::Result {
    let result = Graphics::change().call("usage4");
    // SAFETY: the loader passes a valid structure and memory for the usage.
    unsafe {
        assert!((*info).s_type == native::structure::GRALLOC_USAGE_INFO_2);
        Graphics::change().usage_chain = types((*info).p_next);
        out.write(0x4000 | u64::from((*info).swapchain_image_usage));
    }
    result
}

pub(super) unsafe extern "system" fn get_properties(
    _: vk::PhysicalDevice,
    out: *mut vk::PhysicalDeviceProperties2<'_>,
) {
    // SAFETY: the loader passes a valid chain.
    unsafe {
        for structure in pointers((*out).p_next) {
            if (*structure).s_type == native::structure::PRESENTATION_PROPERTIES {
                (*structure.cast::<native::PresentationProperties>()).shared_image =
                    Graphics::change().shared_image.into();
            }
        }
    }
}

pub(super) unsafe extern "system" fn get_image_format_properties(
    _: vk::PhysicalDevice,
    info: *const vk::PhysicalDeviceImageFormatInfo2<'_>,
    out: *mut vk::ImageFormatProperties2<'_>,
) -> vk::Result {
    let mut graphics = Graphics::change();
    let result = graphics.call("format-properties");
    // SAFETY: the loader passes valid chains.
    unsafe {
        let info = &*info;
        graphics.asked.push((info.format, info.usage, types(info.p_next), info.flags));
        for structure in pointers((*out).p_next) {
            match (*structure).s_type {
                vk::AndroidHardwareBufferUsageANDROID::STRUCTURE_TYPE => {
                    (*structure.cast::<vk::AndroidHardwareBufferUsageANDROID<'_>>())
                        .android_hardware_buffer_usage = graphics.hardware_buffer_usage;
                }
                vk::ImageCompressionPropertiesEXT::STRUCTURE_TYPE => {
                    let control = find::<vk::ImageCompressionControlEXT<'_>>(info.p_next);
                    (*structure.cast::<vk::ImageCompressionPropertiesEXT<'_>>()).image_compression_flags =
                        control.map_or(vk::ImageCompressionFlagsEXT::DISABLED, |control| control.flags);
                }
                _ => {}
            }
        }
    }
    result
}

pub(super) unsafe extern "system" fn enumerate_extensions(
    _: vk::PhysicalDevice,
    _: *const std::ffi::c_char,
    count: *mut u32,
    out: *mut vk::ExtensionProperties,
) -> vk::Result {
    let graphics = Graphics::change();
    let one = |called: &&str| {
        let mut properties = vk::ExtensionProperties { spec_version: 1, ..Default::default() };
        name::fill(&mut properties.extension_name, called.as_bytes());
        properties
    };
    let all: Vec<_> = graphics.extensions.iter().map(one).collect();
    // SAFETY: the loader passes a counted out-array.
    unsafe { array::deliver(&all, count, out) }
}
