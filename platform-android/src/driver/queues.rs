//! Queues and command buffers, whose first word must lead to their device.

use ash::vk::{self, Handle};
use vkload_core::registry::calls::{AllocateCommandBuffers, GetDeviceQueue, GetDeviceQueue2};

use super::adopt::adopt;
use crate::objects::device_of;

pub(super) fn get_device_queue(call: &GetDeviceQueue<'_>) {
    let out = call.queue.as_ptr();
    // SAFETY: by valid usage of the command the device is valid; the driver has written a queue of the
    // device when it is read.
    unsafe {
        let device = device_of(call.device.as_raw());
        if let Some(get) = device.driver.get_device_queue {
            get(call.device, call.queue_family_index, call.queue_index, out);
            adopt(*out, device, &device.instance.logger);
        }
    }
}

pub(super) fn get_device_queue2(call: &GetDeviceQueue2<'_>) {
    let out = call.queue.as_ptr();
    // SAFETY: by valid usage of the command the device is valid; the driver has written a queue of the
    // device, or NULL if the queue was created with other flags, when it is read.
    unsafe {
        let device = device_of(call.device.as_raw());
        if let Some(get) = device.driver.get_device_queue2 {
            get(call.device, call.queue_info.as_ptr(), out);
            adopt(*out, device, &device.instance.logger);
        }
    }
}

pub(super) fn allocate_command_buffers(call: &AllocateCommandBuffers<'_>) -> vk::Result {
    let (info, out) = (&*call.allocate_info, call.command_buffers);
    // SAFETY: by valid usage of the command the device is valid, and `out` holds as many handles as `info`
    // asks for; the driver has written them all if it returns success.
    unsafe {
        let device = device_of(call.device.as_raw());
        let Some(allocate) = device.driver.allocate_command_buffers else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let result = allocate(call.device, info, out);
        if result == vk::Result::SUCCESS {
            for index in 0..info.command_buffer_count as usize {
                adopt(*out.add(index), device, &device.instance.logger);
            }
        }
        result
    }
}
