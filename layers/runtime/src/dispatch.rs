//! The functions of the next layer for an instance or a device, and the layer's own data of it.

use core::alloc::Layout;
use core::ffi::c_void;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicPtr, Ordering};

use ash::vk;
use vkload_core::memory::{Allocator as _, Application};
use vkload_registry::{COMMAND_COUNT, CommandId};

use crate::layer::Layer;

/// A function of any command.
pub type Function = unsafe extern "system" fn();

/// How the next layer's functions are found.
#[derive(Clone, Copy)]
pub(crate) struct Lookup {
    pub(crate) instance: vk::Instance,
    /// The next layer's handle; NULL for an instance.
    pub(crate) device: vk::Device,
    pub(crate) in_instance: vk::PFN_vkGetInstanceProcAddr,
    /// For an instance, if the next layer has it.
    pub(crate) in_physical_device: Option<vk::PFN_vkGetInstanceProcAddr>,
    pub(crate) in_device: Option<vk::PFN_vkGetDeviceProcAddr>,
    /// For an instance, whether the program can have messengers.
    pub(crate) has_messengers: bool,
}

/// An instance with its physical devices, or a device with its queues and command buffers.
pub struct Dispatch<L: Layer> {
    pub(crate) lookup: Lookup,
    data: Data<L>,
    /// This, once the instance or device is destroyed.
    removed: AtomicPtr<Self>,
    /// By number of the command; NULL until it is first looked up or called.
    functions: [AtomicPtr<c_void>; COMMAND_COUNT],
}

enum Data<L: Layer> {
    Instance(L::Instance),
    Device(L::Device),
}

/// Whether a command belongs to an instance or to a device.
pub trait Level {
    /// The layer's data.
    type Data<L: Layer>;

    #[doc(hidden)]
    fn of<L: Layer>(dispatch: Option<&Dispatch<L>>) -> Option<&Self::Data<L>>;
}

/// Commands on instances and physical devices.
#[derive(Debug)]
pub enum InstanceLevel {}

/// Commands on devices, queues and command buffers.
#[derive(Debug)]
pub enum DeviceLevel {}

/// Commands that need no object.
#[derive(Debug)]
pub enum NoLevel {}

impl Level for InstanceLevel {
    type Data<L: Layer> = L::Instance;

    fn of<L: Layer>(dispatch: Option<&Dispatch<L>>) -> Option<&L::Instance> {
        match &dispatch?.data {
            Data::Instance(data) => Some(data),
            Data::Device(_) => None,
        }
    }
}

impl Level for DeviceLevel {
    type Data<L: Layer> = L::Device;

    fn of<L: Layer>(dispatch: Option<&Dispatch<L>>) -> Option<&L::Device> {
        match &dispatch?.data {
            Data::Device(data) => Some(data),
            Data::Instance(_) => None,
        }
    }
}

impl Level for NoLevel {
    type Data<L: Layer> = ();

    fn of<L: Layer>(_: Option<&Dispatch<L>>) -> Option<&()> {
        Some(&())
    }
}

/// Memory for a [`Dispatch`], from the application's allocation callbacks if it passes any.
pub(crate) struct Unused<L: Layer> {
    memory: NonNull<Dispatch<L>>,
    allocator: Application,
}

impl<L: Layer> Unused<L> {
    /// Allocates. Returns an error if memory is short.
    ///
    /// # Safety
    /// The callbacks are NULL or valid for as long as this value lives, and compatible with those at the destruction of the object.
    pub(crate) unsafe fn new(
        callbacks: *const vk::AllocationCallbacks<'_>,
        scope: vk::SystemAllocationScope,
    ) -> Result<Self, vk::Result> {
        // SAFETY: the caller vouches for the callbacks.
        let allocator = unsafe { Application::new(callbacks, scope) };
        let memory = allocator.allocate_zeroed(Layout::new::<Dispatch<L>>());
        let memory = memory.map_err(|_| vk::Result::ERROR_OUT_OF_HOST_MEMORY)?;
        Ok(Self { memory: memory.cast(), allocator })
    }

