//! Groups of physical devices.

use ash::vk::{self, Handle as _};

use super::sorting::{Preference, order};
use crate::abi::array;
use crate::memory::{OutOfMemory, Process, TryGrow, Vec, sort_by};
use crate::objects::handle;
use crate::objects::instance::Instance;
use crate::objects::instance::driver::{DriverInstance, PhysicalDevice};
use crate::registry::command;

pub(crate) const EMPTY: vk::PhysicalDeviceGroupProperties<'static> = vk::PhysicalDeviceGroupProperties {
    s_type: vk::StructureType::PHYSICAL_DEVICE_GROUP_PROPERTIES,
    p_next: core::ptr::null_mut(),
    physical_device_count: 0,
    physical_devices: [vk::PhysicalDevice::null(); vk::MAX_DEVICE_GROUP_SIZE],
    subset_allocation: 0,
    _marker: core::marker::PhantomData,
};

pub(crate) type Group = vk::PhysicalDeviceGroupProperties<'static>;

/// Terminator of vkEnumeratePhysicalDeviceGroups and its KHR alias.
///
/// A driver without groups gets one group for each of its devices.
pub(super) unsafe extern "system" fn enumerate_physical_device_groups(
    instance: vk::Instance,
    count: *mut u32,
    groups: *mut vk::PhysicalDeviceGroupProperties<'_>,
) -> vk::Result {
    // SAFETY: `handle::instance` aborts for a bad handle; valid usage of the command obliges the
    // application to pass a counted out-array.
    unsafe {
        let instance = handle::instance(instance, command::ENUMERATE_PHYSICAL_DEVICE_GROUPS);
        match all_groups(instance, groups.cast(), count) {
            Ok(all) => deliver(&all, count, groups.cast()),
            Err(error) => error,
        }
    }
}

/// Copies the groups and leaves the caller's `sType` and `pNext` alone.
///
/// # Safety
/// `count` and `out` are a counted out-array.
pub(crate) unsafe fn deliver(all: &[Group], count: *mut u32, out: *mut Group) -> vk::Result {
    // SAFETY: by this function's `# Safety` `count` and `out` are a counted out-array.
    unsafe {
        if out.is_null() {
            return array::deliver(all, count, out);
        }
        let written = all.len().min(count.read() as usize);
        for (index, group) in all.iter().take(written).enumerate() {
            let target = &mut *out.add(index);
            target.physical_device_count = group.physical_device_count;
            target.physical_devices = group.physical_devices;
            target.subset_allocation = group.subset_allocation;
        }
        count.write(u32::try_from(written).unwrap_or(u32::MAX));
        if written < all.len() { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS }
    }
}

/// Returns the groups of all drivers, in the order in which applications see them.
///
/// # Safety
/// `room` and `out` are a counted out-array, whose elements begin pNext chains.
unsafe fn all_groups(
    instance: &Instance,
    out: *mut Group,
    room: *const u32,
) -> Result<Vec<Group>, vk::Result> {
    let mut all: Vec<Group> = Vec::new();
    let devices = instance.enumerate(!out.is_null())?;
    // SAFETY: by this function's `# Safety` `room` is a valid pointer, as `out` is not NULL.
    let room = if out.is_null() { 0 } else { unsafe { room.read() as usize } };
    for driver in instance.drivers.iter().rev() {
        let own = devices.iter().filter(|device| core::ptr::eq(device.driver(), &raw const **driver));
        // SAFETY: by this function's `# Safety` `out` points to `room` groups. `all` has one element for each
        // group before this driver's, so `position` is this group's index in `out`; an index beyond `room` is
        // not read.
        let extension_chains = |index: usize| unsafe {
            let position = all.len().wrapping_add(index);
            if position < room { (*out.add(position)).p_next } else { core::ptr::null_mut() }
        };
        match driver.groups(extension_chains) {
            Some(Ok(groups)) => {
                for group in groups {
                    all.try_push(translated(instance, driver, &group)?)?;
                }
            }
            Some(Err(vk::Result::ERROR_OUT_OF_HOST_MEMORY)) => {
                return Err(vk::Result::ERROR_OUT_OF_HOST_MEMORY);
            }
            Some(Err(result)) => instance.log_enumeration(driver, result),
            None => {
                for device in own {
                    all.try_push(single(device))?;
                }
            }
        }
    }
    if all.is_empty() && !devices.is_empty() {
        return Err(vk::Result::ERROR_INITIALIZATION_FAILED);
    }
    let is_listed = |member: &vk::PhysicalDevice| devices.iter().any(|device| device.handle() == *member);
    all.retain(|group| members(group).iter().all(is_listed));
    // A driver's only device is in order.
    if !out.is_null() && devices.len() > 1 {
        put_in_order(instance, &devices, &mut all)?;
    }
    Ok(all)
}

