//! Memory of buffers and images, and queues, by the forms that take structures.

use core::ffi::c_void;

use ash::vk;
use vkload_core::memory::{TryGrow, Vec};

use super::calls::{call, memory_of};
use crate::dispatch::{Forward, forwards};

/// # Safety
/// As specified for the command.
unsafe extern "system" fn bind_buffer(
    device: vk::Device,
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    offset: vk::DeviceSize,
) -> vk::Result {
    let info = vk::BindBufferMemoryInfo::default().buffer(buffer).memory(memory).memory_offset(offset);
    // SAFETY: the caller vouches for the handles; the function's requirements are met.
    unsafe { call!(device, BIND_BUFFER_MEMORY_2: PFN_vkBindBufferMemory2(1, &info)) }
        .unwrap_or(vk::Result::ERROR_UNKNOWN)
}

/// # Safety
/// As specified for the command.
unsafe extern "system" fn bind_image(
    device: vk::Device,
    image: vk::Image,
    memory: vk::DeviceMemory,
    offset: vk::DeviceSize,
) -> vk::Result {
    let info = vk::BindImageMemoryInfo::default().image(image).memory(memory).memory_offset(offset);
    // SAFETY: the caller vouches for the handles; the function's requirements are met.
    unsafe { call!(device, BIND_IMAGE_MEMORY_2: PFN_vkBindImageMemory2(1, &info)) }
        .unwrap_or(vk::Result::ERROR_UNKNOWN)
}

/// # Safety
/// As specified for the command.
unsafe extern "system" fn buffer_requirements(
    device: vk::Device,
    buffer: vk::Buffer,
    out: *mut vk::MemoryRequirements,
) {
    let info = vk::BufferMemoryRequirementsInfo2::default().buffer(buffer);
    let mut chained = vk::MemoryRequirements2::default();
    // SAFETY: the caller vouches for handles and pointer; the function's requirements are met.
    unsafe {
        call!(device, GET_BUFFER_MEMORY_REQUIREMENTS_2: PFN_vkGetBufferMemoryRequirements2(&info, &mut chained));
        out.write(chained.memory_requirements);
    }
}

/// # Safety
/// As specified for the command.
unsafe extern "system" fn image_requirements(
    device: vk::Device,
    image: vk::Image,
    out: *mut vk::MemoryRequirements,
) {
    let info = vk::ImageMemoryRequirementsInfo2::default().image(image);
    let mut chained = vk::MemoryRequirements2::default();
    // SAFETY: the caller vouches for handles and pointer; the function's requirements are met.
    unsafe {
        call!(device, GET_IMAGE_MEMORY_REQUIREMENTS_2: PFN_vkGetImageMemoryRequirements2(&info, &mut chained));
        out.write(chained.memory_requirements);
    }
}

/// Returns an empty list if memory for as many structures as the application's array has runs out: the command has no
/// result to report it.
///
/// # Safety
/// As specified for the command.
unsafe extern "system" fn sparse_requirements(
    device: vk::Device,
    image: vk::Image,
    count: *mut u32,
    out: *mut vk::SparseImageMemoryRequirements,
) {
    let info = vk::ImageSparseMemoryRequirementsInfo2::default().image(image);
    // SAFETY: the caller vouches for handles and counted out-array; as many elements are written as the function counts, at
    // most all.
    unsafe {
        let mut chained = Vec::new_in(memory_of(device));
        let room = if out.is_null() { 0 } else { count.read() as usize };
        if chained.try_resize(room, vk::SparseImageMemoryRequirements2::default()).is_err() {
            return count.write(0);
        }
        let first = if out.is_null() { core::ptr::null_mut() } else { chained.as_mut_ptr() };
        call!(
            device,
            GET_IMAGE_SPARSE_MEMORY_REQUIREMENTS_2:
                PFN_vkGetImageSparseMemoryRequirements2(&info, count, first)
        );
        for (index, one) in chained.iter().take(count.read() as usize).enumerate() {
            out.add(index).write(one.memory_requirements);
        }
    }
}

/// # Safety
/// As specified for the command.
unsafe extern "system" fn map(
    device: vk::Device,
    memory: vk::DeviceMemory,
    offset: vk::DeviceSize,
    size: vk::DeviceSize,
    flags: vk::MemoryMapFlags,
    out: *mut *mut c_void,
) -> vk::Result {
    let info = vk::MemoryMapInfoKHR { flags, memory, offset, size, ..Default::default() };
    // SAFETY: the caller vouches for handles and pointer; the function's requirements are met.
    unsafe { call!(device, MAP_MEMORY_2_KHR: PFN_vkMapMemory2KHR(&info, out)) }
        .unwrap_or(vk::Result::ERROR_UNKNOWN)
}

