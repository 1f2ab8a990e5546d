//! A driver that is a HAL module, opened once per process.

mod fault;
pub mod layout;
mod module;

pub use fault::{ModuleFault, Structure, StructureFault};
pub use module::{MODULE_ID, module_of, open, open_untested};

use core::ptr::NonNull;

use ash::vk;
use vkload_core::platform::{EventCount, Lock};

use crate::host::Host;
use crate::once::{self, Progress, Turn};
use crate::system::Library;

/// The driver of a process, once it has been found.
pub struct Hal {
    search: &'static dyn Search,
    state: Lock<State>,
    searched: EventCount,
}

struct State {
    progress: Progress<Result<Driver, DoesNotOpen>>,
    open: Option<Open>,
}

pub trait Search: Sync {
    /// Searches for the driver, or keeps the one that the process has open. Returns the open one, if
    /// any, and the driver of this process.
    fn search(&self, host: &'static Host, open: Option<Open>) -> (Option<Open>, Result<Driver, DoesNotOpen>);

    /// Returns the driver for a call that comes from within the search.
    fn meanwhile(&self) -> Result<Driver, DoesNotOpen>;
}

#[derive(Clone, Copy)]
pub struct Open {
    pub driver: Driver,
    pub library: Library,
}

/// The driver's device: the three functions that lead to all others.
#[derive(Clone, Copy)]
pub struct Driver {
    pub device: NonNull<layout::Device>,
    pub enumerate_instance_extension_properties: vk::PFN_vkEnumerateInstanceExtensionProperties,
    pub create_instance: vk::PFN_vkCreateInstance,
    pub get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    /// The version of `VK_EXT_debug_report` that the driver has, if any.
    pub debug_report: Option<u32>,
}

// SAFETY: the driver's device does not change after `open`, and any thread may call its functions.
unsafe impl Send for Driver {}
// SAFETY: the driver's device does not change after `open`, and any thread may call its functions.
unsafe impl Sync for Driver {}

/// A driver was found and did not open. Then vkCreateInstance returns INITIALIZATION_FAILED, and
/// the enumerations return OUT_OF_HOST_MEMORY.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DoesNotOpen;

impl Hal {
    pub const fn new(search: &'static dyn Search) -> Self {
        let state = Lock::new(State { progress: Progress::NotBegun, open: None });
        Self { search, state, searched: EventCount::new() }
    }

    /// Returns the driver of this process. Searches for it the first time, and again after a fork.
    /// Other threads wait meanwhile; a driver that calls Vulkan while being opened gets the
    /// [substitute](Search::meanwhile).
    pub fn driver(&self, host: &'static Host) -> Result<Driver, DoesNotOpen> {
        match once::turn(host.system, &self.state, &self.searched, |state| &mut state.progress) {
            Turn::Take(result) => return result,
            Turn::Within => return self.search.meanwhile(),
            Turn::Look => {}
        }
        let open = self.state.lock(host.system).open.take();
        host.enter();
        let (open, result) = self.search.search(host, open);
        self.set(host, open, result);
        result
    }

    pub fn bring(&self, host: &'static Host, open: Open) {
        self.set(host, Some(open), Ok(open.driver));
    }

    fn set(&self, host: &Host, open: Option<Open>, result: Result<Driver, DoesNotOpen>) {
        let mut state = self.state.lock(host.system);
        state.progress = Progress::Done { process: host.system.process(), result };
        state.open = open;
        drop(state);
        self.searched.changed(host.system);
    }
}
