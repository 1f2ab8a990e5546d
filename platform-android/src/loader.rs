//! What belongs to the process: the system, the driver, the layers that were found.

use core::ffi::CStr;
use core::fmt;
use core::sync::atomic::{AtomicPtr, Ordering};

use loader_core::dispatch::trap;
use loader_core::log::{Level, Topic};

use crate::hal::Hal;
use crate::layers::{self, Layers};
use crate::level::ApiLevel;
use crate::system::System;

/// A loader. There is one, a `static` of the library; tests have one for each system that they make.
pub struct Loader {
    /// The operating system.
    pub system: &'static dyn System,
    /// As which Android it behaves.
    pub level: ApiLevel,
    /// The driver.
    pub hal: Hal,
    /// The layers.
    pub layers: Layers,
    /// Whether an application brings the driver: nobody has seen then that it does what a device needs.
    pub is_brought: bool,
    /// The tag of its records in the system's log.
    pub(crate) tag: &'static CStr,
}

/// The loader of this process, once it has been called: for functions that are given nothing that leads to it.
static CURRENT: AtomicPtr<Loader> = AtomicPtr::new(core::ptr::null_mut());

impl Loader {
    /// A loader on this system, which has done nothing yet.
    #[must_use]
    pub const fn new(system: &'static dyn System) -> Self {
        let layers = Layers::new(&layers::policy::SYSTEM);
        Self { system, level: ApiLevel::NEWEST, hal: Hal::new(), layers, is_brought: false, tag: c"vulkan" }
    }

    /// The same, whose records have another tag.
    #[cfg(feature = "apk")]
    #[must_use]
    pub(crate) const fn tagged(mut self, tag: &'static CStr) -> Self {
        self.tag = tag;
        self
    }

    /// The same, of an older Android.
    #[must_use]
    pub const fn at(mut self, level: ApiLevel) -> Self {
        self.level = level;
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
        loader_core::loader::end_with(end);
    }
}

/// The last words of the process, for the parts of the loader that know no system.
fn end(topic: Topic, message: fmt::Arguments<'_>) -> ! {
    let Some(loader) = current() else {
        // SAFETY: does not return.
        unsafe { trap() }
    };
    loader.log(Level::Error, topic, message);
    loader.system.abort()
}

/// The loader of this process, if any global command has been called.
#[must_use]
pub fn current() -> Option<&'static Loader> {
    // SAFETY: only `enter` stores here, and it stores references to statics.
    unsafe { CURRENT.load(Ordering::Acquire).as_ref() }
}
