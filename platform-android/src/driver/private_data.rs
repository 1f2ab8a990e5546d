//! Private data (Vulkan 1.3, VK_EXT_private_data) of swapchains, which the loader keeps since their
//! handles mean nothing to the driver. Slots, and the data of all other objects, are the driver's.

use ash::vk::{self, Handle};
use vkload_core::registry::calls::{
    CreatePrivateDataSlot, DestroyPrivateDataSlot, GetPrivateData, SetPrivateData,
};

use crate::objects::{Entry, device_of};

pub(super) fn create_slot(call: &CreatePrivateDataSlot<'_>) -> vk::Result {
    let (info, callbacks) = (call.create_info.as_ptr(), call.allocator.as_ptr());
    // SAFETY: by valid usage of the command the device is valid; the driver gets the parameters unchanged.
    unsafe {
        let driver = &device_of(call.device.as_raw()).driver;
        let own = driver.create_private_data_slot.or(driver.create_private_data_slot_ext);
        own.map_or(vk::Result::ERROR_OUT_OF_HOST_MEMORY, |create| {
            create(call.device, info, callbacks, call.private_data_slot.as_ptr())
        })
    }
}

pub(super) fn destroy_slot(call: &DestroyPrivateDataSlot<'_>) {
    // SAFETY: by valid usage of the command the device is valid; the driver gets the parameters unchanged.
    unsafe {
        let device = device_of(call.device.as_raw());
        // Comes first, since the driver may give the handle of a destroyed slot to a new one at once.
        device.private_data.forget_slot(device.instance.logger.loader.system, call.private_data_slot);
        let driver = &device.driver;
        if let Some(destroy) = driver.destroy_private_data_slot.or(driver.destroy_private_data_slot_ext) {
            destroy(call.device, call.private_data_slot, call.allocator.as_ptr());
        }
    }
}

pub(super) fn set(call: &SetPrivateData<'_>) -> vk::Result {
    let (kind, object, slot, data) =
        (call.object_type, call.object_handle, call.private_data_slot, call.data);
    // SAFETY: by valid usage of the command the device and the slot are valid, and the object is one of
    // the device.
    unsafe {
        let device = device_of(call.device.as_raw());
        if kind == vk::ObjectType::SWAPCHAIN_KHR {
            let entry = Entry { object, slot, data };
            let set = device.private_data.set(device.instance.logger.loader.system, entry);
            return set.map_or(vk::Result::ERROR_OUT_OF_HOST_MEMORY, |()| vk::Result::SUCCESS);
        }
        let own = device.driver.set_private_data.or(device.driver.set_private_data_ext);
        own.map_or(vk::Result::SUCCESS, |set| set(call.device, kind, object, slot, data))
    }
}

pub(super) fn get(call: &GetPrivateData<'_>) {
    let (kind, object, slot) = (call.object_type, call.object_handle, call.private_data_slot);
    // SAFETY: by valid usage of the command the device, the object and the slot are valid.
    unsafe {
        let device = device_of(call.device.as_raw());
        if kind == vk::ObjectType::SWAPCHAIN_KHR {
            call.data.write(device.private_data.get(device.instance.logger.loader.system, object, slot));
        } else if let Some(get) = device.driver.get_private_data.or(device.driver.get_private_data_ext) {
            get(call.device, kind, object, slot, call.data.as_ptr());
        }
    }
}
