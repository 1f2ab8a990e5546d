//! A driver's state for one instance: the driver's own instance, and its physical devices.

use core::ffi::{CStr, c_void};
use core::ptr::NonNull;

use ash::vk::{self, Handle as _};

use super::Instance;
use super::on_demand::deferred::DeferredMessenger;
use super::queried::Asked;
use crate::abi::{Command, array};
use crate::discovery::DriverKind;
use crate::dispatch::{Handle, InstanceTable, ON_DEMAND, OnDemandHandle, Table as _};
use crate::drivers::{Driver, DriverRef, DriverTurn};
use crate::manifest::Version;
use crate::memory::{Application, Box, OrOutOfMemory, OutOfMemory, Process, SharedList, Text, Vec};
use crate::negotiation::{DriverStatus, NEWEST_INTERFACE};
use crate::objects::listed_ptr::ListedPtr;
use crate::registry::{self, ExtensionSet, command};

/// The instance that a driver created for one instance of the loader.
pub struct DriverInstance {
    /// Its commands, which take the driver's handles.
    pub table: Box<InstanceTable, Application>,
    /// The driver's handle for the instance.
    pub handle: vk::Instance,
    /// The driver.
    pub driver: DriverOfInstance,
    /// Every device of the driver that was ever reported.
    pub(crate) devices: SharedList<ListedPtr<PhysicalDevice>, Application>,
    /// Its index in the plan, if it has one.
    pub index: Option<usize>,
    /// The names it was given: whether `VK_EXT_debug_utils`, `VK_EXT_debug_report` and so on are
    /// enabled in the driver.
    pub enabled: ExtensionSet,
    /// The commands that the driver has been queried for.
    pub(super) asked: Asked,
    /// The callbacks to destroy it with: the callbacks of its creating call, until
    /// [`Instance::finish`](super::Instance) sets others.
    pub(super) callbacks: *const vk::AllocationCallbacks<'static>,
}

/// A driver from the point of view of an instance.
pub enum DriverOfInstance {
    /// A driver found by discovery.
    Discovered(DriverRef),
    /// A driver that the application passed, owned by the instance.
    Direct(Box<Driver, Application>),
    /// A driver that is opened when a call needs it.
    OnDemand(Box<dyn ClosedDriver, Application>),
}

/// A driver's instance that does not exist until a call needs it.
pub trait ClosedDriver {
    /// Returns the path of the driver's library.
    fn library_path(&self) -> &Text;

    /// Returns the version of Vulkan that is used for the driver.
    fn api_version(&self) -> Version;

    /// Opens the driver, unless it is open. `None` if it does not open, or calls back while it is opened.
    fn open(&self) -> Option<&DriverInstance>;

    /// Returns the current devices: the recorded ones while the driver is closed.
    ///
    /// # Errors
    /// The reason why the driver's devices cannot be used, or out of memory.
    fn physical_devices(&self) -> Result<Vec<vk::PhysicalDevice>, OrOutOfMemory<DriverStatus>>;

    /// Returns the driver's groups, if it has the command for them. `chain` returns the application's pNext chain for the
    /// group at an index.
    ///
    /// # Errors
    /// The error of the driver's command, or `ERROR_OUT_OF_HOST_MEMORY`.
    fn groups(
        &self,
        chain: &dyn Fn(usize) -> *mut c_void,
    ) -> Result<Vec<vk::PhysicalDeviceGroupProperties<'static>>, vk::Result>;

    /// Sets the callbacks to destroy the driver's instance with.
    fn set_callbacks(&mut self, callbacks: *const vk::AllocationCallbacks<'static>);

    /// Lets the driver have a messenger when it is opened. Returns whether it is not open.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    fn defer(&self, messenger: DeferredMessenger) -> Result<bool, OutOfMemory>;

    /// Destroys the driver's own object of a messenger that was deferred.
    fn drop_deferred(&self, object: usize);
}

impl DriverOfInstance {
    /// Returns the version of Vulkan that is used for the driver.
    pub(super) fn api_version(&self) -> Version {
        match self {
            Self::Discovered(driver) => driver.api_version,
            Self::Direct(driver) => driver.first_api_version,
            Self::OnDemand(driver) => driver.api_version(),
        }
    }

