//! Private data (Vulkan 1.3, VK_EXT_private_data) of swapchains, whose handles mean nothing to the
//! driver. Slots, and the data of all other objects, are the driver's.

use crate::objects::{Entry, device_of};
use ash::vk::{self, Handle};

/// vkCreatePrivateDataSlot, and its EXT alias.
///
/// # Safety
/// The parameters meet the valid usage of the Vulkan command.
pub(super) unsafe extern "system" fn create_slot(
    handle: vk::Device,
    info: *const vk::PrivateDataSlotCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::PrivateDataSlot,
) -> vk::Result {
    // SAFETY: by this function's `# Safety` the device, `info` and `out` are valid, and the
    // callbacks are NULL or valid.
    unsafe {
        let driver = &device_of(handle.as_raw()).driver;
        let own = driver.create_private_data_slot.or(driver.create_private_data_slot_ext);
        own.map_or(vk::Result::ERROR_OUT_OF_HOST_MEMORY, |create| create(handle, info, callbacks, out))
    }
}

/// vkDestroyPrivateDataSlot, and its EXT alias.
///
/// # Safety
/// The parameters meet the valid usage of the Vulkan command.
pub(super) unsafe extern "system" fn destroy_slot(
    handle: vk::Device,
    slot: vk::PrivateDataSlot,
    callbacks: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: by this function's `# Safety` the device is valid, the slot is NULL or a valid handle
    // of it, and the callbacks are NULL or valid.
    unsafe {
        let device = device_of(handle.as_raw());
        device.private_data.forget_slot(device.instance.logger.loader.system, slot);
        let driver = &device.driver;
        if let Some(destroy) = driver.destroy_private_data_slot.or(driver.destroy_private_data_slot_ext) {
            destroy(handle, slot, callbacks);
        }
    }
}

/// vkSetPrivateData, and its EXT alias.
///
/// # Safety
/// The parameters meet the valid usage of the Vulkan command.
pub(super) unsafe extern "system" fn set(
    handle: vk::Device,
    kind: vk::ObjectType,
    object: u64,
    slot: vk::PrivateDataSlot,
    data: u64,
) -> vk::Result {
    // SAFETY: by this function's `# Safety` the device and the slot are valid, and the object is
    // one of the device.
    unsafe {
        let device = device_of(handle.as_raw());
        if kind == vk::ObjectType::SWAPCHAIN_KHR {
            let entry = Entry { object, slot, data };
            let set = device.private_data.set(device.instance.logger.loader.system, entry);
            return set.map_or(vk::Result::ERROR_OUT_OF_HOST_MEMORY, |()| vk::Result::SUCCESS);
        }
        let own = device.driver.set_private_data.or(device.driver.set_private_data_ext);
        own.map_or(vk::Result::SUCCESS, |set| set(handle, kind, object, slot, data))
    }
}

/// vkGetPrivateData, and its EXT alias.
///
/// # Safety
/// The parameters meet the valid usage of the Vulkan command.
pub(super) unsafe extern "system" fn get(
    handle: vk::Device,
    kind: vk::ObjectType,
    object: u64,
    slot: vk::PrivateDataSlot,
    out: *mut u64,
) {
    // SAFETY: by this function's `# Safety` the device, the object and the slot are valid, and
    // `out` is valid for a write.
    unsafe {
        let device = device_of(handle.as_raw());
        if kind == vk::ObjectType::SWAPCHAIN_KHR {
            out.write(device.private_data.get(device.instance.logger.loader.system, object, slot));
        } else if let Some(get) = device.driver.get_private_data.or(device.driver.get_private_data_ext) {
            get(handle, kind, object, slot, out);
        }
    }
}
