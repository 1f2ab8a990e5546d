//! The object behind a `VkInstance`.

pub(super) mod commands;
pub(super) mod create;
pub(super) mod driver;
mod driver_table;
pub(super) mod extensions;
pub(super) mod global;
pub(super) mod probe;
mod queried;
pub(super) mod sources;
pub(super) mod under_creation;

use core::ffi::CStr;
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicUsize, Ordering};

use ash::vk::{self, Handle as _};

use self::driver::DriverInstance;

use self::sources::Sources;
use crate::dispatch::{Command, Handle, HandleKind, InstanceTable, TERMINATORS, Table};
use crate::layers::{ActiveLayer, FoundLayers, Layers};
use crate::loader::{Loader, User};
use crate::logger::Logger;
use crate::manifest::LayerManifest;
use crate::memory::{Application, Box, CopiedCallbacks, Escaped, ObjectCallbacks, SharedList, Vec};
use crate::objects::device::Device;
use crate::objects::listed_ptr::ListedPtr;
use crate::objects::surface::window::Presenting;
use crate::platform::Turn;
use crate::registry::{CommandSet, ExtensionId, ExtensionSet, INSTANCE_SLOTS, extension};

/// The loader's object for a layer's handle.
#[repr(C)]
pub(crate) struct LayerHandle(pub(crate) Handle);

// SAFETY: only atomics change after creation, and the pointers' targets live as long as the instance.
unsafe impl Sync for LayerHandle {}

/// An instance of the loader, which represents one instance in each of several drivers.
#[repr(C)]
pub struct Instance {
    handle: Handle,
    /// The first link of every command's call chain. Its address never changes: layers identify the
    /// instance by it.
    pub table: Box<InstanceTable, Application>,
    pub loader: &'static Loader,
    pub logger: Logger,
    pub allocator: Application,
    /// The callbacks that the lower end of vkCreateInstance received.
    created_with: CopiedCallbacks,
    /// The callbacks behind that memory. Outlives the instance.
    pub(crate) callbacks: ObjectCallbacks,
    /// The version that the application was written for, or that a layer reported to the drivers; 1.0 if
    /// neither gave one.
    pub api_version: u32,
    pub extensions: ExtensionSet,
    /// The extensions of the registry that the application enabled or a layer added on the way to the
    /// lower end of the call chain.
    pub(super) lower_extensions: ExtensionSet,
    /// The commands of the registry for which vkGetInstanceProcAddr has an entry point, by their
    /// numbers.
    pub(crate) commands: CommandSet,
    pub sorted: bool,
    /// The order of physical devices that was logged last: a number computed from it, 0 before the
    /// first.
    pub(super) told_order: AtomicUsize,
    pub(super) sources: Sources,
    /// Its layers, the one nearest to the application first. Closed last.
    layers: Layers,
    chain_handle: AtomicUsize,
    /// The first layer's vkEnumerateDeviceExtensionProperties, whose slot in the table another function takes.
    pub(crate) device_extensions: Option<vk::PFN_vkEnumerateDeviceExtensionProperties>,
    /// The table of all handles that represent layer handles.
    pub(crate) of_layer_table: Option<Box<InstanceTable, Application>>,
    pub(crate) of_layers: SharedList<ListedPtr<LayerHandle>, Application>,
    /// The names that the registry does not know and the application has looked up.
    pub(crate) looked_up: SharedList<LookedUp, Application>,
    /// The drivers, in the order in which they were discovered. The terminator of vkCreateInstance
    /// sets it.
    pub drivers: Vec<Box<DriverInstance, Application>, Application>,
    pub(super) devices: SharedList<ListedPtr<Device>, Application>,
    pub(super) presenting: SharedList<Presenting, Application>,
    /// Released last.
    _user: User,
}

#[derive(Clone, Copy)]
pub(crate) struct LookedUp {
    /// The name, with NULs after it.
    pub(crate) name: [u8; KEPT_NAME],
    pub(crate) function: Option<Command>,
}

