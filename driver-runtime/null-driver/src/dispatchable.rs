//! Commands that return dispatchable objects: the runtime's, with the scenario's first word.

use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::out_array::OutArray;
use vkload_driver_runtime::out_array::list;
use vkload_driver_runtime::registry::parameter::Out;
use vkload_driver_runtime::vk::{self, Handle};
use vkload_driver_runtime::{calls, entry_points};

use crate::runtime::runtime;
use crate::scenario;

/// Writes the first word of an object, if the scenario has another one than the loader's magic.
///
/// # Safety
/// `handle` is null or a live handle.
pub(crate) unsafe fn mark<T: Handle>(handle: T) {
    let Some(magic) = scenario::get().magic(T::TYPE) else { return };
    let address = usize::try_from(handle.as_raw()).unwrap_or_default();
    if address != 0 {
        // SAFETY: the first word of an object belongs to the loader, which has not seen the object yet or overwrites
        // the word.
        unsafe { core::ptr::with_exposed_provenance_mut::<usize>(address).write(magic) };
    }
}

/// Returns the result of a command that creates an object, which it marks.
///
/// # Safety
/// After success, `out` is a live handle.
unsafe fn created<T: Handle + Copy>(result: Option<vk::Result>, out: Out<'_, T>) -> vk::Result {
    if result == Some(vk::Result::SUCCESS) {
        // SAFETY: the caller vouches for the handle.
        unsafe { mark(out.as_ptr().read()) };
    }
    result.unwrap_or(vk::Result::ERROR_INITIALIZATION_FAILED)
}

fn enumerate_physical_devices(call: &calls::EnumeratePhysicalDevices<'_>) -> vk::Result {
    // SAFETY: the call obeys the specification.
    unsafe {
        let result = call.make(runtime).unwrap_or(vk::Result::ERROR_INITIALIZATION_FAILED);
        if result.as_raw() >= 0 {
            let count = call.physical_device_count.as_ptr().read();
            list(call.physical_devices, count).iter().for_each(|device| mark(*device));
        }
        result
    }
}

/// Enumerates the scenario's groups of the devices, in order.
fn enumerate_physical_device_groups(call: &calls::EnumeratePhysicalDeviceGroups<'_>) -> vk::Result {
    let mut sizes = scenario::get().groups.clone();
    if sizes.is_empty() {
        sizes.resize(scenario::get().devices as usize, 1);
    }
    let mut devices = [vk::PhysicalDevice::null(); 64];
    let mut found = devices.len() as u32;
    let (count, out) = (call.physical_device_group_count, call.physical_device_group_properties);
    // SAFETY: the call obeys the specification.
    let (result, mut array) = unsafe {
        let devices = devices.as_mut_ptr();
        let all = calls::EnumeratePhysicalDevices::new(call.instance, Out::new(&mut found), devices);
        let result = enumerate_physical_devices(&all);
        (result, OutArray::new(count.as_ptr(), out))
    };
    if result != vk::Result::SUCCESS {
        return result;
    }
    let mut rest = &devices[..found as usize];
    for size in sizes {
        let (members, others) = rest.split_at((size as usize).min(rest.len()));
        array.push_with(|group| {
            group.physical_device_count = members.len() as u32;
            group.physical_devices = [vk::PhysicalDevice::null(); vk::MAX_DEVICE_GROUP_SIZE];
            group.physical_devices[..members.len()].copy_from_slice(members);
            group.subset_allocation = vk::FALSE;
        });
        rest = others;
    }
    array.finish()
}

// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const COMMANDS: EntryPoints<crate::Null> = unsafe {
    entry_points! {
        CreateInstance = |call| created(call.make(runtime), call.instance),
        EnumeratePhysicalDevices = enumerate_physical_devices,
        EnumeratePhysicalDeviceGroups = enumerate_physical_device_groups,
        CreateDevice = |call| created(call.make(runtime), call.device),
        GetDeviceQueue2 = |call| {
            call.make(runtime);
            mark(call.queue.as_ptr().read());
        },
    }
};