    /// Returns the driver, unless it is opened on demand.
    #[inline(never)]
    pub(super) fn open_driver(&self) -> Option<&Driver> {
        match self {
            Self::Discovered(driver) => Some(driver),
            Self::Direct(driver) => Some(driver),
            Self::OnDemand(_) => None,
        }
    }

    /// Returns the negotiated interface version: for a driver on demand the newest, since those with old ones are never
    /// recorded.
    pub(in crate::objects) fn interface_version(&self) -> u32 {
        self.open_driver().map_or(NEWEST_INTERFACE, |driver| driver.interface.version)
    }
}

impl DriverInstance {
    /// Returns the path of the driver's library, or a description of a driver that the application passed.
    #[must_use]
    pub fn library_path(&self) -> &Text {
        match &self.driver {
            DriverOfInstance::Discovered(driver) => &driver.library_path,
            DriverOfInstance::Direct(driver) => &driver.library_path,
            DriverOfInstance::OnDemand(driver) => driver.library_path(),
        }
    }

    /// Returns the kind of driver.
    #[must_use]
    pub fn kind(&self) -> DriverKind {
        self.driver.open_driver().map_or(DriverKind::Icd, |driver| driver.kind)
    }

    /// Keeps other threads out of the driver's commands that create, destroy and enumerate until the turn is over. A
    /// driver on demand is opened; `None` if that fails.
    #[must_use]
    pub fn turn(&self) -> Option<DriverTurn<'_>> {
        match &self.driver {
            DriverOfInstance::Discovered(driver) => Some(driver.turn()),
            DriverOfInstance::Direct(driver) => Some(driver.turn()),
            DriverOfInstance::OnDemand(driver) => driver.open().and_then(Self::turn),
        }
    }

    /// Lets a driver on demand have a messenger when it is opened. Returns whether it is not open.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub(in crate::objects) fn defer(&self, messenger: DeferredMessenger) -> Result<bool, OutOfMemory> {
        match &self.driver {
            DriverOfInstance::OnDemand(driver) => driver.defer(messenger),
            _ => Ok(false),
        }
    }

    /// Destroys the driver's own object of a messenger that was deferred.
    pub(in crate::objects) fn drop_deferred(&self, object: usize) {
        if let DriverOfInstance::OnDemand(driver) = &self.driver {
            driver.drop_deferred(object);
        }
    }

    /// Sets the callbacks to destroy the driver's instance with.
    pub(super) fn set_callbacks(&mut self, callbacks: *const vk::AllocationCallbacks<'static>) {
        self.callbacks = callbacks;
        if let DriverOfInstance::OnDemand(driver) = &mut self.driver {
            driver.set_callbacks(callbacks);
        }
    }

    /// Returns the driver's own handle for the instance. Opens a driver on demand.
    pub(in crate::objects) fn drivers_handle(&self) -> vk::Instance {
        match &self.driver {
            DriverOfInstance::OnDemand(driver) => {
                driver.open().map_or(vk::Instance::null(), |own| own.handle)
            }
            _ => self.handle,
        }
    }

    /// Enters a physical-device command that the registry does not know in the driver's table. Returns whether the
    /// driver has it.
    pub(super) fn enter_unknown(&self, slot: usize, name: &CStr) -> bool {
        let mut function = self.find_physical_device_command(name);
        if let (DriverOfInstance::OnDemand(driver), Some(own)) = (&self.driver, function) {
            let slot_of_driver = driver.open().and_then(|driver| driver.table.slot(slot));
            function = slot_of_driver.map(|own_slot| own_slot.set(own)).and_then(|()| ON_DEMAND.piece(slot));
        }
        if let (Some(slot), Some(function)) = (self.table.slot(slot), function) {
            slot.set(function);
        }
        function.is_some()
    }

    /// Returns the driver's command of this name.
    #[must_use]
    pub fn command(&self, name: &CStr) -> Option<Command> {
        let driver = match &self.driver {
            DriverOfInstance::OnDemand(driver) => {
                let known = registry::find(name).filter(|command| command.instance_slot().is_some());
                let Some(known) = known else { return driver.open()?.command(name) };
                // SAFETY: the function is only looked up, not called.
                return unsafe { self.get::<Command>(known) };
            }
            DriverOfInstance::Discovered(driver) => driver,
            DriverOfInstance::Direct(driver) => &**driver,
        };
        // SAFETY: `handle` is this driver's instance, which lives as long as `self`; the name is a
        // C string.
        unsafe { (driver.interface.get_instance_proc_addr)(self.handle, name.as_ptr()) }
    }

    /// Returns the driver's physical-device command of this name, which the registry need not know. Other
    /// loaders do not report the kind of a command; the names of nearly all physical-device
    /// commands do.
    #[must_use]
    pub fn find_physical_device_command(&self, name: &CStr) -> Option<Command> {
        let driver = match &self.driver {
            DriverOfInstance::OnDemand(driver) => return driver.open()?.find_physical_device_command(name),
            DriverOfInstance::Discovered(driver) => driver,
            DriverOfInstance::Direct(driver) => &**driver,
        };
        let Some(find) = driver.interface.get_physical_device_proc_addr else {
            let told = driver.kind.is_foreign() && name.to_bytes().starts_with(OF_PHYSICAL_DEVICES);
            return if told { self.command(name) } else { None };
        };
        // SAFETY: `handle` is this driver's instance, which lives as long as `self`; the name is a
        // C string.
        unsafe { find(self.handle, name.as_ptr()) }
    }

    /// Returns the driver's current devices, without NULL handles. The table is complete if the list is not
    /// empty.
    ///
    /// # Errors
    /// The reason why the driver's devices cannot be used, or out of memory.
    pub(in crate::objects) fn physical_devices(
        &self,
    ) -> Result<Vec<vk::PhysicalDevice>, OrOutOfMemory<DriverStatus>> {
        if let DriverOfInstance::OnDemand(driver) = &self.driver {
            return driver.physical_devices();
        }
        let name = command::ENUMERATE_PHYSICAL_DEVICES;
        // SAFETY: the type matches vkEnumeratePhysicalDevices.
        let Some(enumerate) = (unsafe { self.get::<vk::PFN_vkEnumeratePhysicalDevices>(name) }) else {
            return Err(DriverStatus::MissingCommand { name: name.name() }.into());
        };
        let turn = self.turn();
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
        if let Some(driver) = self.driver.open_driver() {
            // SAFETY: `new` got the instance from this driver, created with these callbacks or compatible ones;
            // it is no longer used.
            unsafe { driver.destroy_instance(self.handle, self.callbacks) };
        }
    }
}

