//! The functions of the next layer, for each instance and each device.

mod objects;

use core::alloc::Layout;
use core::ffi::c_void;
use core::ptr::{NonNull, null_mut};
use core::sync::atomic::{AtomicPtr, Ordering};
use std::alloc;

use ash::vk;
use vkload_core::registry::{COMMAND_COUNT, CommandId};

use objects::OBJECTS;

/// A function of any command.
pub(crate) type Function = unsafe extern "system" fn();

/// How the functions of an instance or of a device are found.
#[derive(Clone, Copy)]
pub(crate) struct Lookup {
    pub(crate) instance: vk::Instance,
    /// NULL for an instance.
    pub(crate) device: vk::Device,
    pub(crate) in_instance: vk::PFN_vkGetInstanceProcAddr,
    /// For an instance, if the next layer has it.
    pub(crate) in_physical_device: Option<vk::PFN_vkGetInstanceProcAddr>,
    /// Of a device.
    pub(crate) in_device: Option<vk::PFN_vkGetDeviceProcAddr>,
}

/// The next layer's functions for an instance, its physical devices, or a device with its queues and command buffers.
pub(crate) struct Next {
    pub(crate) lookup: Lookup,
    /// By number of the command; NULL until it is first asked for or called.
    functions: [AtomicPtr<c_void>; COMMAND_COUNT],
}

/// One that no object is known to have yet.
pub(crate) struct Unused(NonNull<Next>);

impl Unused {
    /// Allocates the function table. Returns an error if memory is short.
    pub(crate) fn new() -> Result<Self, vk::Result> {
        // SAFETY: the type has a size.
        let memory = unsafe { alloc::alloc_zeroed(Layout::new::<Next>()) };
        NonNull::new(memory.cast()).map(Self).ok_or(vk::Result::ERROR_OUT_OF_HOST_MEMORY)
    }

    /// Registers it for an object and for all objects with the same first word.
    ///
    /// # Safety
    /// `handle` is an instance or a device that the chain has just created, the owner of `lookup`.
    pub(crate) unsafe fn used_for(self, handle: *const c_void, lookup: Lookup) -> Result<(), vk::Result> {
        let memory = self.0;
        // SAFETY: the memory is for a `Next`, of which everything but this member is zero, which is NULL in the functions. By the
        // chain a handle begins with a pointer that is common to its family.
        unsafe {
            (&raw mut (*memory.as_ptr()).lookup).write(lookup);
            OBJECTS.insert(handle.cast::<*const c_void>().read(), memory)?;
        }
        core::mem::forget(self);
        Ok(())
    }
}

impl Drop for Unused {
    fn drop(&mut self) {
        // SAFETY: it was allocated with this layout, and no other code has the pointer.
        unsafe { alloc::dealloc(self.0.as_ptr().cast(), Layout::new::<Next>()) };
    }
}

impl Next {
    /// Returns the next layer of `handle`.
    ///
    /// # Safety
    /// `handle` is one that the chain passes, and its instance or device is not destroyed while the result is used.
    #[inline]
    pub(crate) unsafe fn of<'a>(handle: *const c_void) -> Option<&'a Self> {
        // SAFETY: the chain guarantees that a handle begins with a pointer. The entry lives as long as its instance or device.
        unsafe { OBJECTS.find(handle.cast::<*const c_void>().read()).map(|next| next.as_ref()) }
    }

    /// Forgets an object that is about to be destroyed. From then on another one may have the same first word.
    ///
    /// # Safety
    /// As for [`Self::of`].
    pub(crate) unsafe fn take(handle: *const c_void) -> Option<Taken> {
        // SAFETY: as in `of`.
        unsafe { OBJECTS.remove(handle.cast::<*const c_void>().read()).map(Taken) }
    }

    /// Returns the function of a command, or `None` if the next layer does not have it.
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

    /// Remembers the function of a command.
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

/// The entry of an object, after its removal from the map.
pub(crate) struct Taken(NonNull<Next>);

impl core::ops::Deref for Taken {
    type Target = Next;

    fn deref(&self) -> &Next {
        // SAFETY: `take` gives it out once, and it is freed when this is dropped.
        unsafe { self.0.as_ref() }
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        drop(Unused(self.0));
    }
}

/// Returns a handle as a pointer.
pub(crate) fn word(handle: u64) -> *const c_void {
    core::ptr::with_exposed_provenance(handle as usize)
}

/// A pointer to no `Next`.
const NONE: *mut Next = null_mut();
