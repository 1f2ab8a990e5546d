//! One file for each platform trait.

pub(crate) mod c_path;
pub(crate) mod environment;
pub(crate) mod files;
pub(crate) mod identity;
pub(crate) mod libraries;
pub(crate) mod log;
pub(crate) mod waiting;

use core::ffi::c_int;

/// The error number of the last call of this thread that failed.
fn errno() -> c_int {
    // SAFETY: the C library returns the address of this thread's error number, which lives as long as the thread.
    unsafe { *libc::__errno_location() }
}

/// Sets the error number to 0, before a call that reports an error only there.
fn clear_errno() {
    // SAFETY: as in `errno`; nothing else refers to it meanwhile.
    unsafe { *libc::__errno_location() = 0 }
}
