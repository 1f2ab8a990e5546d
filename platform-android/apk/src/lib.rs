//! The loader inside an application: on top of the system's loader, with layers and drivers of the
//! application's choice.
//!
//! The core finds, chooses and calls as it does on a desktop. The application's [`Options`] become
//! the core's view of a system: environment variables, folders, manifests. Libraries that describe
//! their own layers, as Android's do, get manifests (`described`), so everything below is the same
//! for both. A HAL module that the application brings is served by the driver level of
//! `platform-android`, which the core sees as another loader, as it sees the system's loader. The application may bring
//! several.
//!
//! ```text
//! options -> Configuration { drivers, layers }  -> variables, folders, manifests -> core
//!            (opened, looked into: reasons)        (Environment, Files, Libraries)
//! ```
//!
//! A configuration is used from the next instance on, and never changes: its folders were searched
//! when it was created.
#![no_std]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]
#![cfg_attr(not(test), deny(clippy::expect_used, clippy::panic, clippy::unwrap_used))]

#[cfg(test)]
extern crate std;

mod configuration;
mod described;
mod drivers;
mod files;
mod interface;
mod json;
mod libraries;
mod listening;
mod log;
mod members;
mod modules;
#[cfg(target_os = "android")]
mod namespace;
mod open_driver;
mod options;
mod others;
pub mod package;
mod policy;
#[cfg(target_os = "android")]
mod process;
mod report;
mod settings;
#[cfg(target_os = "android")]
mod slices;
mod system;
mod windows;

pub use configuration::Configuration;
pub use drivers::{Driver, DriverError, Kind};
pub use interface::{LogCallback, configure, report, set_log};
pub use modules::MOST as MOST_MODULES;
pub use options::{Choice, DriverSource, Options};
pub use package::Package;
pub use policy::{FLAVOUR, POLICY};
#[cfg(target_os = "android")]
pub use process::{APK, LOADER, report_and_abort};
pub use settings::LayerSetting;
pub use system::{ApplicationSystem, NamespaceRequest};

use core::sync::atomic::{AtomicBool, Ordering};

use platform_android::host::Host;
use platform_android::system::{Library, Namespace};
use vkload_core::memory::{Arc, OutOfMemory, SharedList, Text, Vec};
use vkload_core::platform::{Identity, Lock, Platform, Turns};

use listening::LISTENING;
use modules::Modules;

/// The part of the process shared by all calls. A process has one, a `static` of the library; tests
/// have one per system.
pub struct Apk {
    system: &'static dyn ApplicationSystem,
    host: Host,
    modules: Modules,
    state: Lock<State>,
    /// Whether there is a configuration, or none could be made.
    begun: AtomicBool,
    turns: Turns,
    /// The libraries that the core has open, one entry per opening.
    open: SharedList<Library>,
}

struct State {
    configuration: Option<Arc<Configuration>>,
    /// Why the last options were refused, if they were.
    refused: Option<Arc<Text>>,
    namespaces: Vec<(Text, Namespace)>,
    number: u64,
    /// Whether the first configuration has been made, or is being made by the thread whose turn it is.
    begun: bool,
}

impl Apk {
    /// Creates one that has done nothing yet. Without options the system's loader is the only
    /// driver.
    pub const fn new(system: &'static dyn ApplicationSystem) -> Self {
        Self {
            system,
            host: Host::new(system).tagged(policy::TAG, &LISTENING),
            modules: Modules::new(system),
            state: Lock::new(State {
                configuration: None,
                refused: None,
                namespaces: Vec::new(),
                number: 0,
                begun: false,
            }),
            begun: AtomicBool::new(false),
            turns: Turns::new(),
            open: SharedList::new(),
        }
    }

    pub const fn platform(&'static self, abort: fn() -> !) -> Platform {
        Platform {
            environment: self,
            files: self,
            libraries: self,
            identity: self,
            log: self,
            abort,
            waiting: self.system,
            windows: Some(self),
        }
    }

    /// Returns the current configuration. `None` only while the first one is being made, and if memory ran out.
    pub fn configuration(&self) -> Option<Arc<Configuration>> {
        if !self.begun.load(Ordering::Acquire) {
            self.begin();
        }
        self.state.lock(self.system).configuration.clone()
    }
}

impl Identity for Apk {
    /// Applications have no more rights than their user.
    fn elevated(&self) -> bool {
        false
    }

    /// Every application runs the same executable, so its path means nothing.
    fn executable(&self) -> Result<Option<Text>, OutOfMemory> {
        Ok(None)
    }
}
