//! Commands that return dispatchable objects: the runtime's, with the scenario's first word.

use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::entry_points;
use vkload_driver_runtime::vk::{self, Handle};

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

unsafe extern "system" fn create_instance(
    info: *const vk::InstanceCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Instance,
) -> vk::Result {
    // SAFETY: the caller passes valid pointers.
    unsafe {
        let Some(create) = runtime!(CREATE_INSTANCE: PFN_vkCreateInstance) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let result = create(info, callbacks, out);
        if result == vk::Result::SUCCESS {
            mark(out.read());
        }
        result
    }
}

unsafe extern "system" fn enumerate_physical_devices(
    instance: vk::Instance,
    count: *mut u32,
    out: *mut vk::PhysicalDevice,
) -> vk::Result {
    // SAFETY: the caller passes a live handle and a counted out-array.
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
unsafe extern "system" fn enumerate_physical_device_groups(
    instance: vk::Instance,
    count: *mut u32,
    out: *mut vk::PhysicalDeviceGroupProperties<'_>,
) -> vk::Result {
    let mut sizes = scenario::get().groups.clone();
    if sizes.is_empty() {
        sizes.resize(scenario::get().devices as usize, 1);
    }
    let mut devices = [vk::PhysicalDevice::null(); 64];
    let mut found = devices.len() as u32;
    // SAFETY: the caller passes a live handle and a counted out-array.
    unsafe {
        let result = enumerate_physical_devices(instance, &mut found, devices.as_mut_ptr());
        if result != vk::Result::SUCCESS {
            return result;
        }
        if out.is_null() {
            count.write(sizes.len() as u32);
            return vk::Result::SUCCESS;
        }
        let room = count.read().min(sizes.len() as u32);
        let mut rest = &devices[..found as usize];
        for (index, size) in sizes.iter().take(room as usize).enumerate() {
            let (members, others) = rest.split_at((*size as usize).min(rest.len()));
            let group = &mut *out.add(index);
            group.physical_device_count = members.len() as u32;
            group.physical_devices = [vk::PhysicalDevice::null(); vk::MAX_DEVICE_GROUP_SIZE];
            group.physical_devices[..members.len()].copy_from_slice(members);
            group.subset_allocation = vk::FALSE;
            rest = others;
        }
        count.write(room);
        if (room as usize) < sizes.len() { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS }
    }
}

unsafe extern "system" fn create_device(
    physical: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Device,
) -> vk::Result {
    // SAFETY: the caller passes a live handle and valid pointers.
    unsafe {
        let Some(create) = runtime!(CREATE_DEVICE: PFN_vkCreateDevice) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let result = create(physical, info, callbacks, out);
        if result == vk::Result::SUCCESS {
            mark(out.read());
        }
        result
    }
}

unsafe extern "system" fn get_device_queue_2(
    device: vk::Device,
    info: *const vk::DeviceQueueInfo2<'_>,
    out: *mut vk::Queue,
) {
    // SAFETY: the caller passes a live handle and valid pointers.
    unsafe {
        if let Some(get) = runtime!(GET_DEVICE_QUEUE_2: PFN_vkGetDeviceQueue2) {
            get(device, info, out);
            mark(out.read());
        }
    }
}

/// The commands.
// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const COMMANDS: EntryPoints<crate::Null> = unsafe {
    entry_points! {
        CREATE_INSTANCE: PFN_vkCreateInstance = create_instance,
        ENUMERATE_PHYSICAL_DEVICES: PFN_vkEnumeratePhysicalDevices = enumerate_physical_devices,
        ENUMERATE_PHYSICAL_DEVICE_GROUPS: PFN_vkEnumeratePhysicalDeviceGroups = enumerate_physical_device_groups,
        CREATE_DEVICE: PFN_vkCreateDevice = create_device,
        GET_DEVICE_QUEUE_2: PFN_vkGetDeviceQueue2 = get_device_queue_2,
    }
};
