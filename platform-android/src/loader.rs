//! The state of the process: the system, the driver and the layers found.

use core::ops::Deref;
use core::sync::atomic::{AtomicPtr, Ordering};

use crate::hal::Hal;
use crate::host::Host;
use crate::layers::{self, Layers};
use crate::level::ApiLevel;
use crate::switches::Switches;
use crate::system::System;
use crate::trace;

/// A loader. A process has one, a `static` of the library; tests create one for each of their
/// systems.
pub struct Loader {
    /// The system below.
    host: Host,
    /// The driver.
    pub hal: Hal,
    /// The layers.
    pub layers: Layers,
    /// Whether the application brings the driver: then it may never have been checked on this
    /// device.
    pub is_brought: bool,
}

/// The loader of this process, set when it is first called: for functions with no parameter that
/// leads to it.
static CURRENT: AtomicPtr<Loader> = AtomicPtr::new(core::ptr::null_mut());

impl Loader {
    /// Creates a loader on this system that has done nothing yet, of the Android that this library
    /// is built for.
    #[must_use]
    pub const fn new(system: &'static dyn System) -> Self {
        let layers = Layers::new(&layers::policy::SYSTEM);
        let host = Host {
            system,
            level: ApiLevel::BUILT,
            switches: Switches::built(ApiLevel::BUILT),
            tag: c"vulkan",
        };
        Self { host, hal: Hal::new(), layers, is_brought: false }
    }

    /// Sets another Android release, with the switches as in that.
    #[must_use]
    pub const fn at(mut self, level: ApiLevel) -> Self {
        self.host.level = level;
        self.host.switches = Switches::of(level);
        self
    }

    /// Sets other switches.
    #[must_use]
    pub const fn with(mut self, switches: Switches) -> Self {
        self.host.switches = switches;
        self
    }

    /// Sets another tag for the records.
    #[cfg(feature = "apk")]
    #[must_use]
    pub(crate) const fn tagged(mut self, tag: &'static core::ffi::CStr) -> Self {
        self.host.tag = tag;
        self
    }

    /// Marks the driver as brought by an application.
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
#[must_use]
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
