//! Dispatch tables.

use core::ffi::c_void;
use core::mem::transmute_copy;
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;
use core::sync::atomic::{AtomicPtr, Ordering};

use super::missing::{MISSING_DEVICE_COMMANDS, MISSING_INSTANCE_COMMANDS};
use super::{ALL_DEVICE_SLOTS, ALL_INSTANCE_SLOTS};
use crate::abi::Command;
use crate::loader::{UNKNOWN_DEVICE_COMMANDS, UNKNOWN_PHYSICAL_DEVICE_COMMANDS};
use crate::machine::Block;
use crate::memory::{Allocator, Application, Box, OutOfMemory};
use crate::registry::{CommandId, DEVICE_SLOTS, INSTANCE_SLOTS};

/// One entry of a table: the address of a function, never NULL for a command once the table is complete.
#[repr(transparent)]
pub struct Slot(AtomicPtr<c_void>);

impl Slot {
    pub fn set(&self, command: Command) {
        self.0.store(command as *mut c_void, Ordering::Release);
    }

    pub fn address(&self) -> *mut c_void {
        self.0.load(Ordering::Acquire)
    }
}

/// The commands of an instance and its physical devices, one slot for each of the registry's, then those that
/// the registry does not know.
#[repr(C)]
pub struct InstanceTable {
    known: [Slot; INSTANCE_SLOTS],
    unknown: [Slot; UNKNOWN_PHYSICAL_DEVICE_COMMANDS],
}

#[repr(C)]
pub struct DeviceTable {
    known: [Slot; DEVICE_SLOTS],
    unknown: [Slot; UNKNOWN_DEVICE_COMMANDS],
    /// The loader's data for the device that owns the table: the first word of the device's handles leads to
    /// the table.
    pub(crate) owner: AtomicPtr<c_void>,
    /// The lower ends of the device's call chains, if layers may reach them through the instance; else NULL.
    pub lower: AtomicPtr<LowerEnds>,
}

/// The lower ends of a device's call chains, by the slots of a [`DeviceTable`].
#[repr(transparent)]
pub struct LowerEnds([Slot; ALL_DEVICE_SLOTS]);

impl LowerEnds {
    pub fn try_new(allocator: Application) -> Result<Box<Self, Application>, OutOfMemory> {
        let mut ends = Box::<Self, Application>::try_new_uninit_in(allocator)?;
        // SAFETY: the box is large enough for it, and NULL is a valid address in a slot.
        unsafe {
            ends.as_mut_ptr().write_bytes(0, 1);
            Ok(ends.assume_init())
        }
    }

    pub fn slot(&self, number: usize) -> Option<&Slot> {
        self.0.get(number)
    }
}

/// A table followed by its object's data, for loaders in which the first word of a handle leads to both.
#[repr(C)]
pub struct WithTable<T, D> {
    pub table: T,
    data: D,
}

impl<T: Table, D> WithTable<T, D> {
    /// Creates a table whose slots of known commands hold their stubs, followed by `data`.
    pub fn try_new<A: Allocator>(data: D, allocator: A) -> Result<Box<Self, A>, OutOfMemory> {
        let mut both = Box::<Self, A>::try_new_uninit_in(allocator)?;
        let pointer = both.as_mut_ptr();
        // SAFETY: the box is large enough for both, and both are written.
        unsafe {
            // Loaders with such tables give slots to known commands only.
            T::write_stubs(&raw mut (*pointer).table, T::KNOWN);
            (&raw mut (*pointer).data).write(data);
            Ok(both.assume_init())
        }
    }
}

impl<T, D> Deref for WithTable<T, D> {
    type Target = D;

    fn deref(&self) -> &D {
        &self.data
    }
}

impl<T, D> DerefMut for WithTable<T, D> {
    fn deref_mut(&mut self) -> &mut D {
        &mut self.data
    }
}

/// Operations that both kinds of tables support. Slots are numbered as in [`CommandId::instance_slot`] and
/// [`CommandId::device_slot`], unknown commands follow.
pub trait Table {
    const KNOWN: usize;

    const MISSING: &'static Block;

    fn slot(&self, number: usize) -> Option<&Slot>;