/// Sorts the groups like their first devices, and the devices in each group, if the `devices` are sorted or chosen. Devices that
/// compare equal share a position: equal groups and members keep their driver's order.
fn put_in_order(
    instance: &Instance,
    devices: &[&PhysicalDevice],
    groups: &mut [Group],
) -> Result<(), OutOfMemory> {
    let listed = instance.logger.settings.devices().is_some();
    if !instance.sorted && !listed {
        return Ok(());
    }
    let preference = Preference::from_environment(instance.loader)?;
    let wanted = preference.wanted().filter(|_| !listed);
    let (mut positions, mut last) = (Vec::new(), None);
    for (index, device) in devices.iter().enumerate() {
        let is_wanted = wanted.as_ref().is_some_and(|wanted| wanted.fits(device));
        let position = match last {
            Some((position, known, other))
                if !listed && known == is_wanted && order(other, &device.facts).is_eq() =>
            {
                position
            }
            _ => index,
        };
        last = Some((position, is_wanted, &device.facts));
        positions.try_push((device.handle(), position))?;
    }
    let position = |handle: &vk::PhysicalDevice| {
        positions.iter().find(|(device, _)| device == handle).map(|(_, position)| *position)
    };
    for group in groups.iter_mut() {
        let count = (group.physical_device_count as usize).min(group.physical_devices.len());
        if let Some(members) = group.physical_devices.get_mut(..count) {
            sort_by(members, |one, other| position(one).cmp(&position(other)));
        }
    }
    let first = |group: &Group| members(group).first().map_or(Some(usize::MAX), position);
    sort_by(groups, |one, other| first(one).cmp(&first(other)));
    Ok(())
}

fn single(device: &PhysicalDevice) -> Group {
    let mut group = Group { physical_device_count: 1, ..EMPTY };
    if let Some(first) = group.physical_devices.first_mut() {
        *first = device.handle();
    }
    group
}

pub(crate) fn members(group: &Group) -> &[vk::PhysicalDevice] {
    let count = (group.physical_device_count as usize).min(group.physical_devices.len());
    group.physical_devices.get(..count).unwrap_or_default()
}

/// Returns the group with the loader's handles instead of the driver's.
fn translated(instance: &Instance, driver: &DriverInstance, group: &Group) -> Result<Group, vk::Result> {
    let mut result = Group { subset_allocation: group.subset_allocation, ..EMPTY };
    let given = members(group).iter().filter(|handle| !handle.is_null());
    for (to, from) in result.physical_devices.iter_mut().zip(given) {
        *to = instance.physical_device(driver, *from)?.handle();
        result.physical_device_count = result.physical_device_count.saturating_add(1);
    }
    Ok(result)
}

impl DriverInstance {
    /// Returns the driver's groups, or `None` if it does not support groups. `chain` returns the
    /// application's pNext chain for the group at an index.
    fn groups(
        &self,
        chain: impl Fn(usize) -> *mut core::ffi::c_void,
    ) -> Option<Result<Vec<Group>, vk::Result>> {
        // SAFETY: the type matches the command and its alias.
        let enumerate = unsafe {
            [command::ENUMERATE_PHYSICAL_DEVICE_GROUPS, command::ENUMERATE_PHYSICAL_DEVICE_GROUPS_KHR]
                .into_iter()
                .find_map(|command| self.get::<vk::PFN_vkEnumeratePhysicalDeviceGroups>(command))?
        };
        let turn = self.driver.turn();
        let groups = array::collect(Process, EMPTY, |count, out: *mut Group| {
            // SAFETY: the instance is the driver's and alive; `collect` passes a counted out-array,
            // whose elements get their chains before the driver fills them.
            unsafe {
                if !out.is_null() {
                    for index in 0..*count as usize {
                        (*out.add(index)).p_next = chain(index);
                    }
                }
                enumerate(self.handle, count, out)
            }
        });
        drop(turn);
        if groups.as_ref().is_ok_and(|groups| !groups.is_empty()) {
            self.learn_device_commands();
        }
        Some(groups)
    }
}
