//! The state of the process: the driver and the layers found.

use core::ops::Deref;
use core::ptr::{from_ref, null_mut};
use core::sync::atomic::{AtomicPtr, Ordering};

use platform_android::Loader;
use platform_android::host::Host;

use crate::hal::DriverSearch;
use crate::layers::Layers;

/// The loader of a system. A process has one, a `static` of the library; tests create one for each
/// of their systems.
pub struct SystemLoader {
    loader: Loader,
    pub search: &'static DriverSearch,
    pub layers: Layers,
}

/// The loader of this process, set when it is first called: for functions with no parameter that
/// leads to it.
static CURRENT: AtomicPtr<SystemLoader> = AtomicPtr::new(null_mut());

impl SystemLoader {
    pub const fn new(host: Host, search: &'static DriverSearch) -> Self {
        Self { loader: Loader::new(host, search), search, layers: Layers::new() }
    }

    /// Makes this the loader of the process. Every global command does this first.
    pub fn enter(&'static self) {
        CURRENT.store(from_ref(self).cast_mut(), Ordering::Release);
        self.loader.enter();
    }
}

/// Returns the loader of this process, if any global command has been called.
pub fn current() -> Option<&'static SystemLoader> {
    // SAFETY: the pointer is NULL or was stored by `enter`, which stores only references to
    // statics.
    unsafe { CURRENT.load(Ordering::Acquire).as_ref() }
}

impl Deref for SystemLoader {
    type Target = Loader;

    fn deref(&self) -> &Loader {
        &self.loader
    }
}
