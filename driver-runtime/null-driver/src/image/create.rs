//! The commands of images: creation, memory, layout, and copies by the host.

use core::ffi::c_void;

use vkload_core::abi::chain;
use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::headless::Swapchain;
use vkload_driver_runtime::{Object, entry_points, vk};

use super::copy;
use super::layout::Image;
use crate::Null;
use crate::device::list;
use crate::resource::{address, report_binding, write_requirements};

/// `VK_STRUCTURE_TYPE_NATIVE_BUFFER_ANDROID`
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

unsafe extern "system" fn create_image(
    device: vk::Device,
    info: *const vk::ImageCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Image,
) -> vk::Result {
    // SAFETY: the caller passes a live handle and valid pointers.
    unsafe {
        match Image::new(&*info) {
            Some(image) if !is_native_buffer((*info).p_next) || image.bind_to_own() => {
                Object::create_command(device, callbacks, out, image)
            }
            _ => vk::Result::ERROR_OUT_OF_DEVICE_MEMORY,
        }
    }
}

unsafe extern "system" fn destroy_image(
    _: vk::Device,
    image: vk::Image,
    callbacks: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: the caller passes a live or null handle.
    unsafe { Object::<Image>::destroy(image, callbacks) };
}

unsafe extern "system" fn get_image_memory_requirements_2(
    _: vk::Device,
    info: *const vk::ImageMemoryRequirementsInfo2<'_>,
    out: *mut vk::MemoryRequirements2<'_>,
) {
    // SAFETY: the caller passes a live handle and valid pointers.
    unsafe {
        let plane = chain::find::<vk::ImagePlaneMemoryRequirementsInfo<'_>>((*info).p_next);
        if let Some(image) = Object::<Image>::from_handle((*info).image) {
            write_requirements(image.size(plane.map_or(WHOLE, |plane| plane.plane_aspect)), out);
        }
    }
}

unsafe extern "system" fn get_device_image_memory_requirements(
    _: vk::Device,
    info: *const vk::DeviceImageMemoryRequirements<'_>,
    out: *mut vk::MemoryRequirements2<'_>,
) {
    // SAFETY: the caller passes valid pointers.
    unsafe {
        if let Some(image) = Image::new(&*(*info).p_create_info) {
            write_requirements(image.size((*info).plane_aspect), out);
        }
    }
}

/// Reports no requirements: no image is sparse.
unsafe extern "system" fn get_image_sparse_memory_requirements_2(
    _: vk::Device,
    _: *const vk::ImageSparseMemoryRequirementsInfo2<'_>,
    count: *mut u32,
    _: *mut vk::SparseImageMemoryRequirements2<'_>,
) {
    // SAFETY: the caller passes a valid pointer.
    unsafe { count.write(0) };
}

unsafe extern "system" fn get_device_image_sparse_memory_requirements(
    _: vk::Device,
    _: *const vk::DeviceImageMemoryRequirements<'_>,
    count: *mut u32,
    _: *mut vk::SparseImageMemoryRequirements2<'_>,
) {
    // SAFETY: the caller passes a valid pointer.
    unsafe { count.write(0) };
}

