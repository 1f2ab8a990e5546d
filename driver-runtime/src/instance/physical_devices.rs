//! The physical devices of an instance: found once, all or nothing.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU8, Ordering};

use ash::vk::{self, Handle};
use vkload_core::memory::{CopiedCallbacks, Escaped, TryGrow, Vec};

use super::Instance;
use crate::dispatch::{CommandTable, DispatchTable};
use crate::driver_types::DriverTypes;
use crate::log::{Level, Topic};
use crate::message;
use crate::object::{Object, Owned, ParentObject, VkObject};
use crate::physical_device::{Description, Physical, clear_padding, raise};
use crate::result::EnumerateError;

// SAFETY: no other type is behind such handles.
unsafe impl<D: DriverTypes> VkObject for Physical<D> {
    type Handle = vk::PhysicalDevice;
    type Parent = Instance<D>;
}

/// A search: adds the devices that it finds.
pub(crate) type Find<D> = fn(&Instance<D>, &mut Enumeration<'_, D>) -> Result<(), EnumerateError>;

pub(crate) struct PhysicalDevices<D: DriverTypes> {
    state: AtomicU8,
    found: UnsafeCell<Found<D>>,
}

pub(crate) struct Found<D: DriverTypes> {
    devices: Vec<Owned<Physical<D>>, CopiedCallbacks>,
    groups: Vec<Group, CopiedCallbacks>,
}

/// Devices that a logical device can be made of, by their numbers.
#[derive(Clone, Copy)]
pub(crate) struct Group {
    members: [usize; vk::MAX_DEVICE_GROUP_SIZE],
    count: usize,
    subset_allocation: bool,
}

impl Group {
    fn new(members: &[usize], subset_allocation: bool) -> Self {
        let mut group =
            Self { members: [0; vk::MAX_DEVICE_GROUP_SIZE], count: members.len(), subset_allocation };
        group.members.iter_mut().zip(members).for_each(|(slot, member)| *slot = *member);
        group
    }

    fn numbers(&self) -> &[usize] {
        self.members.get(..self.count).unwrap_or(&self.members)
    }

    fn has(&self, number: usize) -> bool {
        self.numbers().contains(&number)
    }
}

impl<D: DriverTypes> Found<D> {
    fn new(memory: CopiedCallbacks) -> Self {
        Self { devices: Vec::new_in(memory), groups: Vec::new_in(memory) }
    }
}

/// No search has run yet, or the last one failed.
const UNKNOWN: u8 = 0;
/// One thread is searching and may write the list.
const SEARCHING: u8 = 1;
/// The list is complete and no longer changes.
const KNOWN: u8 = 2;

// SAFETY: the list is written by the one thread that moved the state to SEARCHING, and read after KNOWN.
unsafe impl<D: DriverTypes> Send for PhysicalDevices<D> {}
// SAFETY: as above.
unsafe impl<D: DriverTypes> Sync for PhysicalDevices<D> {}

impl<D: DriverTypes> PhysicalDevices<D> {
    pub(crate) fn new(memory: CopiedCallbacks) -> Self {
        Self { state: AtomicU8::new(UNKNOWN), found: UnsafeCell::new(Found::new(memory)) }
    }

    /// Returns the physical devices. The first successful call of `find` finds them; other threads wait for it.
    pub(crate) fn get_or_find(
        &self,
        instance: &Instance<D>,
        find: Find<D>,
    ) -> Result<&Found<D>, EnumerateError> {
        let mut turn = 0u32;
        loop {
            match self.state.compare_exchange(UNKNOWN, SEARCHING, Ordering::Acquire, Ordering::Acquire) {
                Ok(_) => return self.fill(instance, find),
                // SAFETY: the list no longer changes until the instance is destroyed.
                Err(KNOWN) => return Ok(unsafe { &*self.found.get() }),
                Err(_) => D::host().wait(turn),
            }
            turn = turn.saturating_add(1);
        }
    }

    /// Searches, and keeps the result if nothing failed. Called by the thread that moved the state to SEARCHING.
    fn fill(&self, instance: &Instance<D>, find: Find<D>) -> Result<&Found<D>, EnumerateError> {
        let mut found = Enumeration { instance, found: Found::new(*instance.root().memory()) };
        if let Err(error) = find(instance, &mut found) {
            drop(found);
            self.state.store(UNKNOWN, Ordering::Release);
            return Err(error);
        }
        // SAFETY: this thread alone may touch the list until it stores KNOWN.
        unsafe { *self.found.get() = found.found };
        self.state.store(KNOWN, Ordering::Release);
        // SAFETY: the list no longer changes.
        Ok(unsafe { &*self.found.get() })
    }

    /// Destroys the devices, before the rest of the instance goes.
    ///
    /// # Safety
    /// The instance and its physical devices are no longer in use.
    pub(crate) unsafe fn destroy(&self) {
        // SAFETY: the caller vouches that the result has no other user.
        unsafe { (*self.found.get()).devices.clear() };
    }
}

/// The physical devices that a search has found up to now. They are used only if the whole search succeeds.
pub struct Enumeration<'a, D: DriverTypes> {
    instance: &'a Instance<D>,
    found: Found<D>,
}

