//! Finding the physical devices of an instance.

use ash::vk;

use crate::driver::{Driver, Search};
use crate::instance::{Enumeration, Found, Instance};
use crate::out_array::OutArray;
use crate::result::EnumerateError;

/// # Safety
/// As the specification has it for `vkEnumeratePhysicalDevices`.
pub(crate) unsafe extern "system" fn enumerate_physical_devices<D: Driver>(
    instance: vk::Instance,
    count: *mut u32,
    out: *mut vk::PhysicalDevice,
) -> vk::Result {
    // SAFETY: the caller vouches for the handle and the counted out-array.
    unsafe {
        let found = match found::<D>(instance) {
            Ok(found) => found,
            Err(error) => return error.into(),
        };
        let mut array = OutArray::new(count, out);
        found.handles().for_each(|device| array.push(device));
        array.finish()
    }
}

/// # Safety
/// As the specification has it for `vkEnumeratePhysicalDeviceGroups`.
pub(crate) unsafe extern "system" fn enumerate_physical_device_groups<D: Driver>(
    instance: vk::Instance,
    count: *mut u32,
    out: *mut vk::PhysicalDeviceGroupProperties<'_>,
) -> vk::Result {
    // SAFETY: the caller vouches for the handle and the counted out-array.
    unsafe {
        let found = match found::<D>(instance) {
            Ok(found) => found,
            Err(error) => return error.into(),
        };
        let mut array = OutArray::new(count, out);
        found.groups().for_each(|group| array.push_with(|out| found.describe(&group, out)));
        array.finish()
    }
}

/// What an instance has found; the first call that succeeds searches.
pub(super) fn physical_devices<D: Driver>(instance: &Instance<D>) -> Result<&Found<D>, EnumerateError> {
    instance.devices().get_or_find(instance, search)
}

fn search<D: Driver>(instance: &Instance<D>, found: &mut Enumeration<'_, D>) -> Result<(), EnumerateError> {
    if D::enumerate(instance, found)? == Search::Done {
        return Ok(());
    }
    // Nodes that are not the driver's are passed over in silence: they are other drivers'.
    for node in 0..D::nodes(instance) {
        if let Some((description, driver)) = D::try_create_for_node(instance, node)? {
            found.push(description, driver)?;
        }
    }
    Ok(())
}

/// What the instance of a live handle has found.
///
/// # Safety
/// `instance` is null or a live handle.
unsafe fn found<'a, D: Driver>(instance: vk::Instance) -> Result<&'a Found<D>, EnumerateError> {
    // SAFETY: the caller vouches for the handle.
    let instance =
        unsafe { Instance::<D>::from_handle(instance) }.ok_or(EnumerateError::InitializationFailed)?;
    physical_devices(instance)
}
