//! The loader's data for a `VkDevice`. The handle itself is the driver's: its first word, and that
//! of its queues and command buffers, leads to the device's table, and from there to this.

pub(super) mod commands;
pub(super) mod create;
pub(super) mod destroy;
mod dispatch_table;
pub(super) mod foreign;
mod foreign_key;
pub(super) mod under_creation;

use core::ffi::{CStr, c_void};
use core::ptr::NonNull;
use core::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32, AtomicUsize, Ordering};

use ash::vk::{self, Handle as _};

use self::foreign_key::DriversKey;
use crate::dispatch::{Command, DeviceTable, KEYS, LowerEnds, Table};
use crate::loader;
use crate::memory::{Application, Box, Callback, ObjectCallbacks, OutOfMemory};
use crate::objects::instance::Instance;
use crate::objects::instance::driver::PhysicalDevice;
use crate::objects::listed_ptr::ListedPtr;
use crate::registry::{CommandId, DEVICE_SLOTS, ExtensionKind, ExtensionSet};

/// The value that drivers write to the first word of every dispatchable object that they create.
const DRIVER_MAGIC: usize = 0x01cd_c0de;

/// The number of device commands with a terminator. The table (`objects/commands.rs`) is checked against it.
pub(super) const DRIVER_FUNCTIONS: usize = 10;

/// The state of a device until its destruction begins.
const ALIVE: u8 = 0;
/// The application's vkDestroyDevice is in progress, and frees the device.
const LEAVING: u8 = 1;
const GONE: u8 = 2;

pub struct Device {
    /// The first link of every command's call chain. Its address never changes: layers identify the
    /// device by it.
    pub table: Box<DeviceTable, Application>,
    /// The lower ends of its call chains, for layers that look up its commands through the instance. Only
    /// with several drivers: otherwise the lower ends do not depend on the device.
    lower: Option<Box<LowerEnds, Application>>,
    pub handle: vk::Device,
    physical_device: NonNull<PhysicalDevice>,
    find: vk::PFN_vkGetDeviceProcAddr,
    /// The driver's functions for the commands that the loader implements itself, by their indices in its table.
    driver_functions: [Option<Command>; DRIVER_FUNCTIONS],
    /// The first layer's vkGetDeviceProcAddr, or NULL without layers, and that layer's handle for the device.
    first_layer: AtomicPtr<c_void>,
    chain_handle: AtomicUsize,
    extensions: ExtensionSet,
    newest_core: u8,
    /// The first word of its handles, if that belongs to the driver.
    drivers_key: DriversKey,
    pins: AtomicU32,
    state: AtomicU8,
    pub allocator: Application,
    /// The callbacks behind that memory. Outlives the device.
    callbacks: ObjectCallbacks,
}

#[derive(Clone, Copy)]
struct Enabled {
    pub extensions: ExtensionSet,
    /// The newest minor version of Vulkan whose core commands the device has.
    pub newest_core: u8,
}

// SAFETY: after creation only atomics change, and the physical device that it points to is `Sync`.
unsafe impl Sync for Device {}

impl Device {
    fn new(
        physical_device: &PhysicalDevice,
        find: vk::PFN_vkGetDeviceProcAddr,
        enabled: Enabled,
        allocator: Application,
    ) -> Result<Box<Self, Application>, OutOfMemory> {
        let table = DeviceTable::try_new(allocator)?;
        let instance = physical_device.instance();
        let lower =
            if instance.layers_need_lower_ends() { Some(LowerEnds::try_new(allocator)?) } else { None };
        if let Some(lower) = &lower {
            table.lower.store(core::ptr::from_ref(&**lower).cast_mut(), Ordering::Relaxed);
        }
        let device = Self {
            table,
            lower,
            handle: vk::Device::null(),
            physical_device: NonNull::from(physical_device),
            find,
            driver_functions: [None; DRIVER_FUNCTIONS],
            first_layer: AtomicPtr::new(core::ptr::null_mut()),
            chain_handle: AtomicUsize::new(0),
            extensions: enabled.extensions,
            newest_core: enabled.newest_core,
            drivers_key: DriversKey::NONE,
            pins: AtomicU32::new(0),
            state: AtomicU8::new(ALIVE),
            allocator,
            callbacks: ObjectCallbacks::none(),
        };
        let allocation = Box::into_non_null(Box::try_new_in(device, allocator)?);
        // SAFETY: `allocation` is the box leaked just above, from the same allocator; it is taken back
        // only once.
        unsafe {
            allocation.as_ref().table.owner.store(allocation.as_ptr().cast(), Ordering::Release);
            Ok(Box::from_non_null_in(allocation, allocator))
        }
    }

