//! Slices of a system trace.

use core::ffi::{CStr, c_char};
use core::sync::atomic::AtomicU32;

pub trait Slices: Sync {
    fn recorded_tags(&self) -> Option<&'static AtomicU32>;

    /// Returns the function that begins a slice, if one begun now is recorded.
    fn begin_if_recorded(&self) -> Option<BeginSlice>;

    /// Returns the function that ends the last slice.
    fn end(&self) -> Option<EndSlice>;
}

/// Begins a slice with this name, which is copied.
pub type BeginSlice = unsafe extern "C" fn(*const c_char);
pub type EndSlice = unsafe extern "C" fn();

/// Begins a slice. Returns whether it is recorded.
pub(super) fn begin(slices: &dyn Slices, name: &CStr) -> bool {
    let Some(begin) = slices.begin_if_recorded() else { return false };
    // SAFETY: the name is a C string, which is copied.
    unsafe { begin(name.as_ptr()) };
    true
}

pub(super) fn end(slices: &dyn Slices) {
    if let Some(end) = slices.end() {
        // SAFETY: any thread may call it at any time.
        unsafe { end() };
    }
}