    /// Returns the number of the slot of `command`, if it belongs in this kind of table.
    fn number(command: CommandId) -> Option<usize>;

    /// Returns a table whose slots hold their stubs.
    fn try_new(allocator: Application) -> Result<Box<Self, Application>, OutOfMemory>
    where
        Self: Sized,
    {
        let mut table = Box::<Self, Application>::try_new_uninit_in(allocator)?;
        // SAFETY: the box is large enough for a table, which is complete afterwards.
        unsafe {
            Self::write_stubs(table.as_mut_ptr(), Self::MISSING.count);
            Ok(table.assume_init())
        }
    }

    /// Writes a table to `table` whose first `count` slots hold their stubs, and the others NULL.
    ///
    /// # Safety
    /// `table` can be written to, and `count` is at most that of [`Self::MISSING`].
    unsafe fn write_stubs(table: *mut Self, count: usize)
    where
        Self: Sized,
    {
        let slots = table.cast::<Slot>();
        // SAFETY: a table is an array of atomic addresses (see the end of this file), of which the first belong to stubs. NULL
        // is valid for the others.
        unsafe {
            for (number, address) in Self::MISSING.addresses().take(count).enumerate() {
                slots.add(number).write(Slot(AtomicPtr::new(address)));
            }
            let behind = size_of::<Self>().div_ceil(size_of::<Slot>()).saturating_sub(count);
            slots.add(count).write_bytes(0, behind);
        }
    }

    /// Returns whether `address` is a stub for a command that nothing implements.
    fn is_missing(address: *const c_void) -> bool {
        Self::MISSING.holds(address)
    }

    fn set(&self, command: CommandId, function: Command) {
        if let Some(slot) = Self::number(command).and_then(|number| self.slot(number)) {
            slot.set(function);
        }
    }

    /// Returns the function in the slot of `command`, unless it is missing.
    ///
    /// # Safety
    /// `F` is the function-pointer type of `command`.
    unsafe fn get<F: Copy>(&self, command: CommandId) -> Option<F> {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
        let address = self.present(command)?;
        // SAFETY: by this function's `# Safety` `F` is the type of `command`; its slot holds a function of
        // that command, and this one is not NULL.
        Some(unsafe { transmute_copy::<NonNull<c_void>, F>(&address) })
    }

    /// Returns the address in the slot of `command`, unless it is missing.
    #[inline(never)]
    fn present(&self, command: CommandId) -> Option<NonNull<c_void>> {
        let address = self.slot(Self::number(command)?)?.address();
        NonNull::new(address).filter(|address| !Self::is_missing(address.as_ptr()))
    }
}

macro_rules! tables {
    ($($table:ident: $known:ident, $missing:ident, $number:ident;)*) => {
        $(impl Table for $table {
            const KNOWN: usize = $known;
            const MISSING: &'static Block = &$missing;

            fn slot(&self, number: usize) -> Option<&Slot> {
                self.known.get(number).or_else(|| self.unknown.get(number.wrapping_sub($known)))
            }

            fn number(command: CommandId) -> Option<usize> {
                command.$number()
            }
        })*
    };
}

tables! {
    InstanceTable: INSTANCE_SLOTS, MISSING_INSTANCE_COMMANDS, instance_slot;
    DeviceTable: DEVICE_SLOTS, MISSING_DEVICE_COMMANDS, device_slot;
}

// The trampolines' assembly and `Table::try_new` rely on the tables being bare arrays of addresses. On 32-bit Arm
// an offset of 4096 would not fit into a load.
#[expect(clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
const _: () = {
    assert!(size_of::<Slot>() == size_of::<usize>());
    assert!(size_of::<InstanceTable>() == ALL_INSTANCE_SLOTS * size_of::<usize>());
    assert!(core::mem::offset_of!(DeviceTable, owner) == ALL_DEVICE_SLOTS * size_of::<usize>());
    assert!(size_of::<DeviceTable>() == (ALL_DEVICE_SLOTS + 2) * size_of::<usize>());
    assert!(!cfg!(target_arch = "arm") || core::mem::offset_of!(DeviceTable, lower) < 4096);
};
