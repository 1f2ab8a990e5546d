//! What a `VkInstance` points to.

use core::ffi::CStr;
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use ash::vk::{self, Handle as _};

use super::driver::DriverInstance;
use super::handle::{Handle, Kind};
use super::of_layer::{self, OfLayer};
use super::sources::Sources;
use super::terminators::{terminator_get_instance_proc_addr, terminator_get_physical_device_proc_addr};
use super::window::Presenting;
use super::{Device, PhysicalDevice};
use crate::abi::layer_interface::FindInstanceCommand;
use crate::chain::{ActiveLayer, FoundLayers, Layers};
use crate::dispatch::{Command, InstanceTable, TERMINATORS, Table};
use crate::loader::{Loader, User};
use crate::log::{Level, Topic};
use crate::logger::Logger;
use crate::manifest::LayerManifest;
use crate::memory::{Application, Box, SharedList, Shown, Vec};
use crate::platform::Waiting;
use crate::registry::{CommandSet, DEVICE_SLOTS, ExtensionSet, INSTANCE_SLOTS, extension};

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
    /// The version that the application was written for, or that a layer told the drivers; 1.0 where nobody said.
    pub api_version: u32,
    /// The extensions of the registry that the application enabled.
    pub extensions: ExtensionSet,
    /// The commands of the registry that vkGetInstanceProcAddr has an entry point for, by their numbers.
    pub(crate) commands: CommandSet,
    /// Whether physical devices are sorted.
    pub sorted: bool,
    /// Which order of physical devices has been logged last: a number made of it, 0 before the first.
    pub(super) told_order: AtomicUsize,
    /// Where its drivers come from.
    pub(super) sources: Sources,
    /// Its layers, the one nearest to the application first. Closed last.
    layers: Layers,
    /// What the layers call the instance.
    chain_handle: AtomicU64,
    pub(super) of_layer_table: Option<Box<InstanceTable, Application>>,
    pub(super) of_layers: SharedList<Owned<OfLayer>, Application>,
    /// The drivers, in the order in which they were discovered. Set by the terminator of vkCreateInstance.
    pub drivers: Vec<Box<DriverInstance, Application>, Application>,
    /// The devices that are alive.
    pub(super) devices: SharedList<Owned<Device>, Application>,
    /// The swapchains on windows that drivers take turns at.
    pub(super) presenting: SharedList<Presenting, Application>,
    /// Given up last.
    _user: User,
}

/// A pointer to something that the instance keeps alive for as long as the pointer is in its list.
pub(super) struct Owned<T>(pub(super) NonNull<T>);

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

/// The instances that are alive, for those who know only what a driver calls something.
pub(crate) struct LiveInstances(SharedList<Owned<Instance>>);

// SAFETY: an instance may be used by several threads at once, as Vulkan's commands allow it; what they write stands behind
// locks or is atomic, but for what its creation and its destruction write, when it is not in the list.
unsafe impl Sync for LiveInstances {}
// SAFETY: as above.
unsafe impl Send for LiveInstances {}

impl LiveInstances {
    pub(crate) const fn new() -> Self {
        Self(SharedList::new())
    }

    /// Adds an instance that is complete. Without memory for it, it is not found.
    pub(super) fn add(&self, instance: &Instance) {
        let _ = self.0.insert(instance.loader.platform.waiting, Owned(NonNull::from(instance)));
    }

    /// Takes an instance away that is going to be destroyed.
    pub(super) fn remove(&self, instance: &Instance) {
        self.0.remove(instance.loader.platform.waiting, |live| live.0 == NonNull::from(instance));
    }

    /// Gives back the list's memory, which it keeps when it is empty, if `unused`.
    pub(crate) fn forget(&self, waiting: &dyn Waiting, unused: impl Fn() -> bool) {
        drop(self.0.take_if(waiting, unused));
    }

    /// The instance to which belongs what a driver calls `device`.
    ///
    /// # Safety
    /// The instance is not destroyed as long as the reference is used: the caller is in a command on one of its devices.
    pub(super) unsafe fn of<'a>(
        &self,
        waiting: &dyn Waiting,
        device: vk::PhysicalDevice,
    ) -> Option<&'a Instance> {
        // SAFETY: instances leave the list before they are destroyed, and physical devices live as long as theirs.
        let is_its = |known: &Owned<PhysicalDevice>| unsafe { known.0.as_ref() }.driver_handle() == device;
        let has = |live: &&Owned<Instance>| {
            // SAFETY: as above.
            let drivers = unsafe { &live.0.as_ref().drivers };
            drivers.iter().any(|driver| driver.devices.read(waiting, |known| known.iter().any(is_its)))
        };
        let found = self.0.read(waiting, |live| live.iter().find(has).copied());
        // SAFETY: the caller vouches for it.
        found.map(|found| unsafe { found.0.as_ref() })
    }
}