    /// Fills it in. It is freed by [`Dispatch::free`].
    pub(crate) fn filled(self, lookup: Lookup) -> NonNull<Dispatch<L>> {
        let memory = self.memory;
        core::mem::forget(self);
        let data = if lookup.in_device.is_some() {
            Data::Device(L::Device::default())
        } else {
            Data::Instance(L::Instance::default())
        };
        // SAFETY: the memory is for a `Dispatch`, and zero, which is NULL in its pointers. The other members are written here.
        unsafe {
            (&raw mut (*memory.as_ptr()).lookup).write(lookup);
            (&raw mut (*memory.as_ptr()).data).write(data);
        }
        memory
    }
}

impl<L: Layer> Drop for Unused<L> {
    fn drop(&mut self) {
        // SAFETY: it was allocated with this layout, and no other code has the pointer.
        unsafe { self.allocator.deallocate(self.memory.cast(), Layout::new::<Dispatch<L>>()) };
    }
}

impl<L: Layer> Dispatch<L> {
    /// Has [`Dispatch::removed`] return this from now on.
    ///
    /// # Safety
    /// It comes from [`Unused::filled`], and is in no map any more.
    pub(crate) unsafe fn set_removed(dispatch: NonNull<Self>) {
        // SAFETY: the caller vouches for it.
        unsafe { dispatch.as_ref() }.removed.store(dispatch.as_ptr(), Ordering::Relaxed);
    }

    /// Returns this if the instance or device was destroyed: the layer's function that destroys it may use the data until it returns.
    pub(crate) fn removed(&self) -> Option<NonNull<Self>> {
        NonNull::new(self.removed.load(Ordering::Relaxed))
    }

    /// Frees one.
    ///
    /// # Safety
    /// It comes from [`Unused::filled`], no reference to it exists, and its creation had compatible callbacks.
    pub(crate) unsafe fn free(dispatch: NonNull<Self>, callbacks: *const vk::AllocationCallbacks<'_>) {
        // SAFETY: the caller vouches for both.
        unsafe {
            dispatch.as_ptr().drop_in_place();
            let allocator = Application::new(callbacks, vk::SystemAllocationScope::OBJECT);
            drop(Unused { memory: dispatch, allocator });
        }
    }

    /// Returns the next layer's function of a command, or `None` if it does not have it.
    #[inline]
    pub(crate) fn function(&self, command: CommandId) -> Option<Function> {
        // The pointer leads to code, which existed before, so no ordering is needed.
        let known = self.functions.get(command.index())?.load(Ordering::Relaxed);
        if known.is_null() {
            return self.look_up(command);
        }
        // SAFETY: only functions are put there.
        Some(unsafe { core::mem::transmute::<*mut c_void, Function>(known) })
    }

    pub(crate) fn learn(&self, command: CommandId, function: Function) {
        if let Some(slot) = self.functions.get(command.index()) {
            slot.store(function as *mut c_void, Ordering::Relaxed);
        }
    }

    #[cold]
    fn look_up(&self, command: CommandId) -> Option<Function> {
        let (lookup, name) = (&self.lookup, command.name().as_ptr());
        // SAFETY: the handles are those for which the chain gave the functions.
        let found = unsafe {
            let in_device = lookup.in_device.and_then(|find| find(lookup.device, name));
            // Commands on devices that instance extensions have are not found in every chain's devices.
            in_device.or_else(|| (lookup.in_instance)(lookup.instance, name))
        };
        let function = found?;
        self.learn(command, function);
        Some(function)
    }
}

/// Returns the first word of a dispatchable handle.
///
/// # Safety
/// The handle comes from the chain.
#[inline]
pub(crate) unsafe fn first_word(handle: *const c_void) -> *const c_void {
    // SAFETY: by the chain a handle begins with a pointer that is common to its family.
    unsafe { handle.cast::<*const c_void>().read() }
}

pub(crate) fn pointer<T: vk::Handle>(handle: T) -> *const c_void {
    core::ptr::with_exposed_provenance(handle.as_raw() as usize)
}
