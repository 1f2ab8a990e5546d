//! Physical-device enumeration at the upper end of the chain. Handles from the chain are checked and
//! translated for the application, and the user's filters are applied. Layers do see the devices that the
//! filters leave out, as with Khronos' loader, and some fail without any (Mesa's VK_LAYER_MESA_device_select
//! writes beyond its list if it is empty).

use ash::vk::{self, Handle as _};

use crate::abi::array;
use crate::discovery::DeviceFilters;
use crate::dispatch::{HandleKind, Table as _};
use crate::memory::{Process, Vec};
use crate::objects::groups::{self, EMPTY, Group, members};
use crate::objects::{Instance, ids, ids_above_layers};
use crate::registry::command;

impl Instance {
    /// # Safety
    /// `count` and `out` are a counted out-array.
    pub(crate) unsafe fn enumerate_for_application(
        &self,
        count: *mut u32,
        out: *mut vk::PhysicalDevice,
    ) -> vk::Result {
        let _turn = self.turn_in_layers();
        let name = command::ENUMERATE_PHYSICAL_DEVICES;
        // SAFETY: by this function's `# Safety` `count` and `out` are a counted out-array; the table gives
        // the command's own type for its name.
        unsafe {
            let Some(enumerate) = self.table.get::<vk::PFN_vkEnumeratePhysicalDevices>(name) else {
                return vk::Result::ERROR_INITIALIZATION_FAILED;
            };
            let call = |count: *mut u32, out: *mut _| enumerate(self.chain_handle(), count, out);
            let filters = match DeviceFilters::read(self.loader.platform.environment) {
                Ok(filters) => filters,
                Err(out_of_memory) => return out_of_memory.into(),
            };
            let mut result = if filters.is_empty() {
                call(count, out)
            } else {
                let all = array::collect(Process, vk::PhysicalDevice::null(), call);
                let chosen = all.map(|all| self.filtered(&filters, all, core::slice::from_ref));
                array::deliver_result(chosen, count, out)
            };
            if result.as_raw() >= 0 && !out.is_null() {
                for index in 0..*count as usize {
                    result = self.translate(&mut *out.add(index)).err().unwrap_or(result);
                }
            }
            result
        }
    }

    /// vkEnumeratePhysicalDeviceGroups of the application. By either name the call goes through the core
    /// command: layers may know no other, and would see groups in a different order from devices.
    ///
    /// # Safety
    /// As for [`Self::enumerate_for_application`].
    pub(crate) unsafe fn enumerate_groups_for_application(
        &self,
        count: *mut u32,
        out: *mut Group,
    ) -> vk::Result {
        let _turn = self.turn_in_layers();
        let name = command::ENUMERATE_PHYSICAL_DEVICE_GROUPS;
        // SAFETY: by this function's `# Safety` `count` and `out` are a counted out-array; the table gives
        // the command's own type for its name.
        unsafe {
            let Some(enumerate) = self.table.get::<vk::PFN_vkEnumeratePhysicalDeviceGroups>(name) else {
                return vk::Result::ERROR_INITIALIZATION_FAILED;
            };
            let call = |count: *mut u32, out: *mut _| enumerate(self.chain_handle(), count, out);
            let filters = match DeviceFilters::read(self.loader.platform.environment) {
                Ok(filters) => filters,
                Err(out_of_memory) => return out_of_memory.into(),
            };
            let mut result = if filters.is_empty() {
                call(count, out)
            } else {
                match array::collect(Process, EMPTY, call) {
                    Ok(all) => groups::deliver(&self.filtered(&filters, all, members), count, out),
                    Err(error) => error,
                }
            };
            if result.as_raw() >= 0 && !out.is_null() {
                for index in 0..*count as usize {
                    let group = &mut *out.add(index);
                    let count = group.physical_device_count as usize;
                    for device in group.physical_devices.iter_mut().take(count) {
                        result = self.translate(device).err().unwrap_or(result);
                    }
                }
            }
            result
        }
    }

    /// Returns the elements whose members all pass the filters.
    #[cold]
    fn filtered<T: Copy>(
        &self,
        filters: &DeviceFilters,
        mut all: Vec<T>,
        members: impl Fn(&T) -> &[vk::PhysicalDevice],
    ) -> Vec<T> {
        let mut kept = 0usize;
        for index in 0..all.len() {
            let passes = |one: &&T| members(one).iter().all(|device| self.lets_through(filters, *device));
            if let Some(one) = all.get(index).filter(passes).copied()
                && let Some(to) = all.get_mut(kept)
            {
                *to = one;
                kept = kept.wrapping_add(1);
            }
        }
        all.truncate(kept);
        all
    }

    /// Returns whether the device passes the filters. Its driver reports on it, even if a layer wraps it.
    #[cold]
    fn lets_through(&self, filters: &DeviceFilters, device: vk::PhysicalDevice) -> bool {
        let ids = match self.own_physical_device(device.as_raw()) {
            Some(own) => ids(own),
            None if self.may_be_object(device.as_raw()) => ids_above_layers(self, device),
            None => return false,
        };
        filters.let_through(&ids)
    }

    fn translate(&self, device: &mut vk::PhysicalDevice) -> Result<(), vk::Result> {
        let handle = self.handle_for_application(device.as_raw(), HandleKind::WrappedPhysicalDevice)?;
        *device = vk::PhysicalDevice::from_raw(handle);
        Ok(())
    }
}
