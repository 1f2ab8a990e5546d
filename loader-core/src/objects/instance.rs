//! What a `VkInstance` points to.

use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use ash::vk::{self, Handle as _};

use super::driver::DriverInstance;

use super::device::Device;
use super::kept::Kept;
use super::presenting::Presenting;
use super::sources::Sources;
use crate::dispatch::{Command, Handle, HandleKind, InstanceTable, TERMINATORS, Table};
use crate::layers::{ActiveLayer, FoundLayers, Layers};
use crate::loader::{Loader, User};
use crate::log::{Level, Topic};
use crate::logger::Logger;
use crate::manifest::LayerManifest;
use crate::memory::{Application, Box, SharedList, Shown, Vec};
use crate::registry::{CommandSet, ExtensionSet, INSTANCE_SLOTS, extension};

/// What the application is given for a handle of a layer.
#[repr(C)]
pub(crate) struct OfLayer(pub(crate) Handle);

// SAFETY: nothing in it is changed after it is made, and what it points to lives as long as the instance.
unsafe impl Sync for OfLayer {}

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
    /// The table of all handles that stand for those of layers.
    pub(crate) of_layer_table: Option<Box<InstanceTable, Application>>,
    /// Handles that stand for those of layers.
    pub(crate) of_layers: SharedList<Kept<OfLayer>, Application>,
    /// The drivers, in the order in which they were discovered. Set by the terminator of vkCreateInstance.
    pub drivers: Vec<Box<DriverInstance, Application>, Application>,
    /// The devices that are alive.
    pub(super) devices: SharedList<Kept<Device>, Application>,
    /// The swapchains on windows that drivers take turns at.
    pub(super) presenting: SharedList<Presenting, Application>,
    /// Given up last.
    _user: User,
}

impl Handle {
    /// The instance that it belongs to.
    #[must_use]
    pub fn instance(&self) -> &Instance {
        // SAFETY: a handle is made with its instance, or given it before anybody sees it, and never outlives it.
        unsafe { &*self.instance_place().cast::<Instance>() }
    }
}

impl Instance {
    /// Memory for an instance, before anything of it is known: messages are about the instance from the first one on.
    ///
    /// # Errors
    /// [`crate::memory::OutOfMemory`].
    pub(crate) fn reserve(
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
    pub(crate) fn new(
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
        let handle = Handle::new(HandleKind::Instance, &raw const *table, none, lower, core::ptr::null());
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
            of_layer_table: None,
            of_layers: SharedList::new_in(allocator),
            drivers: Vec::new_in(allocator),
            devices: SharedList::new_in(allocator),
            presenting: SharedList::new_in(allocator),
            _user: loader.enter(),
        };
        let made = Box::into_non_null(Box::write(place, instance));
        // SAFETY: it is the box of above. The handle gets a pointer that may be used whatever changes the instance.
        unsafe {
            made.as_ref().handle.belongs_to(made.as_ptr().cast());
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
    pub(crate) fn set_chain_handle(&self, handle: vk::Instance) {
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
    pub(crate) fn enter_in_driver_tables(&self, number: usize) -> Option<Command> {
        let name = self.loader.unknown.physical_device.name(self.loader.platform.waiting, number)?;
        let slot = INSTANCE_SLOTS.wrapping_add(number);
        let mut found = false;
        for driver in &self.drivers {
            let function = driver.find_physical_device_command(name);
            found |= function.is_some();
            set(&driver.table, slot, function);
        }
        if found { TERMINATORS.piece(slot) } else { None }
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
            let address = core::ptr::from_ref(self).addr();
            self.loader.known.under_layers.remove(self.loader.platform.waiting, address);
        }
        // SAFETY: whoever drops it has it alone.
        unsafe { Self::finish(self) };
        for handle in self.of_layers.take(self.loader.platform.waiting) {
            // SAFETY: the list owned it, and the instance is used by nobody else any more.
            drop(unsafe { Box::from_non_null_in(handle.0, self.allocator) });
        }
    }
}

/// Memory that only lasts for one call.
pub(crate) fn command_memory(instance: &Instance) -> Application {
    instance.allocator.scoped(vk::SystemAllocationScope::COMMAND)
}
