//! Windows that one driver at a time can draw to.

use core::ffi::c_void;
use core::ptr::NonNull;

/// Holds windows to which one producer at a time can be connected, as on Android.
///
/// On a platform with this, the drivers of an instance take turns at a window: a driver's surface
/// is created when the driver is first asked about it, possibly long after the application has
/// released its own reference to the window.
pub trait Windows: Sync {
    /// Acquires a reference to the window of a create info.
    ///
    /// # Safety
    /// `window` is a window, and the caller ensures that a reference to it exists during the call.
    unsafe fn acquire(&self, window: NonNull<c_void>);

    /// Releases a reference.
    ///
    /// # Safety
    /// The reference was acquired with [`Windows::acquire`], and is released only once.
    unsafe fn release(&self, window: NonNull<c_void>);
}
