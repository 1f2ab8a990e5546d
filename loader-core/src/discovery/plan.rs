//! The decisions of discovery.
#![forbid(unsafe_code)]

use core::ffi::CStr;
use core::fmt;

use super::kind::DriverKind;
use super::reason::{Name, Reason};
use crate::manifest::{ManifestWarning, Version};
use crate::memory::{Text, Vec};
use crate::platform::FileError;

/// Which drivers to open, and everything that led to this.
#[derive(Debug, Default)]
pub struct Plan {
    /// Every driver that was found, used or not, in order of discovery.
    pub drivers: Vec<Candidate>,
    /// Every place that was searched, in order, existing or not.
    pub searched: Vec<Searched>,
    /// Further information for users.
    pub notes: Vec<Note>,
}

impl Plan {
    /// Returns the drivers to open with their indices in `drivers`, in order of discovery.
    pub fn used(&self) -> impl DoubleEndedIterator<Item = (usize, &Candidate)> {
        self.drivers.iter().enumerate().filter(|(_, driver)| driver.decision == Decision::Use)
    }
}

/// A driver that was found.
#[derive(Debug)]
pub struct Candidate {
    /// Its manifest, or its library on a platform without manifests.
    pub path: Text,
    /// The index of the entry of [`Plan::searched`] that led to it.
    pub found_in: usize,
    /// The library to open: a bare name for the dynamic linker, or a path. Empty if the manifest
    /// was not read.
    pub library: Text,
    /// The version of Vulkan that its manifest claims. 0.0.0 if the manifest was not read.
    pub api_version: Version,
    /// Whether it implements only a part of Vulkan.
    pub portability: bool,
    /// Its kind.
    pub kind: DriverKind,
    /// A minor defect of its manifest.
    pub warning: Option<ManifestWarning>,
    /// Whether to open it.
    pub decision: Decision,
}

/// Whether a candidate is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It is opened.
    Use,
    /// It is not opened.
    Skip(Reason),
}

/// A place that was searched.
#[derive(Debug)]
pub struct Searched {
    /// The file or folder.
    pub path: Text,
    /// Why it was searched.
    pub origin: Origin,
    /// The result of the search there.
    pub result: Looked,
}

/// Why a place is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// This variable names it and replaces the search.
    Replacing(&'static CStr),
    /// This variable names it and adds to the search.
    Adding(&'static CStr),
    /// It is below a folder that this variable names.
    Variable(&'static CStr),
    /// It is the fallback of this variable, which is unset or empty.
    Fallback(&'static CStr),
    /// It was built into the loader, as the value of this option.
    BuiltIn(&'static str),
    /// The manifest of the override layer names it.
    OverrideLayer,
    /// The settings file names it.
    Settings,
    /// A system service provides it.
    Service,
}

/// The result of searching a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looked {
    /// A folder with this many manifests.
    Folder {
        /// The number of names with the extension `.json`.
        manifests: usize,
    },
    /// It is named as a manifest; the result is in the candidate.
    File,
    /// The same place was searched before.
    Repeated,
    /// It could not be read as a folder.
    Failed(FileError),
}

impl Looked {
    /// Returns a short, stable name for programs.
    #[must_use]
    pub fn id(&self) -> &'static str {
        match self {
            Self::Folder { .. } => "folder",
            Self::File => "file",
            Self::Repeated => "repeated",
            Self::Failed(FileError::NotFound) => "absent",
            Self::Failed(_) => "unreadable",
        }
    }
}

impl Note {
    /// Returns a short, stable name for programs.
    #[must_use]
    pub fn id(&self) -> &'static str {
        match self {
            Self::VariableIgnored { because: Ignored::Elevated, .. } => "variable-ignored-elevated",
            Self::VariableIgnored { .. } => "variable-ignored-replaced",
            Self::ReplacedByNothing { .. } => "replaced-by-nothing",
            Self::TooManyManifests { .. } => "too-many-manifests",
        }
    }
}

/// A note about the search that is not the fault of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// A variable is set but ignored.
    VariableIgnored {
        /// The variable.
        name: &'static CStr,
        /// Why it is ignored.
        because: Ignored,
    },
    /// A variable that replaces the search is set and names nothing, so nothing can be found.
    ReplacedByNothing {
        /// The variable.
        name: &'static CStr,
        /// What cannot be found: "driver".
        noun: &'static str,
    },
    /// More manifests were found than the loader's limit.
    TooManyManifests {
        /// The number of manifests that were left out.
        left_out: usize,
    },
}

/// Why a variable that is set is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// The process has privileges that its user may lack (LDP_LOADER_13).
    Elevated,
    /// This other variable replaces it.
    ReplacedBy(&'static CStr),
    /// The override layer sets the search path.
    OverrideLayer,
    /// The settings file lists the devices.
    Settings,
}

/// Why the place is searched, to follow it in brackets.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Replacing(name) | Self::Adding(name) | Self::Variable(name) => Name(name).fmt(f),
            Self::Fallback(name) => write!(f, "{} is unset", Name(name)),
            Self::BuiltIn(option) => f.write_str(option),
            Self::Service => f.write_str("the loader service"),
            Self::OverrideLayer => f.write_str("override_paths"),
            Self::Settings => f.write_str("the settings file"),
        }
    }
}

/// Describes the result in a few words.
impl fmt::Display for Looked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder { manifests: 0 } => f.write_str("no manifest"),
            Self::Folder { manifests: 1 } => f.write_str("1 manifest"),
            Self::Folder { manifests } => write!(f, "{manifests} manifests"),
            Self::File => f.write_str("a manifest"),
            Self::Repeated => f.write_str("looked at before"),
            Self::Failed(FileError::NotFound) => f.write_str("does not exist"),
            Self::Failed(FileError::Denied) => f.write_str("may not be read"),
            Self::Failed(FileError::Other(number)) => {
                write!(f, "cannot be listed as a folder, system error {}", number.unsigned_abs())
            }
            Self::Failed(_) => f.write_str("cannot be listed as a folder"),
        }
    }
}

/// Describes the defect and a remedy.
impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::VariableIgnored { name, because: Ignored::Elevated } => {
                write!(f, "{} is ignored because this process is elevated (LDP_LOADER_13)", Name(name))
            }
            Self::VariableIgnored { name, because: Ignored::ReplacedBy(other) } => {
                write!(f, "{} is ignored, since {} is set", Name(name), Name(other))
            }
            Self::VariableIgnored { name, because: Ignored::OverrideLayer } => write!(
                f,
                "{} is ignored, since the override layer says where to search (\"override_paths\")",
                Name(name)
            ),
            Self::VariableIgnored { name, because: Ignored::Settings } => write!(
                f,
                "{} is ignored, since the settings file lists devices (\"device_configurations\")",
                Name(name)
            ),
            Self::ReplacedByNothing { name, noun } => {
                write!(f, "{} is set but empty, which excludes every {noun}; unset it", Name(name))
            }
            Self::TooManyManifests { left_out } => {
                write!(f, "there are too many manifests, {left_out} of them were left out")
            }
        }
    }
}
