//! Windows that one driver at a time can draw to.

use core::ffi::c_void;
use core::ptr::NonNull;

/// Holds windows to which one producer at a time can be connected, as Android's are.
///
/// A platform that has this has the drivers of an instance take turns at a window: a driver's surface is made when the driver is
/// first asked about it, which may be long after the application has given its own reference to the window back.
pub trait Windows: Sync {
    /// Takes a reference to the window of a create info.
    ///
    /// # Safety
    /// `window` is a window to which somebody has a reference.
    unsafe fn acquire(&self, window: NonNull<c_void>);

    /// Gives a reference back.
    ///
    /// # Safety
    /// The reference was taken by [`Windows::acquire`], and is not given back twice.
    unsafe fn release(&self, window: NonNull<c_void>);
}
