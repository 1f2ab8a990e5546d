//! Systems on which this driver shares nothing with other processes.

use core::ffi::c_int;
use core::ptr::NonNull;

/// Shared memory does not exist here.
pub(crate) enum SharedMemory {}

impl SharedMemory {
    pub(crate) fn new(_: usize) -> Option<Self> {
        None
    }

    pub(crate) fn import(_: c_int, _: usize) -> Option<Self> {
        None
    }

    pub(crate) fn export(&self) -> Option<c_int> {
        match *self {}
    }

    pub(crate) fn start(&self) -> NonNull<u8> {
        match *self {}
    }

    pub(crate) fn size(&self) -> usize {
        match *self {}
    }
}

/// Does nothing: no descriptor was imported.
///
/// # Safety
/// None is needed.
pub(crate) unsafe fn close(_: c_int) {}