/// Unmaps memory. The second form fails only if memory is to be unmapped but stay reserved.
///
/// # Safety
/// As specified for the command.
unsafe extern "system" fn unmap(device: vk::Device, memory: vk::DeviceMemory) {
    let info = vk::MemoryUnmapInfoKHR::default().memory(memory);
    // SAFETY: the caller vouches for the handles; the function's requirements are met.
    let _ = unsafe { call!(device, UNMAP_MEMORY_2_KHR: PFN_vkUnmapMemory2KHR(&info)) };
}

/// # Safety
/// As specified for the command.
unsafe extern "system" fn subresource_layout(
    device: vk::Device,
    image: vk::Image,
    subresource: *const vk::ImageSubresource,
    out: *mut vk::SubresourceLayout,
) {
    let mut chained = vk::SubresourceLayout2KHR::default();
    // SAFETY: the caller vouches for handles and pointers; the function's requirements are met.
    unsafe {
        let subresource = vk::ImageSubresource2KHR::default().image_subresource(*subresource);
        call!(
            device,
            GET_IMAGE_SUBRESOURCE_LAYOUT_2_KHR:
                PFN_vkGetImageSubresourceLayout2KHR(image, &subresource, &mut chained)
        );
        out.write(chained.subresource_layout);
    }
}

/// # Safety
/// As specified for the command.
unsafe extern "system" fn get_queue(device: vk::Device, family: u32, index: u32, out: *mut vk::Queue) {
    let info = vk::DeviceQueueInfo2::default().queue_family_index(family).queue_index(index);
    // SAFETY: the caller vouches for handle and pointer; the function's requirements are met.
    unsafe { call!(device, GET_DEVICE_QUEUE_2: PFN_vkGetDeviceQueue2(&info, out)) };
}

/// Acquires an image on a device with one physical device: only there can the first form be used without naming the
/// device.
///
/// # Safety
/// As specified for the command.
unsafe extern "system" fn acquire_next_image(
    device: vk::Device,
    swapchain: vk::SwapchainKHR,
    timeout: u64,
    semaphore: vk::Semaphore,
    fence: vk::Fence,
    index: *mut u32,
) -> vk::Result {
    let info = vk::AcquireNextImageInfoKHR {
        swapchain,
        timeout,
        semaphore,
        fence,
        device_mask: 1,
        ..Default::default()
    };
    // SAFETY: the caller vouches for handles and pointer; the function's requirements are met.
    unsafe { call!(device, ACQUIRE_NEXT_IMAGE_2_KHR: PFN_vkAcquireNextImage2KHR(&info, index)) }
        .unwrap_or(vk::Result::ERROR_UNKNOWN)
}

pub(super) const FORWARDS: &[Forward] = forwards! {
    BIND_BUFFER_MEMORY: PFN_vkBindBufferMemory = bind_buffer => BIND_BUFFER_MEMORY_2;
    BIND_IMAGE_MEMORY: PFN_vkBindImageMemory = bind_image => BIND_IMAGE_MEMORY_2;
    GET_BUFFER_MEMORY_REQUIREMENTS: PFN_vkGetBufferMemoryRequirements = buffer_requirements
        => GET_BUFFER_MEMORY_REQUIREMENTS_2;
    GET_IMAGE_MEMORY_REQUIREMENTS: PFN_vkGetImageMemoryRequirements = image_requirements
        => GET_IMAGE_MEMORY_REQUIREMENTS_2;
    GET_IMAGE_SPARSE_MEMORY_REQUIREMENTS: PFN_vkGetImageSparseMemoryRequirements = sparse_requirements
        => GET_IMAGE_SPARSE_MEMORY_REQUIREMENTS_2;
    MAP_MEMORY: PFN_vkMapMemory = map => MAP_MEMORY_2;
    UNMAP_MEMORY: PFN_vkUnmapMemory = unmap => UNMAP_MEMORY_2;
    GET_IMAGE_SUBRESOURCE_LAYOUT: PFN_vkGetImageSubresourceLayout = subresource_layout
        => GET_IMAGE_SUBRESOURCE_LAYOUT_2;
    GET_DEVICE_QUEUE: PFN_vkGetDeviceQueue = get_queue => GET_DEVICE_QUEUE_2;
    ACQUIRE_NEXT_IMAGE_KHR: PFN_vkAcquireNextImageKHR = acquire_next_image => ACQUIRE_NEXT_IMAGE_2_KHR;
};
