//! Errors of the kernel.

use core::ffi::c_int;

/// The number of an error of the kernel, `errno`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Errno(pub c_int);

#[cfg(all(feature = "linux", any(target_os = "linux", target_os = "android")))]
impl Errno {
    /// Returns the error of the last call that failed on this thread.
    pub(crate) fn last() -> Self {
        #[cfg(target_os = "android")]
        // SAFETY: every thread has one.
        let number = unsafe { *libc::__errno() };
        #[cfg(not(target_os = "android"))]
        // SAFETY: every thread has one.
        let number = unsafe { *libc::__errno_location() };
        Self(number)
    }
}
