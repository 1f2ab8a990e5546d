//! The destruction of instances and devices at the lower end of the chain.

use ash::vk::{self, Handle};

use crate::objects::{device_of, free, instance_of};

type Callbacks<'a> = vk::AllocationCallbacks<'a>;

/// vkDestroyInstance. NULL is ignored.
///
/// # Safety
/// The parameters meet the valid usage of the Vulkan command.
pub unsafe extern "system" fn destroy_instance(handle: vk::Instance, callbacks: *const Callbacks<'_>) {
    if handle.is_null() {
        return;
    }
    // SAFETY: by this function's `# Safety` the handle is valid and externally synchronised; its
    // first word leads to a box that `create_instance` leaked, and `end` determines whether to free
    // it here.
    unsafe {
        let instance = instance_of(handle.as_raw());
        instance.logger.listeners.destroying();
        if let Some(destroy) = instance.driver.destroy_instance {
            destroy(handle, callbacks);
        }
        if instance.end.frees_at_lower_end() {
            free(instance, instance.allocator);
        }
    }
}

/// vkDestroyDevice. NULL is ignored.
///
/// # Safety
/// The parameters meet the valid usage of the Vulkan command.
pub unsafe extern "system" fn destroy_device(handle: vk::Device, callbacks: *const Callbacks<'_>) {
    if handle.is_null() {
        return;
    }
    // SAFETY: by this function's `# Safety` the handle is valid and externally synchronised; its
    // first word leads to a box that `create_device` leaked, and `end` determines whether to free
    // it here.
    unsafe {
        let device = device_of(handle.as_raw());
        if let Some(destroy) = device.driver.destroy_device {
            destroy(handle, callbacks);
        }
        if device.end.frees_at_lower_end() {
            free(device, device.allocator);
        }
    }
}