/// More than the bytes of the longest name in the registry. Longer names are not kept.
pub(crate) const KEPT_NAME: usize = 72;

impl Handle {
    pub fn instance(&self) -> &Instance {
        // SAFETY: every handle gets its instance when it is created, or before anybody sees it, and
        // never outlives it.
        unsafe { &*self.instance_address().cast::<Instance>() }
    }
}

impl Instance {
    /// Reserves memory for an instance before its properties are known: messages refer to the instance from
    /// the first one on.
    pub(crate) fn reserve(
        allocator: Application,
        logger: &Logger,
    ) -> Result<Box<MaybeUninit<Self>, Application>, crate::memory::OutOfMemory> {
        let memory = Box::into_non_null(Box::<Self, _>::try_new_uninit_in(allocator)?);
        logger.listeners.expect_instance(memory.as_ptr().expose_provenance() as u64);
        // SAFETY: `memory` is the box leaked just above, from the same allocator.
        Ok(unsafe { Box::from_non_null_in(memory, allocator) })
    }

    pub(crate) fn new(
        loader: &'static Loader,
        logger: Logger,
        memory: Box<MaybeUninit<Self>, Application>,
        api_version: u32,
        extensions: ExtensionSet,
        sources: Sources,
        layers: Layers,
    ) -> Result<Box<Self, Application>, crate::memory::OutOfMemory> {
        let allocator = *Box::allocator(&memory);
        let table = InstanceTable::try_new(allocator)?;
        let (none, lower) = (core::ptr::null(), core::ptr::null_mut());
        let handle = Handle::new(HandleKind::Instance, &raw const *table, none, lower, core::ptr::null());
        let instance = Self {
            handle,
            table,
            loader,
            logger,
            allocator,
            created_with: CopiedCallbacks::process(),
            callbacks: ObjectCallbacks::none(),
            api_version,
            extensions,
            lower_extensions: ExtensionSet::default(),
            commands: loader.flavour.commands_with(&extensions),
            sorted: false,
            told_order: AtomicUsize::new(0),
            sources,
            layers,
            chain_handle: AtomicUsize::new(0),
            device_extensions: None,
            of_layer_table: None,
            of_layers: SharedList::new_in(allocator),
            looked_up: SharedList::new_in(allocator),
            drivers: Vec::new_in(allocator),
            devices: SharedList::new_in(allocator),
            presenting: SharedList::new_in(allocator),
            _user: loader.enter(),
        };
        let made = Box::into_non_null(Box::write(memory, instance));
        // SAFETY: `made` is the box leaked just above, from the same allocator. The handle gets its
        // raw pointer, which stays usable when the instance is changed later.
        unsafe {
            made.as_ref().handle.belongs_to(made.as_ptr().cast());
            let address = made.as_ptr().expose_provenance();
            made.as_ref().chain_handle.store(address, Ordering::Relaxed);
            Ok(Box::from_non_null_in(made, allocator))
        }
    }

    pub fn handle(&self) -> vk::Instance {
        vk::Instance::from_raw(core::ptr::from_ref(self).expose_provenance() as u64)
    }

    pub fn layers(&self) -> &[ActiveLayer] {
        &self.layers
    }