    fn allocation(&self) -> NonNull<Self> {
        // SAFETY: `new` stored the address of the device there, which is not NULL, and nothing
        // changes it.
        unsafe { NonNull::new_unchecked(self.table.owner.load(Ordering::Relaxed).cast()) }
    }

    pub fn physical_device(&self) -> &PhysicalDevice {
        // SAFETY: a physical device lives as long as its instance, and so outlives the devices
        // created from it.
        unsafe { self.physical_device.as_ref() }
    }

    pub fn instance(&self) -> &Instance {
        self.physical_device().instance()
    }

    pub fn has(&self, command: CommandId) -> bool {
        self.has_with(command, &self.instance().extensions)
    }

    fn has_below_layers(&self, command: CommandId) -> bool {
        self.has_with(command, &self.instance().lower_extensions)
    }

    fn has_with(&self, command: CommandId, of_instance: &ExtensionSet) -> bool {
        self.has_core(command)
            || command.providers().any(|provider| match provider.kind() {
                ExtensionKind::Device => self.extensions.contains(provider),
                ExtensionKind::Instance => of_instance.contains(provider),
            })
    }

    fn has_core(&self, command: CommandId) -> bool {
        command.core().is_some_and(|minor| minor <= self.newest_core)
    }

    /// Returns the upper end of the call chain for the command with this name: the first layer's function,
    /// or the driver's.
    #[inline(never)] // several callers
    pub fn command(&self, name: &CStr) -> Option<Command> {
        let first = self.first_layer.load(Ordering::Acquire);
        if first.is_null() {
            return self.driver_proc_addr(name);
        }
        let handle = vk::Device::from_raw(self.chain_handle.load(Ordering::Relaxed) as u64);
        // SAFETY: `put_layers_on_top` stored a function of this type and the layer's handle before
        // it; the device is alive, and the name is a C string.
        unsafe {
            let find = core::mem::transmute::<*mut c_void, vk::PFN_vkGetDeviceProcAddr>(first);
            find(handle, name.as_ptr())
        }
    }

    /// Returns the driver's function with this name, which need not be in the registry.
    pub(super) fn driver_proc_addr(&self, name: &CStr) -> Option<Command> {
        // SAFETY: `handle` is the driver's live device, `find` is this driver's
        // vkGetDeviceProcAddr, and the name is a C string.
        unsafe { (self.find)(self.handle, name.as_ptr()) }
    }

    fn enter_unknown_command(&self, number: usize, slot: usize) {
        let loader = self.instance().loader;
        let Some(name) = loader.unknown.device.name(loader.platform.waiting, number) else { return };
        if self.lower.is_some() {
            self.set_lower_end(slot, self.driver_proc_addr(name));
        }
        let function = self.command(name);
        if let (Some(slot), Some(function)) = (self.table.slot(slot), function) {
            slot.set(function);
        }
    }

    /// Records the lower end of the call chain of the command with this slot, if layers may need it.
    fn set_lower_end(&self, slot: usize, function: Option<Command>) {
        let slot = self.lower.as_ref().and_then(|lower| lower.slot(slot));
        if let (Some(slot), Some(function)) = (slot, function) {
            slot.set(function);
        }
    }