impl<D: DriverTypes> Enumeration<'_, D> {
    /// Adds a physical device.
    ///
    /// # Errors
    /// `InitializationFailed` for types of synchronisation objects that cannot work, which a message explains; [`OutOfMemory`](crate::OutOfMemory).
    pub fn push(
        &mut self,
        description: Description,
        driver: D::PhysicalDevice,
    ) -> Result<(), EnumerateError> {
        self.add(self.instance.root().base().dispatch(), description, driver)
    }

    /// As [`Enumeration::push`], for a physical device with its own functions, which its devices also use: `commands`
    /// contains everything in [`Tables::TABLE`](crate::Tables::TABLE).
    ///
    /// # Errors
    /// As there.
    pub fn push_with(
        &mut self,
        commands: &'static CommandTable<D>,
        description: Description,
        driver: D::PhysicalDevice,
    ) -> Result<(), EnumerateError> {
        self.add(commands.table(), description, driver)
    }

    /// `table` lives as long as the instance.
    fn add(
        &mut self,
        table: *const DispatchTable,
        mut description: Description,
        driver: D::PhysicalDevice,
    ) -> Result<(), EnumerateError> {
        raise(&mut description);
        clear_padding(&mut description);
        let root = self.instance.root();
        if let Some(Err(error)) = &description.sync_types {
            let name = description.properties.device_name_as_c_str().unwrap_or_default().to_bytes();
            let name = Escaped(name);
            message!(Level::Error, Topic::Driver, [root.base()], "the device {name} cannot be used: {error}");
            return Err(EnumerateError::InitializationFailed);
        }
        let physical = Physical::new(description, driver);
        let device = Object::create_in(self.instance, *root.memory(), table, physical)?;
        Ok(self.found.devices.try_push(device)?)
    }

    /// Groups added devices by their numbers, which count from 0 in the order of addition: the application may create
    /// one logical device from them. `subset_allocation` goes into the group's properties. A device without a group
    /// forms a group of its own.
    ///
    /// # Errors
    /// `InitializationFailed` for a group that cannot be: without devices, with more than Vulkan allows, with one that is
    /// not there or is in a group; [`OutOfMemory`](crate::OutOfMemory).
    pub fn group(&mut self, devices: &[usize], subset_allocation: bool) -> Result<(), EnumerateError> {
        let is_free = |(index, number): (usize, &usize)| {
            *number < self.found.devices.len()
                && !self.found.groups.iter().any(|group| group.has(*number))
                && !devices.iter().take(index).any(|other| other == number)
        };
        let fits = (1..=vk::MAX_DEVICE_GROUP_SIZE).contains(&devices.len());
        if !fits || !devices.iter().enumerate().all(is_free) {
            return Err(EnumerateError::InitializationFailed);
        }
        Ok(self.found.groups.try_push(Group::new(devices, subset_allocation))?)
    }
}

impl<D: DriverTypes> Found<D> {
    /// Returns the devices' handles, in the order in which they were found.
    pub(crate) fn handles(&self) -> impl Iterator<Item = vk::PhysicalDevice> {
        self.devices.iter().map(|device| device.shared_handle())
    }

    /// Returns the driver's groups, and each ungrouped device as its own group, ordered by first device.
    pub(crate) fn groups(&self) -> impl Iterator<Item = Group> {
        (0..self.devices.len()).filter_map(|number| {
            let own = Group::new(&[number], false);
            let group = self.groups.iter().find(|group| group.has(number)).copied().unwrap_or(own);
            (group.numbers().first() == Some(&number)).then_some(group)
        })
    }

    /// Writes a group's properties for an application.
    pub(crate) fn describe(&self, group: &Group, out: &mut vk::PhysicalDeviceGroupProperties<'_>) {
        out.physical_devices = [vk::PhysicalDevice::null(); vk::MAX_DEVICE_GROUP_SIZE];
        out.physical_device_count = 0;
        let members = group.numbers().iter().filter_map(|number| self.devices.get(*number));
        for (slot, device) in out.physical_devices.iter_mut().zip(members) {
            *slot = device.shared_handle();
            out.physical_device_count = out.physical_device_count.saturating_add(1);
        }
        out.subset_allocation = group.subset_allocation.into();
    }

    /// Returns whether all of these devices belong to one group, from which a logical device may be created.
    pub(crate) fn are_one_group(&self, devices: &[vk::PhysicalDevice]) -> bool {
        let number = |handle: &vk::PhysicalDevice| {
            self.devices.iter().position(|device| device.raw() == handle.as_raw())
        };
        let is_in_group = |group: &Group| {
            devices.iter().all(|handle| number(handle).is_some_and(|number| group.has(number)))
        };
        match devices {
            [] => true,
            [only] => number(only).is_some(),
            _ => self.groups.iter().any(is_in_group),
        }
    }
}
