//! What a `VkInstance` and a `VkPhysicalDevice` of this loader point to.

use core::ffi::c_void;
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use ash::vk::{self, Handle as _};

use super::{Instance, PhysicalDevice};
use crate::dispatch::InstanceTable;
use crate::loader;
use crate::registry::CommandId;

/// Says that something is a handle of this loader. It is the exclusive or of two numbers that fit into an
/// instruction of 32-bit Arm, whose trampolines have one register to compare it with.
pub const MAGIC: u32 = 0xad00_ed00;

/// The beginning of every instance and physical device. Trampolines and terminators, which are written in assembly,
/// know this layout: four words.
#[repr(C)]
pub struct Handle {
    table: AtomicPtr<InstanceTable>,
    magic: AtomicU32,
    lower_table: *const InstanceTable,
    lower: *mut c_void,
}

#[expect(clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
const _: () = {
    let word = size_of::<usize>();
    assert!(core::mem::offset_of!(Handle, table) == 0);
    assert!(core::mem::offset_of!(Handle, magic) == word);
    assert!(core::mem::offset_of!(Handle, lower_table) == 2 * word);
    assert!(core::mem::offset_of!(Handle, lower) == 3 * word);
};

impl Handle {
    /// A handle whose commands go through `table`; terminators replace it by `lower` and go through `lower_table`.
    #[must_use]
    pub fn new(table: *const InstanceTable, lower_table: *const InstanceTable, lower: *mut c_void) -> Self {
        Self { table: AtomicPtr::new(table.cast_mut()), magic: AtomicU32::new(MAGIC), lower_table, lower }
    }

    /// The handle that the next one below knows the object by.
    #[must_use]
    pub fn lower(&self) -> *mut c_void {
        self.lower
    }

    /// Makes the handle invalid, before its memory is given back.
    pub fn invalidate(&self) {
        self.magic.store(0, Ordering::Release);
    }

    fn is_valid(&self) -> bool {
        self.magic.load(Ordering::Relaxed) == MAGIC
    }
}

/// The handle at `address`, if there is one. What begins at the first word is not looked at: in an object that is not
/// the loader's it may be anything.
///
/// # Safety
/// `address` is NULL, or at least two words can be read there.
unsafe fn at<'a>(address: u64) -> Option<&'a Handle> {
    let address = usize::try_from(address).ok()?;
    if address == 0 || address & (align_of::<Handle>().wrapping_sub(1)) != 0 {
        return None;
    }
    // SAFETY: the caller vouches for the two words, and the pointer is aligned; the reference to the rest of the
    // handle is only made once the magic has said that it is one.
    unsafe {
        let handle = core::ptr::with_exposed_provenance::<Handle>(address);
        let magic = (&raw const (*handle).magic).as_ref()?;
        (magic.load(Ordering::Relaxed) == MAGIC).then(|| &*handle)
    }
}

/// The instance that `handle` names. Reports a bad handle and aborts.
///
/// # Safety
/// `handle` is NULL, a valid handle, or points to at least two readable words.
#[must_use]
pub unsafe fn instance<'a>(handle: vk::Instance, command: CommandId) -> &'a Instance {
    // SAFETY: the caller vouches for the address.
    match unsafe { at(handle.as_raw()) } {
        // SAFETY: a handle with the magic is the first member of one.
        Some(found) => unsafe { &*core::ptr::from_ref(found).cast::<Instance>() },
        None => loader::report_bad_handle(command),
    }
}

/// The physical device that `handle` names. Reports a bad handle and aborts.
///
/// # Safety
/// As for [`instance`].
#[must_use]
pub unsafe fn physical_device<'a>(handle: vk::PhysicalDevice, command: CommandId) -> &'a PhysicalDevice {
    // SAFETY: the caller vouches for the address.
    match unsafe { at(handle.as_raw()) } {
        // SAFETY: a handle with the magic is the first member of one.
        Some(found) => unsafe { &*core::ptr::from_ref(found).cast::<PhysicalDevice>() },
        None => loader::report_bad_handle(command),
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        debug_assert!(self.is_valid() || self.magic.load(Ordering::Relaxed) == 0);
        self.invalidate();
    }
}