    /// Keeps other threads out of layers until the turn is over ([`Loader::turn_in_layers`]), if it has layers.
    #[must_use]
    #[inline(never)] // several callers
    pub(crate) fn turn_in_layers(&self) -> Option<Turn<'static>> {
        if self.layers.is_empty() { None } else { self.loader.turn_in_layers() }
    }

    /// Returns the manifests of its layers in the same order, with meta-layers after their components.
    pub(super) fn enabled_layers(&self) -> impl Iterator<Item = &LayerManifest> {
        self.layers.enabled()
    }

    pub fn found_layers(&self) -> &FoundLayers {
        &self.layers.found
    }

    /// Returns the layers' handle for the instance: the loader's own, or one of the first layer's.
    pub fn chain_handle(&self) -> vk::Instance {
        vk::Instance::from_raw(self.chain_handle.load(Ordering::Relaxed) as u64)
    }

    /// Returns whether its first fields are unchanged since it was created.
    pub(crate) fn is_intact(&self) -> bool {
        self.handle.is_intact(&raw const *self.table)
    }

    /// Records the handle that the call chain of vkCreateInstance returned.
    pub(crate) fn set_chain_handle(&self, handle: vk::Instance) {
        self.chain_handle.store(handle.as_raw() as usize, Ordering::Relaxed);
    }

    pub(super) fn enables(&self, extension: ExtensionId) -> bool {
        self.lower_extensions.contains(extension)
    }

    /// Returns whether the application enabled the extension that sorting needs, or a version that includes
    /// it.
    fn knows_properties2(&self) -> bool {
        self.api_version >= vk::API_VERSION_1_1
            || self.extensions.contains(extension::KHR_GET_PHYSICAL_DEVICE_PROPERTIES2)
    }

    /// Returns whether some driver has a physical-device command of this name, which the registry need not
    /// know.
    pub(crate) fn drivers_have_physical_device_command(&self, name: &CStr) -> bool {
        self.drivers.iter().any(|driver| driver.physical_device_command(name).is_some())
    }

    /// Writes the drivers' functions for the unknown physical-device command `number` to their
    /// tables.
    ///
    /// Returns the lower end of the command's call chain if any driver has the command.
    pub(crate) fn enter_in_driver_tables(&self, number: usize) -> Option<Command> {
        let name = self.loader.unknown.physical_device.name(self.loader.platform.waiting, number)?;
        let slot = INSTANCE_SLOTS.wrapping_add(number);
        let mut found = false;
        for driver in &self.drivers {
            let function = driver.physical_device_command(name);
            if let (Some(slot), Some(function)) = (driver.table.slot(slot), function) {
                slot.set(function);
                found = true;
            }
        }
        if found { TERMINATORS.piece(slot) } else { None }
    }
}

impl Instance {
    /// Destroys the drivers' objects, at the lower end of vkDestroyInstance's call chain: the layers still
    /// work then. Drivers receive the callbacks passed down with that call, or without such a call the
    /// callbacks that their instances were created with.
    ///
    /// # Safety
    /// The instance at `this` is alive, and no other code changes it. Only code that reads it meanwhile uses
    /// references to it, such as drivers' messages on their way to its listeners; no earlier reference is
    /// used afterwards. The callbacks are NULL or valid.
    unsafe fn finish(this: *mut Self, callbacks: *const vk::AllocationCallbacks<'static>) {
        // SAFETY: by this function's `# Safety` the instance is alive and no other code changes it; only the
        // list of drivers is changed here.
        let (mut drivers, instance) = unsafe {
            let empty = Vec::new_in((*this).allocator);
            (core::mem::replace(&mut (*this).drivers, empty), &*this)
        };
        for driver in &drivers {
            for device in driver.devices.take(instance.loader.platform.waiting) {
                // SAFETY: `physical_device` leaked the box into this list, with this allocator; it has left
                // the list, and the instance's devices are no longer used.
                drop(unsafe { Box::from_non_null_in(device.0, instance.allocator) });
            }
        }
        drivers.iter_mut().for_each(|driver| driver.callbacks = callbacks);
        for driver in drivers {
            let library = Escaped(&driver.driver.library_path);
            crate::log!(instance.logger, Debug, Driver: "{library}: destroying its instance");
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
        // SAFETY: `drop` has exclusive access to the instance.
        unsafe { Self::finish(self, self.created_with.as_ptr()) };
        for handle in self.of_layers.take(self.loader.platform.waiting) {
            // SAFETY: the box was leaked into this list, with this allocator; it has left the list,
            // and no other thread uses the instance.
            drop(unsafe { Box::from_non_null_in(handle.0, self.allocator) });
        }
    }
}

/// Returns the allocator for memory that is needed only for one call.
pub(crate) fn command_memory(instance: &Instance) -> Application {
    instance.allocator.scoped(vk::SystemAllocationScope::COMMAND)
}
