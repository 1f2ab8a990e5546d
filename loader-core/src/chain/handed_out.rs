//! The commands that hand out queues and command buffers, which are given the word of their device.

use core::ffi::c_void;

use ash::vk::{self, Handle as _};

use crate::dispatch::Table as _;
use crate::objects::known_device;
use crate::registry::command;

type Callbacks = vk::AllocationCallbacks<'static>;

/// vkGetDeviceQueue as the application calls it: the queue is given the device's table.
///
/// # Safety
/// The parameters are valid for the Vulkan command.
pub unsafe extern "system" fn get_device_queue(
    handle: vk::Device,
    family: u32,
    index: u32,
    out: *mut vk::Queue,
) {
    // SAFETY: by this function's `# Safety` the parameters are valid for vkGetDeviceQueue: a live device, and
    // `out` writable.
    unsafe {
        let Some(device) = known_device(handle.as_raw(), command::GET_DEVICE_QUEUE) else { return };
        if let Some(get) = device.table.get::<vk::PFN_vkGetDeviceQueue>(command::GET_DEVICE_QUEUE) {
            get(handle, family, index, out);
            device.adopt((*out).as_raw());
        }
    }
}

/// # Safety
/// The parameters are valid for the Vulkan command.
pub unsafe extern "system" fn get_device_queue2(
    handle: vk::Device,
    info: *const vk::DeviceQueueInfo2<'_>,
    out: *mut vk::Queue,
) {
    // SAFETY: by this function's `# Safety` the parameters are valid for vkGetDeviceQueue2: a live device, a
    // valid info, and `out` writable.
    unsafe {
        let Some(device) = known_device(handle.as_raw(), command::GET_DEVICE_QUEUE_2) else { return };
        if let Some(get) = device.table.get::<vk::PFN_vkGetDeviceQueue2>(command::GET_DEVICE_QUEUE_2) {
            get(handle, info, out);
            device.adopt((*out).as_raw());
        }
    }
}

/// vkAllocateCommandBuffers as the application calls it: the command buffers are given the device's table.
///
/// # Safety
/// The parameters are valid for the Vulkan command.
pub unsafe extern "system" fn allocate_command_buffers(
    handle: vk::Device,
    info: *const vk::CommandBufferAllocateInfo<'_>,
    out: *mut vk::CommandBuffer,
) -> vk::Result {
    // SAFETY: by this function's `# Safety` the parameters are valid for vkAllocateCommandBuffers: `out`
    // holds the info's count of handles.
    unsafe {
        let Some(device) = known_device(handle.as_raw(), command::ALLOCATE_COMMAND_BUFFERS) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let Some(allocate) =
            device.table.get::<vk::PFN_vkAllocateCommandBuffers>(command::ALLOCATE_COMMAND_BUFFERS)
        else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let result = allocate(handle, info, out);
        if result == vk::Result::SUCCESS {
            for index in 0..(*info).command_buffer_count as usize {
                device.adopt((*out.add(index)).as_raw());
            }
        }
        result
    }
}

/// vkCreateExternalComputeQueueNV as the application calls it: the queue is given the device's table.
///
/// # Safety
/// The parameters are valid for the Vulkan command.
pub unsafe extern "system" fn create_external_compute_queue(
    handle: vk::Device,
    info: *const c_void,
    callbacks: *const Callbacks,
    out: *mut u64,
) -> vk::Result {
    type Create =
        unsafe extern "system" fn(vk::Device, *const c_void, *const Callbacks, *mut usize) -> vk::Result;
    // SAFETY: by this function's `# Safety` the parameters are valid for vkCreateExternalComputeQueueNV; the
    // handle that it writes is a pointer.
    unsafe {
        let Some(device) = known_device(handle.as_raw(), command::CREATE_EXTERNAL_COMPUTE_QUEUE_NV) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let Some(create) = device.table.get::<Create>(command::CREATE_EXTERNAL_COMPUTE_QUEUE_NV) else {
            return vk::Result::ERROR_EXTENSION_NOT_PRESENT;
        };
        let out = out.cast::<usize>();
        let result = create(handle, info, callbacks, out);
        if result == vk::Result::SUCCESS {
            device.adopt(*out as u64);
        }
        result
    }
}
