//! Why a driver that was found is not opened.
#![forbid(unsafe_code)]

use core::ffi::CStr;

use crate::manifest::{ManifestError, Version};
use crate::platform::FileError;

/// Why a candidate is skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The manifest cannot be read.
    Unreadable(FileError),
    /// The manifest cannot be used (LDP_DRIVER_4).
    Invalid(ManifestError),
    /// The library is made for another pointer width.
    LibraryArch {
        /// What the manifest says, bits.
        library: u32,
        /// What the process has, bits.
        process: u32,
    },
    /// The version is one of another API (LDP_LOADER_4): its major version is not 1, or its variant not 0.
    ApiVersion {
        /// What the manifest says.
        version: Version,
    },
    /// It implements only a part of Vulkan, and the application did not ask for such drivers.
    PortabilityNotAsked,
    /// A variable lists which drivers are wanted, and this is none of them.
    NotSelected {
        /// The variable.
        by: &'static CStr,
    },
    /// A variable says that it is not wanted.
    Disabled {
        /// The variable.
        by: &'static CStr,
    },
    /// The same manifest was found before.
    ManifestRepeated {
        /// Its place in the plan's drivers.
        of: usize,
    },
    /// An earlier candidate has the same library.
    Duplicate {
        /// Its place in the plan's drivers.
        of: usize,
    },
}