impl Instance {
    /// Memory for an instance, before anything of it is known: messages are about the instance from the first one on.
    ///
    /// # Errors
    /// [`crate::memory::OutOfMemory`].
    pub(super) fn reserve(
        allocator: Application,
        logger: &Logger,
    ) -> Result<Box<MaybeUninit<Self>, Application>, crate::memory::OutOfMemory> {
        let place = Box::into_non_null(Box::<Self, _>::try_new_uninit_in(allocator)?);
        logger.listeners.expect_instance(place.as_ptr().expose_provenance() as u64);
        // SAFETY: it is the box of above.
        Ok(unsafe { Box::from_non_null_in(place, allocator) })
    }

    /// An instance without drivers.
    ///
    /// # Errors
    /// [`crate::memory::OutOfMemory`].
    pub(super) fn new(
        loader: &'static Loader,
        logger: Logger,
        place: Box<MaybeUninit<Self>, Application>,
        api_version: u32,
        extensions: ExtensionSet,
        sources: Sources,
        layers: Layers,
    ) -> Result<Box<Self, Application>, crate::memory::OutOfMemory> {
        let allocator = *Box::allocator(&place);
        let table = InstanceTable::try_new(allocator)?;
        let (none, lower) = (core::ptr::null(), core::ptr::null_mut());
        let handle = Handle::new(Kind::Instance, &raw const *table, none, lower, core::ptr::null());
        let of_layer_table = if layers.is_empty() { None } else { Some(of_layer::table(allocator)?) };
        let instance = Self {
            handle,
            table,
            loader,
            logger,
            allocator,
            api_version,
            extensions,
            commands: loader.flavour.commands_with(&extensions),
            sorted: false,
            told_order: AtomicUsize::new(0),
            sources,
            layers,
            chain_handle: AtomicU64::new(0),
            of_layer_table,
            of_layers: SharedList::new_in(allocator),
            drivers: Vec::new_in(allocator),
            devices: SharedList::new_in(allocator),
            presenting: SharedList::new_in(allocator),
            _user: loader.enter(),
        };
        let made = Box::into_non_null(Box::write(place, instance));
        // SAFETY: it is the box of above. The handle gets a pointer that may be used whatever changes the instance.
        unsafe {
            made.as_ref().handle.belongs_to(made);
            let handle = made.as_ptr().expose_provenance() as u64;
            made.as_ref().chain_handle.store(handle, Ordering::Relaxed);
            Ok(Box::from_non_null_in(made, allocator))
        }
    }

    /// The handle of the instance.
    #[must_use]
    pub fn handle(&self) -> vk::Instance {
        vk::Instance::from_raw(core::ptr::from_ref(self).expose_provenance() as u64)
    }

    /// Its layers, the one nearest to the application first.
    #[must_use]
    pub fn layers(&self) -> &[ActiveLayer] {
        &self.layers
    }

    /// The manifests of its layers in the same order, those of meta-layers behind their components.
    pub(super) fn enabled_layers(&self) -> impl Iterator<Item = &LayerManifest> {
        self.layers.enabled()
    }

    /// All layers of the system, as they were when the instance was made.
    #[must_use]
    pub fn found_layers(&self) -> &FoundLayers {
        &self.layers.found
    }

    /// What the layers call the instance: the loader's own handle, or one of the first layer's.
    #[must_use]
    pub fn chain_handle(&self) -> vk::Instance {
        vk::Instance::from_raw(self.chain_handle.load(Ordering::Relaxed))
    }

    /// Whether its beginning is as it was made.
    pub(crate) fn is_intact(&self) -> bool {
        self.handle.is_intact(&raw const *self.table)
    }

    /// Notes what the chain of vkCreateInstance made of the handle.
    pub(super) fn set_chain_handle(&self, handle: vk::Instance) {
        self.chain_handle.store(handle.as_raw(), Ordering::Relaxed);
    }

    /// Whether the application enabled what sorting needs, or a version that has it.
    pub(super) fn knows_properties2(&self) -> bool {
        self.api_version >= vk::API_VERSION_1_1
            || self.extensions.contains(extension::KHR_GET_PHYSICAL_DEVICE_PROPERTIES2)
    }

