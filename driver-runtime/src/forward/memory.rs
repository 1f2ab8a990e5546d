//! Memory of buffers and images, and queues, by the forms that take structures.

use core::slice;

use ash::vk;
use vkload_core::registry::parameter::Out;

use super::calls::{call, copy_array, memory_of};
use crate::calls;
use crate::dispatch::{Forward, forwards};

/// Commands for buffers and the same ones for images.
macro_rules! by_resource {
    ($($bind:ident($first:ident => $second:ident, $info:ident) $requirements:ident($query:ident => $query_2:ident, $query_info:ident)
        $resource:ident;)*) => {$(
        fn $bind(call: &calls::$first<'_>) -> vk::Result {
            let info = vk::$info {
                $resource: call.$resource,
                memory: call.memory,
                memory_offset: call.memory_offset,
                ..Default::default()
            };
            // SAFETY: the second form has the same handles.
            unsafe { call!(call.device, $second(1u32, slice::from_ref(&info))) }.unwrap_or(vk::Result::ERROR_UNKNOWN)
        }

        fn $requirements(call: &calls::$query<'_>) {
            let info = vk::$query_info::default().$resource(call.$resource);
            let mut out = vk::MemoryRequirements2::default();
            // SAFETY: the second form has the same handles.
            unsafe { call!(call.device, $query_2(&info, Out::new(&mut out))) };
            call.memory_requirements.write(out.memory_requirements);
        }
    )*};
}

by_resource! {
    bind_buffer(BindBufferMemory => BindBufferMemory2, BindBufferMemoryInfo)
        buffer_requirements(GetBufferMemoryRequirements => GetBufferMemoryRequirements2, BufferMemoryRequirementsInfo2) buffer;
    bind_image(BindImageMemory => BindImageMemory2, BindImageMemoryInfo)
        image_requirements(GetImageMemoryRequirements => GetImageMemoryRequirements2, ImageMemoryRequirementsInfo2) image;
}

fn sparse_requirements(call: &calls::GetImageSparseMemoryRequirements<'_>) {
    let info = vk::ImageSparseMemoryRequirementsInfo2::default().image(call.image);
    let (count, out) = (call.sparse_memory_requirement_count.as_ptr(), call.sparse_memory_requirements);
    // SAFETY: the call obeys the specification, and the second form has the same handles.
    unsafe {
        copy_array::<vk::SparseImageMemoryRequirements2<'_>, _>(
            count,
            out,
            memory_of(call.device),
            |count, out| call!(call.device, GetImageSparseMemoryRequirements2(&info, Out::new(count), out)),
            |chained| chained.memory_requirements,
        );
    }
}

fn map(call: &calls::MapMemory<'_>) -> vk::Result {
    let (flags, memory, offset, size) = (call.flags, call.memory, call.offset, call.size);
    let info = vk::MemoryMapInfoKHR { flags, memory, offset, size, ..Default::default() };
    // SAFETY: the second form has the same handles.
    unsafe { call!(call.device, MapMemory2KHR(&info, call.data)) }.unwrap_or(vk::Result::ERROR_UNKNOWN)
}

/// Unmaps memory. The second form fails only if memory is to be unmapped but stay reserved.
fn unmap(call: &calls::UnmapMemory<'_>) {
    let info = vk::MemoryUnmapInfoKHR::default().memory(call.memory);
    // SAFETY: the second form has the same handles.
    let _ = unsafe { call!(call.device, UnmapMemory2KHR(&info)) };
}

fn subresource_layout(call: &calls::GetImageSubresourceLayout<'_>) {
    let subresource = vk::ImageSubresource2KHR::default().image_subresource(*call.subresource);
    let mut out = vk::SubresourceLayout2KHR::default();
    // SAFETY: the second form has the same handles.
    unsafe {
        call!(call.device, GetImageSubresourceLayout2KHR(call.image, &subresource, Out::new(&mut out)))
    };
    call.layout.write(out.subresource_layout);
}

fn get_queue(call: &calls::GetDeviceQueue<'_>) {
    let info = vk::DeviceQueueInfo2::default()
        .queue_family_index(call.queue_family_index)
        .queue_index(call.queue_index);
    // SAFETY: the second form has the same handles.
    unsafe { call!(call.device, GetDeviceQueue2(&info, call.queue)) };
}

/// Acquires an image on a device with one physical device: only there can the first form be used without naming the
/// device.
fn acquire_next_image(call: &calls::AcquireNextImageKHR<'_>) -> vk::Result {
    let info = vk::AcquireNextImageInfoKHR {
        swapchain: call.swapchain,
        timeout: call.timeout,
        semaphore: call.semaphore,
        fence: call.fence,
        device_mask: 1,
        ..Default::default()
    };
    // SAFETY: the second form has the same handles.
    unsafe { call!(call.device, AcquireNextImage2KHR(&info, call.image_index)) }
        .unwrap_or(vk::Result::ERROR_UNKNOWN)
}

pub(super) const FORWARDS: &[Forward] = forwards! {
    BindBufferMemory = bind_buffer => BIND_BUFFER_MEMORY_2;
    BindImageMemory = bind_image => BIND_IMAGE_MEMORY_2;
    GetBufferMemoryRequirements = buffer_requirements => GET_BUFFER_MEMORY_REQUIREMENTS_2;
    GetImageMemoryRequirements = image_requirements => GET_IMAGE_MEMORY_REQUIREMENTS_2;
    GetImageSparseMemoryRequirements = sparse_requirements => GET_IMAGE_SPARSE_MEMORY_REQUIREMENTS_2;
    MapMemory = map => MAP_MEMORY_2;
    UnmapMemory = unmap => UNMAP_MEMORY_2;
    GetImageSubresourceLayout = subresource_layout => GET_IMAGE_SUBRESOURCE_LAYOUT_2;
    GetDeviceQueue = get_queue => GET_DEVICE_QUEUE_2;
    AcquireNextImageKHR = acquire_next_image => ACQUIRE_NEXT_IMAGE_2_KHR;
};
