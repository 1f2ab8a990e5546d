//! What became of a driver that was to be used: known only once it is opened.
#![forbid(unsafe_code)]

use core::ffi::CStr;

use crate::log::Level;
use crate::manifest::Version;
use crate::memory::Text;

/// What happened to a driver after the plan was made.
///
/// Results are the numbers of `VkResult`.
#[derive(Debug)]
pub enum Outcome {
    /// The dynamic linker refuses the library.
    DoesNotOpen {
        /// The system's words.
        error: Text,
    },
    /// The library has none of the functions by which a driver is recognised.
    NoEntryPoint,
    /// The driver wants no interface version that this loader has (LDP_DRIVER_3).
    NegotiationRefused {
        /// What the driver returned.
        result: i32,
    },
    /// The driver settled on an interface version that cannot serve.
    InterfaceVersion {
        /// What it settled on.
        version: u32,
        /// What it would have to be at least.
        needed: u32,
    },
    /// The driver lacks a command that every driver has.
    MissingCommand {
        /// The command.
        name: &'static CStr,
    },
    /// The driver's own vkCreateInstance fails.
    CreateInstanceFailed {
        /// What it returned.
        result: i32,
    },
    /// The driver fails to enumerate its devices.
    EnumerationFailed {
        /// What it returned.
        result: i32,
    },
    /// The driver works and has no device.
    NoDevices,
    /// The dynamic linker says that the library is one that an earlier candidate opened.
    DuplicateOf {
        /// Its place in the plan's drivers.
        driver: usize,
    },
    /// The manifest claims a higher version than the driver itself has; the lower one counts.
    ApiVersionLie {
        /// What the manifest says.
        manifest: Version,
        /// What the driver says.
        driver: Version,
    },
    /// The driver is in use.
    Used {
        /// The interface version that was settled on.
        interface: u32,
        /// How many devices it has.
        devices: u32,
    },
}

impl Outcome {
    /// How grave it is.
    #[must_use]
    pub fn level(&self) -> Level {
        Level::Info
    }
}
