//! Commands that the registry does not know, because they are newer than this loader or not public.
//!
//! Such a command gets a number when a program first looks it up and a driver or layer has it. The number
//! identifies a slot at the end of every table, and a trampoline. Names are never dropped, so a number means
//! the same in every instance, and tables of live objects can be filled in.

use core::ffi::CStr;
use core::ptr::NonNull;

use crate::memory::{OutOfMemory, Process, SharedList, TryGrow, Vec};
use crate::platform::Waiting;

/// The number of unknown physical-device commands that can be dispatched: twice as many as ten years of
/// Vulkan have added. Each takes 28 bytes of code and a word of every table.
pub const UNKNOWN_PHYSICAL_DEVICE_COMMANDS: usize = 250;

/// The same for device, queue and command-buffer commands: a third of the number that ten years of Vulkan
/// have added. Each takes 14 bytes of code, or 23 if it looks up its table, and a word of every table.
///
/// On 32-bit Arm, one instruction's 12-bit offset must reach the whole device table.
pub const UNKNOWN_DEVICE_COMMANDS: usize = 250;

pub struct UnknownCommands {
    pub physical_device: Names,
    pub device: Names,
}

impl UnknownCommands {
    pub(crate) const fn new() -> Self {
        Self {
            physical_device: Names::at_most(UNKNOWN_PHYSICAL_DEVICE_COMMANDS),
            device: Names::at_most(UNKNOWN_DEVICE_COMMANDS),
        }
    }

    pub(crate) fn forget(&self, waiting: &dyn Waiting, unused: impl Fn() -> bool) {
        self.physical_device.forget(waiting, &unused);
        self.device.forget(waiting, &unused);
    }
}

pub struct Names {
    list: SharedList<Name>,
    most: usize,
}

/// A name in memory of the process, which lives until [`Names::forget`].
#[derive(Clone, Copy)]
struct Name {
    bytes: NonNull<[u8]>,
    /// The capacity of the vector that the bytes were made in.
    capacity: usize,
}

// SAFETY: the bytes are not changed until the last owner frees them.
unsafe impl Send for Name {}
// SAFETY: the bytes are not changed until the last owner frees them.
unsafe impl Sync for Name {}

impl Names {
    const fn at_most(most: usize) -> Self {
        Self { list: SharedList::new(), most }
    }

    pub fn number(&self, waiting: &dyn Waiting, name: &CStr) -> Option<usize> {
        self.list.read(waiting, |names| names.iter().position(|known| known.text() == name))
    }

    /// Gives `name` a number, unless it has one.
    ///
    /// Returns `None` if all numbers are taken.
    pub fn add(&self, waiting: &dyn Waiting, name: &CStr) -> Result<Option<usize>, OutOfMemory> {
        if let Some(number) = self.number(waiting, name) {
            return Ok(Some(number));
        }
        if self.list.read(waiting, <[Name]>::len) >= self.most {
            return Ok(None);
        }
        let copy = Name::copied(name)?;
        match self.list.find_or_insert(waiting, copy, |known| known.text() == name) {
            Ok((_, true)) => {}
            Ok((_, false)) => copy.free(),
            Err(out_of_memory) => {
                copy.free();
                return Err(out_of_memory);
            }
        }
        Ok(self.number(waiting, name).filter(|number| *number < self.most))
    }

    pub fn count(&self, waiting: &dyn Waiting) -> usize {
        self.list.read(waiting, <[Name]>::len).min(self.most)
    }

    pub fn name(&self, waiting: &dyn Waiting, number: usize) -> Option<&'static CStr> {
        self.list.read(waiting, |names| names.get(number).map(|name| name.text()))
    }

    fn forget(&self, waiting: &dyn Waiting, unused: impl Fn() -> bool) {
        for name in self.list.take_if(waiting, unused) {
            name.free();
        }
    }
}

impl Name {
    fn copied(name: &CStr) -> Result<Self, OutOfMemory> {
        let mut bytes = Vec::new_in(Process);
        bytes.try_extend(name.to_bytes_with_nul())?;
        let capacity = bytes.capacity();
        Ok(Self { bytes: NonNull::from(Vec::leak(bytes)), capacity })
    }

    fn text(&self) -> &'static CStr {
        // SAFETY: the bytes are a C string with its NUL, and live until the names are no longer used.
        unsafe { CStr::from_bytes_with_nul_unchecked(self.bytes.as_ref()) }
    }

    fn free(self) {
        // SAFETY: `copied` made the block as a vector of this length and capacity, and each name is freed by
        // its last owner.
        drop(unsafe {
            Vec::from_raw_parts_in(self.bytes.as_ptr().cast::<u8>(), self.bytes.len(), self.capacity, Process)
        });
    }
}
