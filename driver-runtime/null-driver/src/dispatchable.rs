//! Commands that return dispatchable objects: the runtime's, with the scenario's first word.

use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::out_array::OutArray;
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

fn create_instance(call: &calls::CreateInstance<'_>) -> vk::Result {
    // SAFETY: the call obeys the specification.
    unsafe {
        let Some(create) = runtime!(CREATE_INSTANCE: PFN_vkCreateInstance) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let result = create(call.create_info.as_ptr(), call.allocator.as_ptr(), call.instance.as_ptr());
        if result == vk::Result::SUCCESS {
            mark(call.instance.as_ptr().read());
        }
        result
    }
}

/// # Safety
/// As specified for `vkEnumeratePhysicalDevices`.
unsafe fn enumerate(instance: vk::Instance, count: *mut u32, out: *mut vk::PhysicalDevice) -> vk::Result {
    // SAFETY: the caller vouches for the handle and the counted out-array.
    unsafe {
        let Some(enumerate) = runtime!(ENUMERATE_PHYSICAL_DEVICES: PFN_vkEnumeratePhysicalDevices) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let result = enumerate(instance, count, out);
        if !out.is_null() && result.as_raw() >= 0 {
            core::slice::from_raw_parts(out, count.read() as usize).iter().for_each(|device| mark(*device));
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
        let result = enumerate(call.instance, &mut found, devices.as_mut_ptr());
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

fn create_device(call: &calls::CreateDevice<'_>) -> vk::Result {
    // SAFETY: the call obeys the specification.
    unsafe {
        let Some(create) = runtime!(CREATE_DEVICE: PFN_vkCreateDevice) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let (info, callbacks, out) = (&*call.create_info, call.allocator.as_ptr(), call.device.as_ptr());
        let result = create(call.physical_device, info, callbacks, out);
        if result == vk::Result::SUCCESS {
            mark(call.device.as_ptr().read());
        }
        result
    }
}

fn get_device_queue_2(call: &calls::GetDeviceQueue2<'_>) {
    // SAFETY: the call obeys the specification.
    unsafe {
        if let Some(get) = runtime!(GET_DEVICE_QUEUE_2: PFN_vkGetDeviceQueue2) {
            get(call.device, call.queue_info.as_ptr(), call.queue.as_ptr());
            mark(call.queue.as_ptr().read());
        }
    }
}

/// The commands.
// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const COMMANDS: EntryPoints<crate::Null> = unsafe {
    entry_points! {
        CreateInstance = create_instance,
        EnumeratePhysicalDevices = |call| {
            enumerate(call.instance, call.physical_device_count.as_ptr(), call.physical_devices)
        },
        EnumeratePhysicalDeviceGroups = enumerate_physical_device_groups,
        CreateDevice = create_device,
        GetDeviceQueue2 = get_device_queue_2,
    }
};
