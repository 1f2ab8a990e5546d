//! What a `VkInstance` points to.

use core::sync::atomic::{AtomicUsize, Ordering};

use ash::vk::{self, Handle as _};

use super::driver::DriverInstance;
use super::handle::Handle;
use super::sources::Sources;
use super::{Device, PhysicalDevice};
use crate::dispatch::{Command, InstanceTable, Table};
use crate::loader::Loader;
use crate::log::Logger;
use crate::memory::{Application, Box, SharedList, Vec};
use crate::registry::{DEVICE_SLOTS, ExtensionSet, INSTANCE_SLOTS, extension};

/// An instance of the loader, which stands for the instances of several drivers.
#[repr(C)]
pub struct Instance {
    handle: Handle,
    /// The first link of every command's chain. Its address never changes: layers know the instance by it.
    pub table: Box<InstanceTable, Application>,
    /// The loader that made it.
    pub loader: &'static Loader,
    /// Where its messages go.
    pub logger: Logger,
    /// Memory of the instance.
    pub allocator: Application,
    /// The version that the application was written for; 1.0 where it did not say.
    pub api_version: u32,
    /// The extensions of the registry that the application enabled.
    pub extensions: ExtensionSet,
    /// Whether physical devices are sorted.
    pub sorted: bool,
    /// Where its drivers come from.
    pub(super) sources: Sources,
    /// The drivers, in the order in which they were discovered. Set by the terminator of vkCreateInstance.
    pub drivers: Vec<Box<DriverInstance, Application>, Application>,
    /// Every physical device that was ever handed out.
    pub(super) physical_devices: SharedList<Owned<PhysicalDevice>, Application>,
    /// The devices that are alive.
    pub(super) devices: SharedList<Owned<Device>, Application>,
}

/// A pointer to something that the instance keeps alive for as long as the pointer is in its list.
pub(super) struct Owned<T>(pub(super) core::ptr::NonNull<T>);

impl<T> Clone for Owned<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Owned<T> {}
// SAFETY: what is pointed to is only used in ways that are safe from any thread.
unsafe impl<T: Sync> Send for Owned<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Owned<T> {}

/// How many instances there are in the process.
static LIVE: AtomicUsize = AtomicUsize::new(0);

/// How many instances there are in the process.
#[must_use]
pub fn live_instances() -> usize {
    LIVE.load(Ordering::Acquire)
}

impl Instance {
    /// An instance without drivers.
    ///
    /// # Errors
    /// [`crate::memory::OutOfMemory`].
    pub(super) fn new(
        loader: &'static Loader,
        logger: Logger,
        allocator: Application,
        api_version: u32,
        extensions: ExtensionSet,
        sources: Sources,
    ) -> Result<Box<Self, Application>, crate::memory::OutOfMemory> {
        // SAFETY: a table is an array of addresses, for which NULL is valid.
        let table = unsafe { Box::<InstanceTable, Application>::try_new_zeroed_in(allocator)?.assume_init() };
        table.fill_missing();
        let handle = Handle::new(&raw const *table, core::ptr::null(), core::ptr::null_mut());
        let instance = Self {
            handle,
            table,
            loader,
            logger,
            allocator,
            api_version,
            extensions,
            sorted: false,
            sources,
            drivers: Vec::new_in(allocator),
            physical_devices: SharedList::new_in(allocator),
            devices: SharedList::new_in(allocator),
        };
        LIVE.fetch_add(1, Ordering::AcqRel);
        Ok(Box::try_new_in(instance, allocator)?)
    }

    /// The handle of the instance.
    #[must_use]
    pub fn handle(&self) -> vk::Instance {
        vk::Instance::from_raw(core::ptr::from_ref(self).expose_provenance() as u64)
    }

    /// Whether the application enabled what sorting needs, or a version that has it.
    pub(super) fn knows_properties2(&self) -> bool {
        self.api_version >= vk::API_VERSION_1_1
            || self.extensions.contains(extension::KHR_GET_PHYSICAL_DEVICE_PROPERTIES2)
    }

    /// Puts the functions for the unknown physical-device command `number` into all tables.
    ///
    /// Returns whether any driver has it.
    pub(crate) fn resolve_unknown_physical_device_command(&self, number: usize) -> bool {
        let Some(name) = self.loader.unknown.physical_device.name(self.loader, number) else { return false };
        let slot = INSTANCE_SLOTS.wrapping_add(number);
        let mut found = false;
        for driver in &self.drivers {
            let function = driver.find_physical_device_command(name);
            found |= function.is_some();
            set(&driver.table, slot, function);
        }
        set(&self.table, slot, crate::dispatch::TERMINATORS.piece(slot));
        found
    }

    /// Puts the functions for the unknown device command `number` into the tables of all devices that are alive.
    pub(crate) fn resolve_unknown_device_command(&self, number: usize) {
        let waiting = self.loader.platform.waiting;
        for place in 0usize.. {
            // Devices are pinned one at a time; one that comes or goes meanwhile is served by its own creation.
            let pinned = self.devices.read(waiting, |devices| {
                // SAFETY: devices in the list are alive, and pinning keeps this one alive after the lock.
                devices.get(place).map(|device| unsafe { device.0.as_ref() }.pin())
            });
            let Some(device) = pinned else { return };
            device.resolve_unknown_command(number, DEVICE_SLOTS.wrapping_add(number));
        }
    }
}

fn set(table: &InstanceTable, slot: usize, function: Option<Command>) {
    if let (Some(slot), Some(function)) = (table.slot(slot), function) {
        slot.set(function);
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        self.handle.invalidate();
        for device in self.physical_devices.take(self.loader.platform.waiting) {
            // SAFETY: the list owns what it points to, and the instance is used by nobody else any more.
            drop(unsafe { Box::from_non_null_in(device.0, self.allocator) });
        }
        self.drivers.clear();
        LIVE.fetch_sub(1, Ordering::AcqRel);
    }
}
