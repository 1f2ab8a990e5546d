//! The buffers of windows, with the references that the loader holds.

use core::ffi::c_void;
use core::ptr::NonNull;

use crate::wsi::native_window::NativeWindowBuffer;

/// A reference to a buffer.
#[derive(PartialEq, Eq)]
pub struct Buffer(NonNull<NativeWindowBuffer>);

// SAFETY: a buffer's count is atomic, and its other fields are never changed.
unsafe impl Send for Buffer {}
// SAFETY: as above.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// Takes a reference to the buffer.
    ///
    /// # Safety
    /// `buffer` is an `ANativeWindowBuffer` to which somebody has a reference.
    pub unsafe fn new(buffer: NonNull<NativeWindowBuffer>) -> Self {
        // SAFETY: the caller vouches for the buffer.
        unsafe { (buffer.as_ref().base.inc_ref)(buffer.as_ptr().cast()) };
        Self(buffer)
    }

    /// What the window says of it.
    #[must_use]
    pub fn description(&self) -> &NativeWindowBuffer {
        // SAFETY: this value holds a reference to the buffer.
        unsafe { self.0.as_ref() }
    }

    /// Where it is, for another reference.
    #[must_use]
    pub fn address(&self) -> NonNull<NativeWindowBuffer> {
        self.0
    }

    /// Where it is.
    #[must_use]
    pub fn as_ptr(&self) -> *mut c_void {
        self.0.as_ptr().cast()
    }
}

impl Clone for Buffer {
    fn clone(&self) -> Self {
        // SAFETY: this value holds a reference to the buffer.
        unsafe { Self::new(self.0) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: this value holds a reference to the buffer, which goes back here.
        unsafe { (self.0.as_ref().base.dec_ref)(self.0.as_ptr().cast()) };
    }
}
