//! Physical devices, whose first word must lead to their instance.

use ash::vk::{self, Handle};

use super::adopt::adopt;
use crate::objects::instance_of;

/// vkEnumeratePhysicalDevices. The driver is asked each time.
///
/// # Safety
/// The parameters are those of the Vulkan command.
pub unsafe extern "system" fn enumerate_physical_devices(
    handle: vk::Instance,
    count: *mut u32,
    out: *mut vk::PhysicalDevice,
) -> vk::Result {
    // SAFETY: the caller vouches for the handle and the counted out-array.
    unsafe {
        let instance = instance_of(handle.as_raw());
        let Some(enumerate) = instance.driver.enumerate_physical_devices else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let room = if out.is_null() { 0 } else { *count };
        let result = enumerate(handle, count, out);
        if matches!(result, vk::Result::SUCCESS | vk::Result::INCOMPLETE) {
            // What lies beyond the array does not exist, whatever the driver says.
            for place in 0..room.min(*count) as usize {
                adopt(*out.add(place), instance, &instance.logger);
            }
        }
        result
    }
}