    /// Keeps the device alive while the result lives.
    fn pin<'a>(&self) -> Pinned<'a> {
        self.pins.fetch_add(1, Ordering::AcqRel);
        Pinned(self.allocation(), core::marker::PhantomData)
    }

    /// Writes the device's table to the first word of a new dispatchable object of the driver, if
    /// that word belongs to the loader.
    ///
    /// # Safety
    /// `object` is NULL or a dispatchable object of this device that the driver or a layer has just
    /// created.
    pub(crate) unsafe fn adopt(&self, object: u64) {
        if self.is_foreign() {
            // SAFETY: by this function's `# Safety` `object` is NULL or a dispatchable object of
            // this device.
            return unsafe { self.adopt_foreign(object) };
        }
        let Ok(address) = usize::try_from(object) else { return };
        let word = core::ptr::with_exposed_provenance_mut::<usize>(address);
        if word.is_null() {
            return;
        }
        // SAFETY: by this function's `# Safety` `object` is a dispatchable object; its first word
        // belongs to the loader. Another thread may get the same queue at the same time and write
        // the same value, so the word is accessed as an atomic.
        let word = unsafe { AtomicUsize::from_ptr(word) };
        let table = core::ptr::from_ref(&*self.table).expose_provenance();
        let found = word.load(Ordering::Relaxed);
        if found == table {
            return;
        }
        // A layer that wraps an object need not prepare its wrapper: any value found is replaced.
        if found != DRIVER_MAGIC && self.first_layer.load(Ordering::Relaxed).is_null() {
            crate::log!(self.instance().logger, Warning, Driver:
                "{}: an object that the driver made begins with {found:#x} instead of the loader's magic \
                 {DRIVER_MAGIC:#x}",
                crate::memory::Escaped(&self.physical_device().driver().driver.library_path));
        }
        word.store(table, Ordering::Release);
    }

    /// Adds the device to its instance's list, and fills in the unknown commands known until now.
    fn publish(&self) -> Result<(), vk::Result> {
        let instance = self.instance();
        let loader = instance.loader;
        self.enter_key()?;
        instance.devices.insert(loader.platform.waiting, ListedPtr(self.allocation()))?;
        for number in 0..loader.unknown.device.count(loader.platform.waiting) {
            self.enter_unknown_command(number, DEVICE_SLOTS.wrapping_add(number));
        }
        Ok(())
    }

    /// Frees the loader's data for a device, with the callbacks of the call that destroys it or failed to
    /// create it: those that the upper end of the call chain was given. The driver's objects are not
    /// touched.
    ///
    /// # Safety
    /// The lower end of a call chain created `device`, and no other thread uses it; the callbacks are
    /// NULL or valid.
    pub(crate) unsafe fn forget(device: NonNull<Self>, callbacks: *const vk::AllocationCallbacks<'static>) {
        // SAFETY: by this function's `# Safety` the device is alive and no other thread uses it.
        // `create_device` leaked the box, which came from `allocator`.
        unsafe {
            let instance = device.as_ref().instance();
            if instance.loader.flavour.handles.are_looked_up() {
                instance.forget_swapchains_of_device(device.as_ref().handle);
            }
            device.as_ref().leave();
            // Outlives the device, whose memory it is.
            let _own = (*device.as_ptr()).callbacks.take(callbacks);
            let allocator = device.as_ref().allocator;
            drop(Box::from_non_null_in(device, allocator));
        }
    }

    /// Returns the device of `instance` whose objects begin with `word`.
    pub(crate) fn with_word(instance: &Instance, word: usize) -> Option<&Self> {
        let has_word = |device: &&ListedPtr<Self>| {
            // SAFETY: the lock of the list is held, and a device leaves the list before it is
            // freed.
            unsafe { device.0.as_ref() }.word() == word
        };
        let find = |list: &[ListedPtr<Self>]| list.iter().find(has_word).copied();
        let found = instance.devices.read(instance.loader.platform.waiting, find)?;
        // SAFETY: the device was in the list, so it was alive; a device under creation is not destroyed.
        Some(unsafe { found.0.as_ref() })
    }

