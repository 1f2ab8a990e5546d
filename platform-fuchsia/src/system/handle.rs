//! Handles of kernel objects, which close themselves.

use crate::system::{RawHandle, System};

/// An owned handle, which is closed when this value is dropped.
pub struct Handle {
    system: &'static dyn System,
    raw: RawHandle,
}

impl Handle {
    /// Takes ownership of `raw`; 0 is no handle.
    pub fn new(system: &'static dyn System, raw: RawHandle) -> Option<Self> {
        (raw != 0).then(|| Self { system, raw })
    }

    /// Returns the number, for calls that only use the handle.
    pub const fn raw(&self) -> RawHandle {
        self.raw
    }

    /// Returns the number, for calls that take ownership of the handle.
    pub const fn into_raw(self) -> RawHandle {
        let raw = self.raw;
        core::mem::forget(self);
        raw
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.system.close_handle(self.raw);
    }
}
