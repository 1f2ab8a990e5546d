//! The buffers of windows, with the references that the loader holds.

use core::ffi::c_void;
use core::ptr::NonNull;

use crate::wsi::native_window::NativeWindowBuffer;

#[derive(PartialEq, Eq)]
pub struct Buffer(NonNull<NativeWindowBuffer>);

// SAFETY: a buffer's reference count is atomic, and its other fields never change.
unsafe impl Send for Buffer {}
// SAFETY: a buffer's reference count is atomic, and its other fields never change.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// Takes a reference to the buffer.
    ///
    /// # Safety
    /// `buffer` is an `ANativeWindowBuffer` that is referenced during the call.
    pub unsafe fn new(buffer: NonNull<NativeWindowBuffer>) -> Self {
        // SAFETY: by this function's `# Safety` the buffer is alive.
        unsafe { (buffer.as_ref().base.inc_ref)(buffer.as_ptr().cast()) };
        Self(buffer)
    }

    pub fn description(&self) -> &NativeWindowBuffer {
        // SAFETY: this value holds a reference, so the buffer is alive.
        unsafe { self.0.as_ref() }
    }

    pub fn address(&self) -> NonNull<NativeWindowBuffer> {
        self.0
    }

    pub fn as_ptr(&self) -> *mut c_void {
        self.0.as_ptr().cast()
    }
}

impl Clone for Buffer {
    fn clone(&self) -> Self {
        // SAFETY: this value holds a reference, so the buffer is alive.
        unsafe { Self::new(self.0) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: this value holds a reference, so the buffer is alive; that reference is given up
        // here, once.
        unsafe { (self.0.as_ref().base.dec_ref)(self.0.as_ptr().cast()) };
    }
}
