//! Physical devices, whose first word must lead to their instance.

use core::mem::offset_of;

use ash::vk::{self, Handle};
use vkload_core::abi::array;
use vkload_core::registry::calls::EnumeratePhysicalDeviceGroups;

use super::adopt::adopt;
use crate::objects::instance_of;
use crate::trace::slice;

/// vkEnumeratePhysicalDevices. Asks the driver each time.
///
/// # Safety
/// The parameters meet the valid usage of the Vulkan command.
pub unsafe extern "system" fn enumerate_physical_devices(
    handle: vk::Instance,
    count: *mut u32,
    out: *mut vk::PhysicalDevice,
) -> vk::Result {
    let _slice = slice(c"EnumeratePhysicalDevices");
    // SAFETY: by this function's `# Safety` the instance is a valid handle, and `count` and `out`
    // are a counted out-array; only elements that lie within it are adopted.
    unsafe {
        let instance = instance_of(handle.as_raw());
        let Some(enumerate) = instance.driver.enumerate_physical_devices else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let room = if out.is_null() { 0 } else { *count };
        let result = enumerate(handle, count, out);
        if matches!(result, vk::Result::SUCCESS | vk::Result::INCOMPLETE) {
            // Nothing exists beyond the array, whatever count the driver returns.
            for index in 0..room.min(*count) as usize {
                adopt(*out.add(index), instance, &instance.logger);
            }
        }
        result
    }
}

/// If the driver does not know groups, each device forms one.
pub(super) fn enumerate_physical_device_groups(call: &EnumeratePhysicalDeviceGroups<'_>) -> vk::Result {
    let _slice = slice(c"EnumeratePhysicalDeviceGroups");
    let (handle, count) = (call.instance, call.physical_device_group_count.as_ptr());
    let out = call.physical_device_group_properties;
    // SAFETY: by valid usage of the command the instance is a valid handle, and `count` and `out` are a
    // counted out-array.
    unsafe {
        let instance = instance_of(handle.as_raw());
        let driver = &instance.driver;
        let own = driver.enumerate_physical_device_groups.or(driver.enumerate_physical_device_groups_khr);
        let Some(enumerate) = own else { return one_in_each(handle, count, out) };
        let room = if out.is_null() { 0 } else { *count };
        let result = enumerate(handle, count, out);
        if matches!(result, vk::Result::SUCCESS | vk::Result::INCOMPLETE) {
            for index in 0..room.min(*count) as usize {
                let group = &*out.add(index);
                for device in group.physical_devices.iter().take(group.physical_device_count as usize) {
                    adopt(*device, instance, &instance.logger);
                }
            }
        }
        result
    }
}

/// Groups of one device each.
///
/// # Safety
/// The parameters meet the valid usage of vkEnumeratePhysicalDeviceGroups.
unsafe fn one_in_each(
    handle: vk::Instance,
    count: *mut u32,
    out: *mut vk::PhysicalDeviceGroupProperties<'_>,
) -> vk::Result {
    // SAFETY: by this function's `# Safety` the instance is a valid handle, and `count` and `out`
    // are a counted out-array.
    unsafe {
        let ask = |count: *mut u32, out| enumerate_physical_devices(handle, count, out);
        let first = offset_of!(vk::PhysicalDeviceGroupProperties<'_>, physical_devices);
        let result = array::wrapped::<vk::PhysicalDevice, _>(count, out, first, ask);
        if !out.is_null() && array::check(result).is_ok() {
            for index in 0..*count as usize {
                let group = &mut *out.add(index);
                group.physical_device_count = 1;
                for other in group.physical_devices.iter_mut().skip(1) {
                    *other = vk::PhysicalDevice::null();
                }
                group.subset_allocation = vk::FALSE;
            }
        }
        result
    }
}
