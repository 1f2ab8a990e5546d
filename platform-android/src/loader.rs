//! What belongs to the process: the system, the driver, the layers that were found.

use core::ops::Deref;
use core::sync::atomic::{AtomicPtr, Ordering};

use crate::hal::Hal;
use crate::host::Host;
use crate::layers::{self, Layers};
use crate::level::ApiLevel;
use crate::system::System;

/// A loader. There is one, a `static` of the library; tests have one for each system that they make.
pub struct Loader {
    /// What is below.
    host: Host,
    /// The driver.
    pub hal: Hal,
    /// The layers.
    pub layers: Layers,
    /// Whether an application brings the driver: nobody has seen then that it does what a device needs.
    pub is_brought: bool,
}

/// The loader of this process, once it has been called: for functions that are given nothing that leads to it.
static CURRENT: AtomicPtr<Loader> = AtomicPtr::new(core::ptr::null_mut());

impl Loader {
    /// A loader on this system, which has done nothing yet.
    #[must_use]
    pub const fn new(system: &'static dyn System) -> Self {
        let layers = Layers::new(&layers::policy::SYSTEM);
        let host = Host { system, level: ApiLevel::NEWEST, tag: c"vulkan" };
        Self { host, hal: Hal::new(), layers, is_brought: false }
    }

    /// The same, whose records have another tag.
    #[cfg(feature = "apk")]
    #[must_use]
    pub(crate) const fn tagged(mut self, tag: &'static core::ffi::CStr) -> Self {
        self.host.tag = tag;
        self
    }

    /// The same, of an older Android.
    #[must_use]
    pub const fn at(mut self, level: ApiLevel) -> Self {
        self.host.level = level;
        self
    }

    /// The same, for a driver that an application brings.
    #[must_use]
    pub const fn brought(mut self) -> Self {
        self.is_brought = true;
        self
    }

    /// Makes this the loader of the process. Every global command does this first.
    pub fn enter(&'static self) {
        CURRENT.store(core::ptr::from_ref(self).cast_mut(), Ordering::Release);
        self.host.enter();
    }
}

/// The loader of this process, if any global command has been called.
#[must_use]
pub fn current() -> Option<&'static Loader> {
    // SAFETY: only `enter` stores here, and it stores references to statics.
    unsafe { CURRENT.load(Ordering::Acquire).as_ref() }
}

impl Deref for Loader {
    type Target = Host;

    fn deref(&self) -> &Host {
        &self.host
    }
}
