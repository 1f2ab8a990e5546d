//! Why a driver that was found is not opened.
#![forbid(unsafe_code)]

use core::ffi::CStr;
use core::fmt;

use crate::log::Level;
use crate::manifest::{ManifestError, SIZE_LIMIT, Version};
use crate::platform::FileError;

/// Why a candidate is skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The manifest cannot be read.
    Unreadable(FileError),
    /// The manifest cannot be used (LDP_DRIVER_4).
    Invalid(ManifestError),
    /// The library is for another pointer width.
    LibraryArch {
        /// The width in the manifest, in bits.
        library: u32,
        /// The width of the process, in bits.
        process: u32,
    },
    /// Another API's version (LDP_LOADER_4): its major version is not 1, or its variant not 0.
    ApiVersion {
        /// The version in the manifest.
        version: Version,
    },
    /// It implements only a part of Vulkan, and the application did not request such drivers.
    PortabilityNotAsked,
    /// A variable lists the selected drivers, and this is not one of them.
    NotSelected {
        /// The variable.
        by: &'static CStr,
    },
    /// A variable disables it.
    Disabled {
        /// The variable.
        by: &'static CStr,
    },
    /// The same manifest was found before.
    ManifestRepeated {
        /// Its index in the plan's drivers.
        of: usize,
    },
    /// An earlier candidate has the same library.
    Duplicate {
        /// Its index in the plan's drivers.
        of: usize,
    },
}

impl Reason {
    /// Returns a short, stable name for programs.
    #[must_use]
    pub fn id(&self) -> &'static str {
        match self {
            Self::Unreadable(FileError::NotFound) => "manifest-not-found",
            Self::Unreadable(FileError::NotAFile) => "manifest-not-a-file",
            Self::Unreadable(FileError::TooLarge) => "manifest-too-large",
            Self::Unreadable(_) => "manifest-unreadable",
            Self::Invalid(error) => error.id(),
            Self::LibraryArch { .. } => "library-arch-mismatch",
            Self::ApiVersion { .. } => "api-version-incompatible",
            Self::PortabilityNotAsked => "portability-not-asked",
            Self::NotSelected { .. } => "not-selected",
            Self::Disabled { .. } => "disabled",
            Self::ManifestRepeated { .. } => "manifest-repeated",
            Self::Duplicate { .. } => "duplicate-library",
        }
    }

    /// Returns the rule of the driver interface document that requires this, if any.
    #[must_use]
    pub fn policy(&self) -> Option<&'static str> {
        match self {
            Self::Unreadable(_) | Self::Invalid(_) => Some("LDP_DRIVER_4"),
            Self::ApiVersion { .. } => Some("LDP_LOADER_4"),
            _ => None,
        }
    }

    /// Returns the severity: a defect is a warning, a choice is not.
    #[must_use]
    pub fn level(&self) -> Level {
        match self {
            Self::Unreadable(_) | Self::Invalid(_) | Self::ApiVersion { .. } => Level::Warning,
            Self::LibraryArch { .. } | Self::ManifestRepeated { .. } | Self::Duplicate { .. } => Level::Debug,
            Self::PortabilityNotAsked | Self::NotSelected { .. } | Self::Disabled { .. } => Level::Info,
        }
    }
}

/// Describes the defect and a remedy. Follows a path and a colon.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => unreadable(*error, f),
            Self::Invalid(error) => {
                write!(f, "the manifest cannot be used, {error}; correct it or reinstall the driver")
            }
            Self::LibraryArch { library, process } => write!(
                f,
                "the driver is for {library}-bit programs and this is a {process}-bit one; install the \
                 {process}-bit build of the driver if there is none yet"
            ),
            Self::ApiVersion { version } => write!(
                f,
                "\"api_version\" is {version}, and only versions 1.x.y of Vulkan can be loaded; a newer build of \
                 the driver may help"
            ),
            Self::PortabilityNotAsked => f.write_str(
                "the driver implements only a part of Vulkan, and the program did not ask for such drivers; it has \
                 to enable VK_KHR_portability_enumeration and set \
                 VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR",
            ),
            Self::NotSelected { by } => {
                write!(f, "no pattern of {} matches its file name; extend or unset the variable", Name(by))
            }
            Self::Disabled { by } => {
                write!(f, "a pattern of {} matches its file name; change or unset the variable", Name(by))
            }
            Self::ManifestRepeated { .. } => f.write_str("the same manifest was found before"),
            Self::Duplicate { .. } => f.write_str(
                "an earlier manifest names the same library, and that one is used; one of the two can be removed",
            ),
        }
    }
}

pub(super) fn unreadable(error: FileError, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match error {
        FileError::NotFound => {
            f.write_str("the manifest does not exist; correct its path or reinstall the driver")
        }
        FileError::Denied => f.write_str(
            "no permission to read the manifest; correct the permissions of the file and its folders",
        ),
        FileError::NotAFile => f.write_str("this is not a regular file; remove or rename it"),
        FileError::TooLarge => {
            write!(f, "the file has more than {SIZE_LIMIT} bytes, so it is no manifest; remove or rename it")
        }
        FileError::Other(number) => {
            write!(f, "the manifest cannot be read, system error {}", number.unsigned_abs())
        }
        FileError::OutOfMemory => f.write_str("memory ran out while the manifest was read"),
    }
}

/// The name of a variable as text.
pub(crate) struct Name(pub(crate) &'static CStr);

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::memory::Shown(self.0.to_bytes()).fmt(f)
    }
}