unsafe extern "system" fn bind_image_memory_2(
    _: vk::Device,
    count: u32,
    infos: *const vk::BindImageMemoryInfo<'_>,
) -> vk::Result {
    let mut last = vk::Result::SUCCESS;
    // SAFETY: the caller passes a counted array of live handles.
    unsafe {
        for info in list(infos, count) {
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

unsafe extern "system" fn get_image_subresource_layout_2(
    _: vk::Device,
    image: vk::Image,
    subresource: *const vk::ImageSubresource2KHR<'_>,
    out: *mut vk::SubresourceLayout2KHR<'_>,
) {
    // SAFETY: the caller passes a live handle and valid pointers.
    unsafe {
        if let Some(image) = Object::<Image>::from_handle(image) {
            write_layout(image, &(*subresource).image_subresource, out);
        }
    }
}

unsafe extern "system" fn get_device_image_subresource_layout(
    _: vk::Device,
    info: *const vk::DeviceImageSubresourceInfoKHR<'_>,
    out: *mut vk::SubresourceLayout2KHR<'_>,
) {
    // SAFETY: the caller passes valid pointers.
    unsafe {
        if let Some(image) = Image::new(&*(*info).p_create_info) {
            write_layout(&image, &(*(*info).p_subresource).image_subresource, out);
        }
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

unsafe extern "system" fn copy_memory_to_image(
    _: vk::Device,
    info: *const vk::CopyMemoryToImageInfoEXT<'_>,
) -> vk::Result {
    // SAFETY: the caller passes live handles, and memory that is as large as the regions say.
    unsafe {
        let info = &*info;
        for region in list(info.p_regions, info.region_count) {
            let host = region.p_host_pointer.cast_mut().cast::<c_void>();
            copy::host(info.dst_image, &copy::host_region!(region), host, copy::Direction::ToImage);
        }
    }
    vk::Result::SUCCESS
}

unsafe extern "system" fn copy_image_to_memory(
    _: vk::Device,
    info: *const vk::CopyImageToMemoryInfoEXT<'_>,
) -> vk::Result {
    // SAFETY: the caller passes live handles, and memory that is as large as the regions say.
    unsafe {
        let info = &*info;
        for region in list(info.p_regions, info.region_count) {
            let (shape, host) = (copy::host_region!(region), region.p_host_pointer);
            copy::host(info.src_image, &shape, host, copy::Direction::FromImage);
        }
    }
    vk::Result::SUCCESS
}

unsafe extern "system" fn copy_image_to_image(
    _: vk::Device,
    info: *const vk::CopyImageToImageInfoEXT<'_>,
) -> vk::Result {
    // SAFETY: the caller passes live handles and a counted array.
    unsafe {
        let info = &*info;
        for region in list(info.p_regions, info.region_count) {
            copy::images(info.src_image, info.dst_image, region);
        }
    }
    vk::Result::SUCCESS
}

/// Does nothing: all images have one layout.
unsafe extern "system" fn transition_image_layout(
    _: vk::Device,
    _: u32,
    _: *const vk::HostImageLayoutTransitionInfoEXT<'_>,
) -> vk::Result {
    vk::Result::SUCCESS
}

/// The commands of images.
// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const COMMANDS: EntryPoints<Null> = unsafe {
    entry_points! {
        CREATE_IMAGE: PFN_vkCreateImage = create_image,
        DESTROY_IMAGE: PFN_vkDestroyImage = destroy_image,
        GET_IMAGE_MEMORY_REQUIREMENTS_2: PFN_vkGetImageMemoryRequirements2 = get_image_memory_requirements_2,
        GET_DEVICE_IMAGE_MEMORY_REQUIREMENTS: PFN_vkGetDeviceImageMemoryRequirements
            = get_device_image_memory_requirements,
        GET_IMAGE_SPARSE_MEMORY_REQUIREMENTS_2: PFN_vkGetImageSparseMemoryRequirements2
            = get_image_sparse_memory_requirements_2,
        GET_DEVICE_IMAGE_SPARSE_MEMORY_REQUIREMENTS: PFN_vkGetDeviceImageSparseMemoryRequirements
            = get_device_image_sparse_memory_requirements,
        BIND_IMAGE_MEMORY_2: PFN_vkBindImageMemory2 = bind_image_memory_2,
        GET_IMAGE_SUBRESOURCE_LAYOUT_2_KHR: PFN_vkGetImageSubresourceLayout2KHR = get_image_subresource_layout_2,
        GET_DEVICE_IMAGE_SUBRESOURCE_LAYOUT_KHR: PFN_vkGetDeviceImageSubresourceLayoutKHR
            = get_device_image_subresource_layout,
        COPY_MEMORY_TO_IMAGE_EXT: PFN_vkCopyMemoryToImageEXT = copy_memory_to_image,
        COPY_IMAGE_TO_MEMORY_EXT: PFN_vkCopyImageToMemoryEXT = copy_image_to_memory,
        COPY_IMAGE_TO_IMAGE_EXT: PFN_vkCopyImageToImageEXT = copy_image_to_image,
        TRANSITION_IMAGE_LAYOUT_EXT: PFN_vkTransitionImageLayoutEXT = transition_image_layout,
    }
};
