//! One file per platform trait, or a folder.

pub(crate) mod environment;
pub(crate) mod files;
pub(crate) mod identity;
pub(crate) mod libraries;
pub(crate) mod log;
pub(crate) mod state;
pub(crate) mod waiting;
pub(crate) mod watching;

use core::ffi::c_int;

fn errno() -> c_int {
    // SAFETY: the C library returns the address of this thread's error number, which lives as long
    // as the thread.
    unsafe { *libc::__errno_location() }
}

/// Sets the error number to 0, for a call that reports errors only there.
fn clear_errno() {
    // SAFETY: the C library returns the address of this thread's error number, which lives as long
    // as the thread; no reference to it exists.
    unsafe { *libc::__errno_location() = 0 }
}
