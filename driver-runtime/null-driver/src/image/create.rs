//! The commands of images: creation, memory, layout, and copies by the host.

use core::ffi::c_void;

use vkload_core::abi::chain;
use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::headless::Swapchain;
use vkload_driver_runtime::out_array::list;
use vkload_driver_runtime::{Object, calls, entry_points, vk};

use super::copy;
use super::layout::Image;
use crate::Null;
use crate::resource::{address, report_binding, write_requirements};

const NATIVE_BUFFER: vk::StructureType = vk::StructureType::from_raw(1_000_010_000);

const WHOLE: vk::ImageAspectFlags = vk::ImageAspectFlags::empty();

/// Returns whether an image is created from, or bound to, a window's buffer.
///
/// # Safety
/// `first` begins a pNext chain.
unsafe fn is_native_buffer(first: *const c_void) -> bool {
    // SAFETY: the caller vouches for the chain.
    unsafe { chain::structures(first).any(|structure| structure.s_type == NATIVE_BUFFER) }
}

fn bind_image_memory_2(call: &calls::BindImageMemory2<'_>) -> vk::Result {
    let mut last = vk::Result::SUCCESS;
    // SAFETY: the call obeys the specification.
    unsafe {
        for info in call.bind_infos() {
            let plane = chain::find::<vk::BindImagePlaneMemoryInfo<'_>>(info.p_next);
            if is_native_buffer(info.p_next) {
                // Before anything of a swapchain, which is the loader's there.
                if !Object::<Image>::from_handle(info.image).is_some_and(|image| image.bind_to_own()) {
                    last = vk::Result::ERROR_OUT_OF_DEVICE_MEMORY;
                }
                continue;
            }
            let presented = chain::find::<vk::BindImageMemorySwapchainInfoKHR<'_>>(info.p_next);
            let start = match presented {
                Some(of) if of.swapchain != vk::SwapchainKHR::null() => {
                    let swapchain = Object::<Swapchain<Null>>::from_handle(of.swapchain);
                    let memory = swapchain.and_then(|swapchain| swapchain.memory(of.image_index));
                    memory.and_then(|memory| address(memory, 0))
                }
                _ => address(info.memory, info.memory_offset),
            };
            let result = bind(info.image, plane.map_or(WHOLE, |plane| plane.plane_aspect), start);
            if report_binding(info.p_next, result) != vk::Result::SUCCESS {
                last = result;
            }
        }
    }
    last
}

/// # Safety
/// `image` is a live handle.
unsafe fn bind(image: vk::Image, plane: vk::ImageAspectFlags, start: Option<*mut u8>) -> vk::Result {
    // SAFETY: the caller vouches for the handle.
    match (unsafe { Object::<Image>::from_handle(image) }, start) {
        (Some(image), Some(start)) => {
            image.bind(plane, start);
            vk::Result::SUCCESS
        }
        _ => vk::Result::ERROR_OUT_OF_DEVICE_MEMORY,
    }
}

/// # Safety
/// `out` is valid.
unsafe fn write_layout(
    image: &Image,
    subresource: &vk::ImageSubresource,
    out: *mut vk::SubresourceLayout2KHR<'_>,
) {
    let layout = image.subresource(*subresource);
    // SAFETY: the caller vouches for the chain; each structure has the type in its `sType`.
    unsafe {
        (*out).subresource_layout = layout;
        for structure in chain::pointers((*out).p_next) {
            if (*structure).s_type == vk::StructureType::SUBRESOURCE_HOST_MEMCPY_SIZE_EXT {
                (*structure.cast::<vk::SubresourceHostMemcpySizeEXT<'_>>()).size = layout.size;
            }
        }
    }
}

// SAFETY: each function implements its command, with the objects of this driver; the calls obey the specification.
pub(crate) const COMMANDS: EntryPoints<Null> = unsafe {
    entry_points! {
        CreateImage = |call| {
            match Image::new(&call.create_info) {
                Some(image) if !is_native_buffer(call.create_info.p_next) || image.bind_to_own() => {
                    Object::create_command(call.device, call.allocator.as_ptr(), call.image.as_ptr(), image)
                }
                _ => vk::Result::ERROR_OUT_OF_DEVICE_MEMORY,
            }
        },
        DestroyImage = |call| Object::<Image>::destroy(call.image, call.allocator.as_ptr()),
        GetImageMemoryRequirements2 = |call| {
            let plane = chain::find::<vk::ImagePlaneMemoryRequirementsInfo<'_>>(call.info.p_next);
            let size = Object::<Image>::from_handle(call.info.image)?
                .size(plane.map_or(WHOLE, |plane| plane.plane_aspect));
            write_requirements(size, call.memory_requirements.as_ptr());
            Some(())
        },
        GetDeviceImageMemoryRequirements = |call| {
            let size = Image::new(&*call.info.p_create_info)?.size(call.info.plane_aspect);
            write_requirements(size, call.memory_requirements.as_ptr());
            Some(())
        },
        // No image is sparse.
        GetImageSparseMemoryRequirements2 = |call| call.sparse_memory_requirement_count.write(0),
        GetDeviceImageSparseMemoryRequirements = |call| call.sparse_memory_requirement_count.write(0),
        BindImageMemory2 = bind_image_memory_2,
        GetImageSubresourceLayout2KHR = |call| {
            let image = Object::<Image>::from_handle(call.image)?;
            write_layout(image, &call.subresource.image_subresource, call.layout.as_ptr());
            Some(())
        },
        GetDeviceImageSubresourceLayoutKHR = |call| {
            let image = Image::new(&*call.info.p_create_info)?;
            write_layout(&image, &(*call.info.p_subresource).image_subresource, call.layout.as_ptr());
            Some(())
        },
        CopyMemoryToImageEXT = |call| {
            let info = &call.copy_memory_to_image_info;
            for region in list(info.p_regions, info.region_count) {
                let shape = copy::region!(region, memory_row_length, memory_image_height);
                let host = region.p_host_pointer.cast_mut();
                copy::host(info.dst_image, &shape, host, copy::Direction::ToImage);
            }
            vk::Result::SUCCESS
        },
        CopyImageToMemoryEXT = |call| {
            let info = &call.copy_image_to_memory_info;
            for region in list(info.p_regions, info.region_count) {
                let shape = copy::region!(region, memory_row_length, memory_image_height);
                copy::host(info.src_image, &shape, region.p_host_pointer, copy::Direction::FromImage);
            }
            vk::Result::SUCCESS
        },
        CopyImageToImageEXT = |call| {
            let info = &call.copy_image_to_image_info;
            for region in list(info.p_regions, info.region_count) {
                copy::images(info.src_image, info.dst_image, region);
            }
            vk::Result::SUCCESS
        },
        // All images have one layout.
        TransitionImageLayoutEXT = |_| vk::Result::SUCCESS,
    }
};
