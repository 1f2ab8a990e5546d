//! A loader above one HAL module: the system and the driver.

use core::ops::Deref;
use core::sync::atomic::{AtomicPtr, Ordering};

use crate::hal::{Hal, Search};
use crate::host::Host;
use crate::trace;

/// A loader above one HAL module. The system's `libvulkan.so` has one; inside an application, each
/// module that it brings has its own.
pub struct Loader {
    host: Host,
    pub hal: Hal,
    /// Whether the application brings the driver: then it may never have been checked on this
    /// device.
    pub is_brought: bool,
}

/// The loader of this process, set when it is first called: for functions with no parameter that
/// leads to it.
static CURRENT: AtomicPtr<Loader> = AtomicPtr::new(core::ptr::null_mut());

impl Loader {
    pub const fn new(host: Host, search: &'static dyn Search) -> Self {
        Self { host, hal: Hal::new(search), is_brought: false }
    }

    #[must_use]
    pub const fn brought(mut self) -> Self {
        self.is_brought = true;
        self
    }

    /// Makes this the loader of the process. Every global command does this first.
    pub fn enter(&'static self) {
        CURRENT.store(core::ptr::from_ref(self).cast_mut(), Ordering::Release);
        self.host.enter();
        trace::find(self.host.system);
    }
}

/// Returns the loader of this process, if any global command has been called.
pub fn current() -> Option<&'static Loader> {
    // SAFETY: the pointer is NULL or was stored by `enter`, which stores only references to
    // statics.
    unsafe { CURRENT.load(Ordering::Acquire).as_ref() }
}

impl Deref for Loader {
    type Target = Host;

    fn deref(&self) -> &Host {
        &self.host
    }
}