/// The object behind a `VkPhysicalDevice`.
#[repr(C)]
pub struct PhysicalDevice {
    pub(in crate::objects) handle: Handle,
    /// The driver that has the device.
    pub(in crate::objects) driver: NonNull<DriverInstance>,
    /// The facts that sorting needs.
    pub(in crate::objects) facts: DeviceFacts,
}

// SAFETY: only atomics change after creation, and the pointers' targets live as long as the instance.
unsafe impl Sync for PhysicalDevice {}

impl PhysicalDevice {
    /// Returns the instance that it belongs to.
    #[must_use]
    pub fn instance(&self) -> &Instance {
        self.handle.instance()
    }

    /// Returns the driver that it belongs to.
    #[must_use]
    pub fn driver(&self) -> &DriverInstance {
        // SAFETY: an instance frees its drivers after its physical devices.
        unsafe { self.driver.as_ref() }
    }

    /// Returns the application's handle.
    #[must_use]
    pub fn handle(&self) -> vk::PhysicalDevice {
        vk::PhysicalDevice::from_raw(core::ptr::from_ref(self).expose_provenance() as u64)
    }

    /// Returns the driver's own handle. Opens a driver on demand.
    pub(in crate::objects) fn drivers_own_handle(&self) -> vk::PhysicalDevice {
        match &self.driver().driver {
            // SAFETY: the table of such a driver takes addresses of handles, which live as long as the driver.
            DriverOfInstance::OnDemand(_) => unsafe {
                OnDemandHandle::open(self.handle.lower().cast()).physical_device()
            },
            _ => self.driver_handle(),
        }
    }

    /// Returns the handle that the commands of the driver's table take.
    #[must_use]
    pub fn driver_handle(&self) -> vk::PhysicalDevice {
        vk::PhysicalDevice::from_raw(self.handle.lower().expose_provenance() as u64)
    }
}

/// The facts that the order depends on.
#[derive(Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(Debug))]
pub(in crate::objects) struct DeviceFacts {
    /// A `VkPhysicalDeviceType`.
    pub(in crate::objects) kind: i32,
    pub(in crate::objects) vendor: u32,
    pub(in crate::objects) device: u32,
    /// Domain, bus, device, function.
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
