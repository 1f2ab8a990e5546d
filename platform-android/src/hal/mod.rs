//! The driver of an Android system: a HAL module, found by properties, opened once for each process.

pub mod layout;

use core::ptr::NonNull;

use ash::vk;
use loader_core::platform::Lock;

use crate::loader::Loader;

/// The driver, once it has been looked for.
pub struct Hal {
    state: Lock<State>,
}

/// What the process knows of the driver. A fork makes another process, which starts anew.
struct State {
    process: u32,
    driver: Option<Driver>,
}

/// The driver's device: the three functions that lead to all others.
#[derive(Clone, Copy)]
pub struct Driver {
    /// What the module's `open` gave.
    pub device: NonNull<layout::Device>,
    /// Lists the driver's instance extensions.
    pub enumerate_instance_extension_properties: vk::PFN_vkEnumerateInstanceExtensionProperties,
    /// Makes an instance.
    pub create_instance: vk::PFN_vkCreateInstance,
    /// Finds the driver's own functions.
    pub get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
}

// SAFETY: the driver's device is never changed, and its functions may be called from any thread.
unsafe impl Send for Driver {}
// SAFETY: as above.
unsafe impl Sync for Driver {}

/// A driver was found and did not open. vkCreateInstance then returns INITIALIZATION_FAILED, and what
/// enumerates OUT_OF_HOST_MEMORY.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DoesNotOpen;

impl Hal {
    /// Not looked for yet.
    #[must_use]
    pub const fn new() -> Self {
        Self { state: Lock::new(State { process: 0, driver: None }) }
    }

    /// The driver of this process: what was opened, or where there is none a stub without devices. Looks for it the first
    /// time, and again after a fork.
    ///
    /// # Errors
    /// [`DoesNotOpen`].
    pub fn driver(&self, loader: &'static Loader) -> Result<Driver, DoesNotOpen> {
        let state = self.state.lock(loader.system);
        state.driver.filter(|_| state.process == loader.system.process()).ok_or(DoesNotOpen)
    }
}

impl Default for Hal {
    fn default() -> Self {
        Self::new()
    }
}
