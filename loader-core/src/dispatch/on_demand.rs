//! Handles of drivers that are opened when a call needs them.
//!
//! Until its driver is open, an object of the loader represents the driver's handle. Commands of its table are
//! pieces that replace the object by the driver's handle and jump through the driver's own table; the first call
//! opens the driver, and other threads wait for it.

use core::cell::UnsafeCell;
use core::ffi::c_void;
use core::sync::atomic::{AtomicPtr, Ordering};

use ash::vk::{self, Handle as _};

use super::slots::ALL_INSTANCE_SLOTS;
use super::table::InstanceTable;
use crate::machine::{Block, DISTANCES};

/// Replaces a handle that stands for a driver's, and goes through the same slot of the driver's table.
pub static ON_DEMAND: Block =
    Block { start: on_demand_jumps, first: 0, count: ALL_INSTANCE_SLOTS, distance: DISTANCES.numbered_jump };

stamp_out!(on_demand_jumps: ALL_INSTANCE_SLOTS, from 0, numbered_jump,
    numbered_jump!("vkload_slot"); target = sym on_demand_jump);

/// The target of the pieces. The slot is in the free register.
#[unsafe(naked)]
unsafe extern "C" fn on_demand_jump() {
    assembly!(on_demand_jump!())
}

/// A driver's handle, and the table of its commands.
#[repr(C)]
pub struct Target {
    /// The handle.
    pub handle: *mut c_void,
    /// The commands, which live as long as the handle.
    pub table: *const InstanceTable,
}

impl Target {
    /// Creates a target. A handle of 0 is that of commands that ignore it.
    pub fn new(handle: u64, table: *const InstanceTable) -> Self {
        Self { handle: core::ptr::with_exposed_provenance_mut(handle as usize), table }
    }

    /// Returns the handle as that of a physical device.
    pub fn physical_device(&self) -> vk::PhysicalDevice {
        vk::PhysicalDevice::from_raw(self.handle.expose_provenance() as u64)
    }
}

/// Opens the driver of an object, and returns where its calls go; never NULL.
pub type OpenFn = unsafe extern "C" fn(*const OnDemandHandle) -> *const Target;

/// The beginning of an object that represents a driver's handle.
#[repr(C)]
pub struct OnDemandHandle {
    /// NULL until the driver is open.
    target: AtomicPtr<Target>,
    open: OpenFn,
    own: UnsafeCell<Target>,
}

// SAFETY: `own` is written once, before its address is published.
unsafe impl Sync for OnDemandHandle {}
// SAFETY: the pointers lead to objects that any thread may use.
unsafe impl Send for OnDemandHandle {}

impl OnDemandHandle {
    /// Creates a handle of a driver that is not open.
    pub fn new(open: OpenFn) -> Self {
        let nothing = Target::new(0, core::ptr::null());
        Self { target: AtomicPtr::new(core::ptr::null_mut()), open, own: UnsafeCell::new(nothing) }
    }

    /// Returns where calls go, if the driver is open.
    pub fn target(&self) -> Option<&Target> {
        // SAFETY: the pointer is NULL or the address of `own`, which no longer changes.
        unsafe { self.target.load(Ordering::Acquire).as_ref() }
    }

    /// Returns where an object's calls go. Opens its driver if that is closed.
    ///
    /// # Safety
    /// The pointer is that of a whole object, as its `open` function takes it, and the object lives as long as the result is
    /// used.
    pub unsafe fn open<'a>(object: *const Self) -> &'a Target {
        // SAFETY: by this function's `# Safety` the object lives. The function's result is never NULL, and lives as long.
        unsafe { (*object).target().unwrap_or_else(|| &*((*object).open)(object)) }
    }

    /// Lets calls go to `target` from now on.
    ///
    /// # Safety
    /// No other thread calls this for the same object, and it is called once.
    pub unsafe fn set(&self, target: Target) {
        // SAFETY: by this function's `# Safety` no other thread writes; none reads before the address is published.
        unsafe { self.own.get().write(target) };
        self.target.store(self.own.get(), Ordering::Release);
    }
}

// The assembly relies on these positions.
const _: () = {
    assert!(core::mem::offset_of!(OnDemandHandle, open) == size_of::<usize>());
    assert!(core::mem::offset_of!(Target, table) == size_of::<usize>());
};
