//! Finding physical devices: once for an instance, all or nothing.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU8, Ordering};

use ash::vk;
use loader_core::abi::array::deliver;
use loader_core::memory::{Application, OutOfMemory, Process, TryGrow, Vec};

use super::{Description, Physical};
use crate::driver::{Driver, Search, Tables};
use crate::instance::Instance;
use crate::object::{Object, Owned, ParentObject};
use crate::result::EnumerateError;

/// The physical devices of an instance.
pub(crate) struct PhysicalDevices<D: Driver> {
    state: AtomicU8,
    list: UnsafeCell<Vec<Owned<Physical<D>>, Application>>,
}

/// Nobody has looked yet, or the last search failed.
const UNKNOWN: u8 = 0;
/// One thread is searching and may write the list.
const SEARCHING: u8 = 1;
/// The list is complete and does not change any more.
const KNOWN: u8 = 2;

// SAFETY: the list is written by the one thread that moved the state to SEARCHING, and read after KNOWN.
unsafe impl<D: Driver> Send for PhysicalDevices<D> {}
// SAFETY: as above.
unsafe impl<D: Driver> Sync for PhysicalDevices<D> {}

impl<D: Driver> PhysicalDevices<D> {
    pub(crate) fn new(memory: Application) -> Self {
        Self { state: AtomicU8::new(UNKNOWN), list: UnsafeCell::new(Vec::new_in(memory)) }
    }

    /// The physical devices; the first call that succeeds finds them, others wait for it.
    fn get(&self, instance: &Instance<D>) -> Result<&[Owned<Physical<D>>], EnumerateError> {
        let mut turn = 0u32;
        loop {
            match self.state.compare_exchange(UNKNOWN, SEARCHING, Ordering::Acquire, Ordering::Acquire) {
                Ok(_) => return self.search(instance),
                // SAFETY: the list does not change any more until the instance is destroyed.
                Err(KNOWN) => return Ok(unsafe { &*self.list.get() }),
                Err(_) => D::host().wait(turn),
            }
            turn = turn.saturating_add(1);
        }
    }

    /// Searches, and keeps what was found if nothing failed. Called by the thread that moved the state to SEARCHING.
    fn search(&self, instance: &Instance<D>) -> Result<&[Owned<Physical<D>>], EnumerateError> {
        let mut found = Enumeration { instance, devices: Vec::new_in(*instance.root().memory()) };
        if let Err(error) = found.fill() {
            drop(found);
            self.state.store(UNKNOWN, Ordering::Release);
            return Err(error);
        }
        // SAFETY: this thread alone may touch the list until it stores KNOWN.
        unsafe { *self.list.get() = found.devices };
        self.state.store(KNOWN, Ordering::Release);
        // SAFETY: the list does not change any more.
        Ok(unsafe { &*self.list.get() })
    }

    /// Destroys the devices, before the rest of the instance goes.
    ///
    /// # Safety
    /// Nothing uses the instance or its physical devices any more.
    pub(crate) unsafe fn destroy(&self) {
        // SAFETY: the caller vouches that there is no other user.
        unsafe { (*self.list.get()).clear() };
    }
}

/// The physical devices that a search has found so far. They count only when the whole search succeeds.
pub struct Enumeration<'a, D: Driver> {
    instance: &'a Instance<D>,
    devices: Vec<Owned<Physical<D>>, Application>,
}

impl<D: Driver> Enumeration<'_, D> {
    /// Adds a physical device.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn push(&mut self, description: Description, driver: D::PhysicalDevice) -> Result<(), OutOfMemory> {
        let table = description.commands.unwrap_or(D::TABLE);
        let memory = *self.instance.root().memory();
        let device = Object::create_in(self.instance, memory, table, Physical { description, driver })?;
        self.devices.try_push(device)
    }

    fn fill(&mut self) -> Result<(), EnumerateError> {
        if D::enumerate(self.instance, self)? == Search::Done {
            return Ok(());
        }
        // Nodes that are not the driver's are passed over in silence: they are other drivers'.
        for node in 0..D::nodes(self.instance) {
            if let Some((description, driver)) = D::try_create_for_node(self.instance, node)? {
                self.push(description, driver)?;
            }
        }
        Ok(())
    }
}

/// # Safety
/// As the specification has it for `vkEnumeratePhysicalDevices`.
pub(crate) unsafe extern "system" fn enumerate_physical_devices<D: Driver>(
    instance: vk::Instance,
    count: *mut u32,
    out: *mut vk::PhysicalDevice,
) -> vk::Result {
    // SAFETY: the caller vouches for the handle and the counted out-array.
    unsafe {
        match handles::<D>(instance) {
            Ok(handles) => deliver(&handles, count, out),
            Err(error) => error.into(),
        }
    }
}

/// Each device is a group of its own.
///
/// # Safety
/// As the specification has it for `vkEnumeratePhysicalDeviceGroups`.
pub(crate) unsafe extern "system" fn enumerate_physical_device_groups<D: Driver>(
    instance: vk::Instance,
    count: *mut u32,
    out: *mut vk::PhysicalDeviceGroupProperties<'_>,
) -> vk::Result {
    // SAFETY: the caller vouches for the handle and the counted out-array.
    unsafe {
        let handles = match handles::<D>(instance) {
            Ok(handles) => handles,
            Err(error) => return error.into(),
        };
        let available = u32::try_from(handles.len()).unwrap_or(u32::MAX);
        if out.is_null() {
            count.write(available);
            return vk::Result::SUCCESS;
        }
        let written = available.min(count.read());
        for (place, handle) in handles.iter().take(written as usize).enumerate() {
            let group = &mut *out.add(place);
            group.physical_device_count = 1;
            group.physical_devices = [vk::PhysicalDevice::null(); vk::MAX_DEVICE_GROUP_SIZE];
            if let Some(first) = group.physical_devices.first_mut() {
                *first = *handle;
            }
            group.subset_allocation = vk::FALSE;
        }
        count.write(written);
        if written < available { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS }
    }
}

/// # Safety
/// `instance` is null or a live handle.
unsafe fn handles<D: Driver>(
    instance: vk::Instance,
) -> Result<Vec<vk::PhysicalDevice, Process>, EnumerateError> {
    // SAFETY: the caller vouches for the handle.
    let instance =
        unsafe { Instance::<D>::from_handle(instance) }.ok_or(EnumerateError::InitializationFailed)?;
    let mut handles = Vec::new_in(Process);
    for device in instance.devices().get(instance)? {
        handles.try_push(device.shared_handle())?;
    }
    Ok(handles)
}