    /// Puts the drivers' functions for the unknown physical-device command `number` into their tables.
    ///
    /// Returns the lower end of the command's chain if any driver has it.
    pub(crate) fn resolve_unknown_physical_device_command(&self, number: usize) -> Option<Command> {
        let name = self.loader.unknown.physical_device.name(self.loader, number)?;
        let slot = INSTANCE_SLOTS.wrapping_add(number);
        let mut found = false;
        for driver in &self.drivers {
            let function = driver.find_physical_device_command(name);
            found |= function.is_some();
            set(&driver.table, slot, function);
        }
        if found { TERMINATORS.piece(slot) } else { None }
    }

    /// Puts the upper end of the chain of the unknown physical-device command `number` into the instance's table.
    pub(crate) fn set_unknown_physical_device_command(&self, number: usize, function: Command) {
        set(&self.table, INSTANCE_SLOTS.wrapping_add(number), Some(function));
    }

    /// The upper end of the chain of a physical-device command that the registry does not know.
    pub(crate) fn find_physical_device_command(&self, name: &CStr) -> Option<Command> {
        // Where a layer wraps the instance, only the first one knows it by the handle that came up the chain.
        let wrapped = self.chain_handle() != self.handle();
        let mut layers = self.layers().iter().take(if wrapped { 1 } else { usize::MAX });
        let find = layers.find_map(|layer| layer.interface.get_physical_device_proc_addr);
        let (find, handle) = find.map_or(
            (terminator_get_physical_device_proc_addr as FindInstanceCommand, self.handle()),
            |find| (find, self.chain_handle()),
        );
        // SAFETY: the handle is the one that the function's layer knows the instance by, and the name is a C string.
        unsafe { find(handle, name.as_ptr()) }
    }

    /// The upper end of the chain of a command.
    pub(crate) fn find(&self, name: &CStr) -> Option<Command> {
        let first = self.layers().first();
        let find = first
            .map_or(terminator_get_instance_proc_addr as _, |layer| layer.interface.get_instance_proc_addr);
        // SAFETY: as above.
        unsafe { find(self.chain_handle(), name.as_ptr()) }
    }

    /// Puts the functions for the unknown device command `number` into the tables of all devices that are alive.
    pub(crate) fn resolve_unknown_device_command(&self, number: usize) {
        let waiting = self.loader.platform.waiting;
        // From the end, as the list asks for. A device that comes meanwhile is served by its own creation.
        for place in (0..self.devices.read(waiting, <[_]>::len)).rev() {
            let pinned = self.devices.read(waiting, |devices| {
                // SAFETY: devices in the list are alive, and pinning keeps this one alive after the lock.
                devices.get(place).map(|device| unsafe { device.0.as_ref() }.pin())
            });
            if let Some(device) = pinned {
                device.resolve_unknown_command(number, DEVICE_SLOTS.wrapping_add(number));
            }
        }
    }
}

fn set(table: &InstanceTable, slot: usize, function: Option<Command>) {
    if let (Some(slot), Some(function)) = (table.slot(slot), function) {
        slot.set(function);
    }
}

impl Instance {
    /// Destroys what the drivers made, at the lower end of vkDestroyInstance's chain: the layers are still at work then.
    ///
    /// # Safety
    /// The instance at `place` is alive, and nobody else changes it. References to it are used by those only who look at it
    /// meanwhile, as the drivers' messages on their way to its listeners: none from before is used afterwards.
    pub(super) unsafe fn finish(place: *mut Self) {
        // SAFETY: the caller vouches for the place; nothing else but the list of drivers is changed.
        let (drivers, instance) = unsafe {
            let empty = Vec::new_in((*place).allocator);
            (core::mem::replace(&mut (*place).drivers, empty), &*place)
        };
        for driver in &drivers {
            for device in driver.devices.take(instance.loader.platform.waiting) {
                // SAFETY: the list owns what it points to, and the instance is used by nobody else any more.
                drop(unsafe { Box::from_non_null_in(device.0, instance.allocator) });
            }
        }
        for driver in drivers {
            let library = Shown(&driver.driver.library_path);
            let message = format_args!("{library}: destroying its instance");
            instance.logger.log(Level::Debug, Topic::Driver, message);
        }
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        self.handle.invalidate();
        if !self.layers.is_empty() {
            self.loader.known.remove_instance(self.loader.platform.waiting, self);
        }
        // SAFETY: whoever drops it has it alone.
        unsafe { Self::finish(self) };
        self.forget_handles_of_layers();
    }
}
