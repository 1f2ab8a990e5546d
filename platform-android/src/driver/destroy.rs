//! The end of instances and devices.

use ash::vk::{self, Handle};
use loader_core::memory::Box;

use crate::objects::{Device, Instance, device_of, instance_of};

type Callbacks<'a> = vk::AllocationCallbacks<'a>;

/// vkDestroyInstance. NULL is left alone.
///
/// # Safety
/// The parameters are those of the Vulkan command.
pub unsafe extern "system" fn destroy_instance(handle: vk::Instance, callbacks: *const Callbacks<'_>) {
    if handle.is_null() {
        return;
    }
    // SAFETY: the first word of a valid handle leads to a box that `create_instance` leaked; the caller excludes other users.
    unsafe {
        let instance = instance_of(handle.as_raw());
        let (place, allocator) = (core::ptr::from_ref::<Instance>(instance).cast_mut(), instance.allocator);
        instance.logger.listeners.destroying();
        if let Some(destroy) = instance.driver.destroy_instance {
            destroy(handle, callbacks);
        }
        drop(Box::from_raw_in(place, allocator));
    }
}

/// vkDestroyDevice. NULL is left alone.
///
/// # Safety
/// The parameters are those of the Vulkan command.
pub unsafe extern "system" fn destroy_device(handle: vk::Device, callbacks: *const Callbacks<'_>) {
    if handle.is_null() {
        return;
    }
    // SAFETY: the first word of a valid handle leads to a box that `create_device` leaked; the caller excludes other users.
    unsafe {
        let device = device_of(handle.as_raw());
        let (place, allocator) = (core::ptr::from_ref::<Device>(device).cast_mut(), device.allocator);
        if let Some(destroy) = device.driver.destroy_device {
            destroy(handle, callbacks);
        }
        drop(Box::from_raw_in(place, allocator));
    }
}
