//! A driver's state for one instance: the driver's own instance, and its physical devices.

use core::ffi::CStr;
use core::ops::Deref;
use core::ptr::NonNull;

use ash::vk::{self, Handle as _};

use super::Instance;
use super::queried::Asked;
use crate::abi::{Command, array};
use crate::dispatch::{Handle, InstanceTable};
use crate::drivers::{Driver, DriverRef};
use crate::manifest::Version;
use crate::memory::{Application, Box, OrOutOfMemory, Process, SharedList, Vec};
use crate::negotiation::DriverStatus;
use crate::objects::listed_ptr::ListedPtr;
use crate::registry::{ExtensionSet, command};

pub struct DriverInstance {
    /// Its commands, which take the driver's handles.
    pub table: Box<InstanceTable, Application>,
    pub handle: vk::Instance,
    pub driver: DriverOfInstance,
    pub(crate) devices: SharedList<ListedPtr<PhysicalDevice>, Application>,
    /// The names it was given: whether `VK_EXT_debug_utils`, `VK_EXT_debug_report` and so on are
    /// enabled in the driver.
    pub enabled: ExtensionSet,
    pub(super) asked: Asked,
    /// The callbacks to destroy it with: the callbacks of its creating call, until
    /// [`Instance::finish`](super::Instance) sets others.
    pub(super) callbacks: *const vk::AllocationCallbacks<'static>,
}

/// A driver from the point of view of an instance.
pub enum DriverOfInstance {
    Discovered(DriverRef),
    /// A driver that the application passed, owned by the instance.
    Direct(Box<Driver, Application>),
}

impl DriverOfInstance {
    pub(super) fn api_version(&self) -> Version {
        match self {
            Self::Discovered(driver) => driver.api_version,
            Self::Direct(driver) => driver.first_api_version,
        }
    }
}

impl Deref for DriverOfInstance {
    type Target = Driver;
    fn deref(&self) -> &Driver {
        match self {
            Self::Discovered(driver) => driver,
            Self::Direct(driver) => driver,
        }
    }
}

impl DriverInstance {
    pub fn command(&self, name: &CStr) -> Option<Command> {
        // SAFETY: `handle` is this driver's instance, which lives as long as `self`; the name is a
        // C string.
        unsafe { (self.driver.interface.get_instance_proc_addr)(self.handle, name.as_ptr()) }
    }

    /// Returns the driver's physical-device command of this name, which the registry need not know. Other
    /// loaders do not report the kind of a command; the names of nearly all physical-device
    /// commands do.
    pub fn physical_device_command(&self, name: &CStr) -> Option<Command> {
        let Some(find) = self.driver.interface.get_physical_device_proc_addr else {
            let is_one = self.driver.kind.is_foreign() && name.to_bytes().starts_with(OF_PHYSICAL_DEVICES);
            return if is_one { self.command(name) } else { None };
        };
        // SAFETY: `handle` is this driver's instance, which lives as long as `self`; the name is a
        // C string.
        unsafe { find(self.handle, name.as_ptr()) }
    }

    /// Returns the driver's current devices, without NULL handles. The table is complete if the list is not
    /// empty.
    pub(in crate::objects) fn physical_devices(
        &self,
    ) -> Result<Vec<vk::PhysicalDevice>, OrOutOfMemory<DriverStatus>> {
        let name = command::ENUMERATE_PHYSICAL_DEVICES;
        // SAFETY: the type matches vkEnumeratePhysicalDevices.
        let Some(enumerate) = (unsafe { self.get::<vk::PFN_vkEnumeratePhysicalDevices>(name) }) else {
            return Err(DriverStatus::MissingCommand { name: name.name() }.into());
        };
        let turn = self.driver.turn();
        let devices = array::collect(Process, vk::PhysicalDevice::null(), |count, out| {
            // SAFETY: the instance is the driver's and alive; `collect` passes a counted out-array.
            unsafe { enumerate(self.handle, count, out) }
        });
        drop(turn);
        let mut devices = devices.map_err(|error| match error {
            vk::Result::ERROR_OUT_OF_HOST_MEMORY => OrOutOfMemory::OutOfMemory,
            error => DriverStatus::EnumerationFailed { result: error.as_raw() }.into(),
        })?;
        devices.retain(|device| !device.is_null());
        if !devices.is_empty() {
            self.learn_device_commands();
        }
        Ok(devices)
    }
}

/// The prefix that only names of physical-device commands have.
const OF_PHYSICAL_DEVICES: &[u8] = b"vkGetPhysicalDevice";

impl Drop for DriverInstance {
    fn drop(&mut self) {
        // SAFETY: `new` got the instance from this driver, created with these callbacks or compatible ones;
        // it is no longer used.
        unsafe { self.driver.destroy_instance(self.handle, self.callbacks) };
    }
}

#[repr(C)]
pub struct PhysicalDevice {
    pub(in crate::objects) handle: Handle,
    pub(in crate::objects) driver: NonNull<DriverInstance>,
    pub(in crate::objects) facts: DeviceFacts,
}

// SAFETY: only atomics change after creation, and the pointers' targets live as long as the instance.
unsafe impl Sync for PhysicalDevice {}

impl PhysicalDevice {
    pub fn instance(&self) -> &Instance {
        self.handle.instance()
    }

    pub fn driver(&self) -> &DriverInstance {
        // SAFETY: an instance frees its drivers after its physical devices.
        unsafe { self.driver.as_ref() }
    }

    pub fn handle(&self) -> vk::PhysicalDevice {
        vk::PhysicalDevice::from_raw(core::ptr::from_ref(self).expose_provenance() as u64)
    }

    pub fn driver_handle(&self) -> vk::PhysicalDevice {
        vk::PhysicalDevice::from_raw(self.handle.lower().expose_provenance() as u64)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(Debug))]
pub(in crate::objects) struct DeviceFacts {
    /// A `VkPhysicalDeviceType`.
    pub(in crate::objects) kind: i32,
    pub(in crate::objects) vendor: u32,
    pub(in crate::objects) device: u32,
    pub(in crate::objects) bus: Option<[u32; 4]>,
}

#[cfg(test)]
mod tests {
    use super::OF_PHYSICAL_DEVICES;
    use crate::registry::{Class, CommandId};

    #[test]
    fn names_that_begin_like_physical_device_commands_belong_to_such_commands() {
        let told = |command: &CommandId| command.name().to_bytes().starts_with(OF_PHYSICAL_DEVICES);
        assert!(CommandId::all().filter(told).count() > 50);
        assert!(CommandId::all().filter(told).all(|command| command.class() == Class::PhysicalDevice));
    }
}