    fn leave(&self) {
        self.withdraw();
        self.take_key_out();
    }

    /// Removes the device from its instance's list and waits until no other thread uses it through the list.
    fn withdraw(&self) {
        let waiting = self.instance().loader.platform.waiting;
        let this = self.allocation();
        let _ = self.instance().devices.remove(waiting, |device| device.0 == this);
        let unpinned = &self.instance().loader.unpinned;
        unpinned.wait(waiting, &mut || self.pins.load(Ordering::Acquire) == 0);
    }
}

impl Instance {
    /// Returns whether devices keep the lower ends of their call chains: a layer may look up their commands
    /// through the instance, and the drivers' own functions would only do for one driver's devices.
    fn layers_need_lower_ends(&self) -> bool {
        !self.loader.flavour.handles.are_looked_up() && !self.layers().is_empty() && self.drivers.len() > 1
    }

    /// Writes the functions for the unknown device command `number` to the tables of all live
    /// devices.
    pub(crate) fn enter_in_device_tables(&self, number: usize) {
        self.for_each_device(&mut |device: &Device| {
            device.enter_unknown_command(number, DEVICE_SLOTS.wrapping_add(number));
        });
    }

    /// Writes the drivers' functions for the unknown device command with this number and name to the lower ends of
    /// all live devices.
    pub(super) fn enter_in_lower_ends(&self, number: usize, name: &CStr) {
        self.for_each_device(&mut |device: &Device| {
            device.set_lower_end(DEVICE_SLOTS.wrapping_add(number), device.driver_proc_addr(name));
        });
    }

    fn for_each_device(&self, action: &mut dyn for<'a> Callback<&'a Device>) {
        let waiting = self.loader.platform.waiting;
        // From the end, as the list requires. A device that is added meanwhile fills in the command
        // when it is created.
        for index in (0..self.devices.read(waiting, <[_]>::len)).rev() {
            let pinned = self.devices.read(waiting, |devices| {
                // SAFETY: the lock of the list is held, a device leaves the list before it is
                // freed, and `withdraw` waits for the pin after the lock is released.
                devices.get(index).map(|device| unsafe { device.0.as_ref() }.pin())
            });
            if let Some(device) = pinned {
                action.call(&device);
            }
        }
    }
}

struct Pinned<'a>(NonNull<Device>, core::marker::PhantomData<&'a Device>);

impl core::ops::Deref for Pinned<'_> {
    type Target = Device;
    fn deref(&self) -> &Device {
        // SAFETY: `withdraw` waits for the pin before the device is freed.
        unsafe { self.0.as_ref() }
    }
}

impl Drop for Pinned<'_> {
    fn drop(&mut self) {
        let loader = self.instance().loader;
        self.pins.fetch_sub(1, Ordering::AcqRel);
        // The device may be gone.
        loader.unpinned.changed(loader.platform.waiting);
    }
}

/// Returns the device that a device, queue or command buffer belongs to.
///
/// # Safety
/// `object` is NULL or a valid handle of one of these kinds.
pub(crate) unsafe fn device_of<'a>(object: u64) -> Option<&'a Device> {
    let object = core::ptr::with_exposed_provenance::<*const DeviceTable>(usize::try_from(object).ok()?);
    // SAFETY: by this function's `# Safety` `object` is NULL or a valid handle. `adopt` made its
    // first word the address of the table, or `enter_key` entered the word with the table; the
    // table names its owner as long as that lives.
    unsafe {
        let word = object.as_ref()?;
        let table = if loader::handles().are_looked_up() {
            KEYS.table_of(word.addr())?
        } else {
            core::ptr::with_exposed_provenance::<DeviceTable>(word.addr()).as_ref()?
        };
        table.owner.load(Ordering::Acquire).cast::<Device>().as_ref()
    }
}
