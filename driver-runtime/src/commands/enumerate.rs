//! Finding the physical devices of an instance.

use ash::vk;

use crate::driver::{Driver, Search};
use crate::drm::{DrmDevices, NodeError};
use crate::instance::{Enumeration, Found, Instance};
use crate::log::{Level, Topic};
use crate::object::ParentObject;
use crate::out_array::OutArray;
use crate::result::EnumerateError;
use crate::{calls, message};

pub(super) fn enumerate_physical_devices<D: Driver>(
    call: &calls::EnumeratePhysicalDevices<'_>,
) -> vk::Result {
    // SAFETY: the call obeys the specification.
    unsafe {
        found::<D>(call.instance).map_or_else(Into::into, |found| {
            let mut array = OutArray::new(call.physical_device_count.as_ptr(), call.physical_devices);
            found.handles().for_each(|device| array.push(device));
            array.finish()
        })
    }
}

pub(super) fn enumerate_physical_device_groups<D: Driver>(
    call: &calls::EnumeratePhysicalDeviceGroups<'_>,
) -> Result<vk::Result, EnumerateError> {
    // SAFETY: the call obeys the specification.
    unsafe {
        let found = found::<D>(call.instance)?;
        let (count, out) = (call.physical_device_group_count, call.physical_device_group_properties);
        let mut array = OutArray::new(count.as_ptr(), out);
        found.groups().for_each(|group| array.push_with(|out| found.describe(&group, out)));
        Ok(array.finish())
    }
}

/// Returns an instance's enumeration; the first call that succeeds searches.
pub(super) fn physical_devices<D: Driver>(instance: &Instance<D>) -> Result<&Found<D>, EnumerateError> {
    instance.devices().get_or_find(instance, search)
}

fn search<D: Driver>(instance: &Instance<D>, found: &mut Enumeration<'_, D>) -> Result<(), EnumerateError> {
    if D::enumerate(instance, found)? == Search::Done {
        return Ok(());
    }
    let devices = D::host().drm_devices()?;
    report_left_out(instance, &devices);
    // Devices that are not the driver's are passed over in silence: they are other drivers'.
    for device in devices.devices() {
        if let Some((description, driver)) = D::try_create_for_drm(instance, device)? {
            found.push(description, driver)?;
        }
    }
    Ok(())
}

/// Reports the nodes that cannot be used. It is a warning only if the user can do something and the device cannot be
/// used otherwise.
fn report_left_out<D: Driver>(instance: &Instance<D>, devices: &DrmDevices) {
    for node in devices.left_out() {
        let matters = node.reason == NodeError::NoPermission && !devices.has_node(node.path.as_c_str());
        let level = if matters { Level::Warning } else { Level::Info };
        message!(level, Topic::Driver, [instance.root().base()], "{node}");
    }
}

/// Returns the enumeration of a live handle's instance.
///
/// # Safety
/// `instance` is null or a live handle.
unsafe fn found<'a, D: Driver>(instance: vk::Instance) -> Result<&'a Found<D>, EnumerateError> {
    // SAFETY: the caller vouches for the handle.
    let instance =
        unsafe { Instance::<D>::from_handle(instance) }.ok_or(EnumerateError::InitializationFailed)?;
    physical_devices(instance)
}
