//! Device, queue and command-buffer commands.

use std::ffi::c_int;

use ash::vk::{self, Handle};
use platform_android::native_buffer as native;

use super::{Row, get_device_proc_addr, make, noted, row};
use crate::hal::installed::current;

pub(super) const COMMANDS: &[Row] = &[
    row!(c"vkGetDeviceProcAddr": vk::PFN_vkGetDeviceProcAddr = get_device_proc_addr),
    row!(c"vkDestroyDevice": vk::PFN_vkDestroyDevice = destroy_device),
    row!(c"vkGetDeviceQueue": vk::PFN_vkGetDeviceQueue = get_device_queue),
    row!(c"vkGetDeviceQueue2": vk::PFN_vkGetDeviceQueue2 = get_device_queue2),
    row!(c"vkAllocateCommandBuffers": vk::PFN_vkAllocateCommandBuffers = allocate_command_buffers),
    noted!(c"vkQueueSubmit": vk::PFN_vkQueueSubmit =
        (vk::Queue, u32, *const vk::SubmitInfo<'_>, vk::Fence) -> Result),
    noted!(c"vkDeviceWaitIdle": vk::PFN_vkDeviceWaitIdle = (vk::Device) -> Result),
    noted!(c"vkCmdDraw": vk::PFN_vkCmdDraw = (vk::CommandBuffer, u32, u32, u32, u32)),
    row!(c"vkCreateImage": vk::PFN_vkCreateImage = create_image),
    noted!(c"vkDestroyImage": vk::PFN_vkDestroyImage =
        (vk::Device, vk::Image, *const vk::AllocationCallbacks<'_>)),
    noted!(c"vkBindImageMemory2": vk::PFN_vkBindImageMemory2 =
        (vk::Device, u32, *const vk::BindImageMemoryInfo<'_>) -> Result),
    noted!(c"vkBindImageMemory2KHR": vk::PFN_vkBindImageMemory2 =
        (vk::Device, u32, *const vk::BindImageMemoryInfo<'_>) -> Result),
    noted!(c"vkSetHdrMetadataEXT": vk::PFN_vkSetHdrMetadataEXT =
        (vk::Device, u32, *const vk::SwapchainKHR, *const vk::HdrMetadataEXT<'_>)),
    noted!(c"vkImportFenceFdKHR": vk::PFN_vkImportFenceFdKHR =
        (vk::Device, *const vk::ImportFenceFdInfoKHR<'_>) -> Result),
    row!(c"vkCreatePrivateDataSlot": vk::PFN_vkCreatePrivateDataSlot = create_private_data_slot),
    noted!(c"vkDestroyPrivateDataSlot": vk::PFN_vkDestroyPrivateDataSlot =
        (vk::Device, vk::PrivateDataSlot, *const vk::AllocationCallbacks<'_>)),
    noted!(c"vkSetPrivateData": vk::PFN_vkSetPrivateData =
        (vk::Device, vk::ObjectType, u64, vk::PrivateDataSlot, u64) -> Result),
    noted!(c"vkGetPrivateData": vk::PFN_vkGetPrivateData =
        (vk::Device, vk::ObjectType, u64, vk::PrivateDataSlot, *mut u64)),
    noted!(c"vkGetSwapchainGrallocUsageANDROID": vk::PFN_vkGetSwapchainGrallocUsageANDROID =
        (vk::Device, vk::Format, vk::ImageUsageFlags, *mut c_int) -> Result),
    noted!(c"vkGetSwapchainGrallocUsage2ANDROID": vk::PFN_vkGetSwapchainGrallocUsage2ANDROID =
        (vk::Device, vk::Format, vk::ImageUsageFlags, vk::SwapchainImageUsageFlagsANDROID, *mut u64, *mut u64) -> Result),
    noted!(c"vkGetSwapchainGrallocUsage3ANDROID": native::types::PFN_vkGetSwapchainGrallocUsage3ANDROID =
        (vk::Device, *const native::GrallocUsageInfo, *mut u64) -> Result),
    noted!(c"vkGetSwapchainGrallocUsage4ANDROID": native::types::PFN_vkGetSwapchainGrallocUsage4ANDROID =
        (vk::Device, *const native::GrallocUsageInfo2, *mut u64) -> Result),
    noted!(c"vkAcquireImageANDROID": vk::PFN_vkAcquireImageANDROID =
        (vk::Device, vk::Image, c_int, vk::Semaphore, vk::Fence) -> Result),
    noted!(c"vkQueueSignalReleaseImageANDROID": vk::PFN_vkQueueSignalReleaseImageANDROID =
        (vk::Queue, u32, *const vk::Semaphore, vk::Image, *mut c_int) -> Result),
];

unsafe extern "system" fn destroy_device(device: vk::Device, _: *const vk::AllocationCallbacks<'_>) {
    current().record(c"vkDestroyDevice");
    current().objects().destroy(device.as_raw());
}

unsafe extern "system" fn get_device_queue(device: vk::Device, family: u32, index: u32, out: *mut vk::Queue) {
    current().record(c"vkGetDeviceQueue");
    // SAFETY: memory for the result.
    unsafe { out.write(queue(device, family, index)) };
}

unsafe extern "system" fn get_device_queue2(
    device: vk::Device,
    info: *const vk::DeviceQueueInfo2<'_>,
    out: *mut vk::Queue,
) {
    current().record(c"vkGetDeviceQueue2");
    let none = current().hal().no_queue;
    // SAFETY: the parameters of the command.
    unsafe {
        let info = &*info;
        out.write(if none {
            vk::Queue::null()
        } else {
            queue(device, info.queue_family_index, info.queue_index)
        });
    }
}

fn queue(device: vk::Device, family: u32, index: u32) -> vk::Queue {
    make(device.as_raw(), (family * 16 + index) as usize)
}

unsafe extern "system" fn allocate_command_buffers(
    device: vk::Device,
    info: *const vk::CommandBufferAllocateInfo<'_>,
    out: *mut vk::CommandBuffer,
) -> vk::Result {
    let result = current().answer(c"vkAllocateCommandBuffers");
    if result != vk::Result::SUCCESS {
        // The specification requires NULL there, which not every driver writes.
        return result;
    }
    // SAFETY: the parameters of the command.
    unsafe {
        for index in 0..(*info).command_buffer_count as usize {
            let number = current().objects().alive(vk::ObjectType::COMMAND_BUFFER);
            out.add(index).write(make(device.as_raw(), number));
        }
    }
    result
}

unsafe extern "system" fn create_image(
    _: vk::Device,
    _: *const vk::ImageCreateInfo<'_>,
    _: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Image,
) -> vk::Result {
    // SAFETY: memory for the result.
    unsafe { out.write(vk::Image::from_raw(1)) };
    current().answer(c"vkCreateImage")
}

unsafe extern "system" fn create_private_data_slot(
    _: vk::Device,
    _: *const vk::PrivateDataSlotCreateInfo<'_>,
    _: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::PrivateDataSlot,
) -> vk::Result {
    // SAFETY: memory for the result.
    unsafe { out.write(vk::PrivateDataSlot::from_raw(7)) };
    current().answer(c"vkCreatePrivateDataSlot")
}
