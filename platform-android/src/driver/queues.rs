//! Queues and command buffers, whose first word must lead to their device.

use ash::vk::{self, Handle};

use super::adopt::adopt;
use crate::objects::device_of;

/// vkGetDeviceQueue
///
/// # Safety
/// The parameters meet the valid usage of the Vulkan command.
pub unsafe extern "system" fn get_device_queue(
    handle: vk::Device,
    family: u32,
    index: u32,
    out: *mut vk::Queue,
) {
    // SAFETY: by this function's `# Safety` the device is valid and `out` valid for a write; the
    // driver has written a queue of the device there when it is read.
    unsafe {
        let device = device_of(handle.as_raw());
        if let Some(get) = device.driver.get_device_queue {
            get(handle, family, index, out);
            adopt(*out, device, &device.instance.logger);
        }
    }
}

/// vkGetDeviceQueue2, which returns NULL for a queue that was created with other flags.
///
/// # Safety
/// The parameters meet the valid usage of the Vulkan command.
pub unsafe extern "system" fn get_device_queue2(
    handle: vk::Device,
    info: *const vk::DeviceQueueInfo2<'_>,
    out: *mut vk::Queue,
) {
    // SAFETY: by this function's `# Safety` the device and `info` are valid and `out` valid for a
    // write; the driver has written NULL or a queue of the device there when it is read.
    unsafe {
        let device = device_of(handle.as_raw());
        if let Some(get) = device.driver.get_device_queue2 {
            get(handle, info, out);
            adopt(*out, device, &device.instance.logger);
        }
    }
}

/// vkAllocateCommandBuffers
///
/// # Safety
/// The parameters meet the valid usage of the Vulkan command.
pub unsafe extern "system" fn allocate_command_buffers(
    handle: vk::Device,
    info: *const vk::CommandBufferAllocateInfo<'_>,
    out: *mut vk::CommandBuffer,
) -> vk::Result {
    // SAFETY: by this function's `# Safety` the device and `info` are valid, and `out` holds as
    // many handles as `info` asks for; the driver has written them all if it returns success.
    unsafe {
        let device = device_of(handle.as_raw());
        let Some(allocate) = device.driver.allocate_command_buffers else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let result = allocate(handle, info, out);
        if result == vk::Result::SUCCESS {
            for index in 0..(*info).command_buffer_count as usize {
                adopt(*out.add(index), device, &device.instance.logger);
            }
        }
        result
    }
}
