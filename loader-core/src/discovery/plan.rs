//! The decisions of discovery.
#![forbid(unsafe_code)]

use core::ffi::CStr;
use core::fmt;

use super::kind::DriverKind;
use super::reason::{Name, SkipReason};
use crate::manifest::{ManifestWarning, Version};
use crate::memory::{OutOfMemory, Text, Vec, text};
use crate::platform::FileError;

/// Which drivers to open, and everything that led to this.
#[derive(Debug, Default)]
pub struct Plan {
    /// Every driver that was found, used or not, in order of discovery.
    pub drivers: Vec<Candidate>,
    /// Every search path, in order, existing or not.
    pub searched: Vec<Searched>,
    pub notes: Vec<Note>,
}

impl Plan {
    /// Returns the drivers to open with their indices in `drivers`, in order of discovery.
    pub fn used(&self) -> impl DoubleEndedIterator<Item = (usize, &Candidate)> {
        self.drivers.iter().enumerate().filter(|(_, driver)| driver.decision == DriverDecision::Use)
    }
}

#[derive(Debug)]
pub struct Candidate {
    /// Its manifest, or its library on a platform without manifests.
    pub path: Text,
    /// The index of the entry of [`Plan::searched`] that led to it.
    pub found_in: usize,
    /// The library to open: a bare name for the dynamic linker, or a path. Empty if the manifest
    /// was not read.
    pub library: Text,
    /// The version of Vulkan that its manifest claims. 0.0.0 without a manifest, or if it was not read.
    pub api_version: Version,
    /// Whether it implements only a part of Vulkan.
    pub portability: bool,
    pub kind: DriverKind,
    pub warning: Option<ManifestWarning>,
    pub decision: DriverDecision,
}

impl Candidate {
    /// Returns a library that is used without a manifest. `found_in` is the index of what named it.
    pub(super) fn without_manifest(
        library: &[u8],
        found_in: usize,
        kind: DriverKind,
    ) -> Result<Self, OutOfMemory> {
        Ok(Self {
            path: text(&[library])?,
            found_in,
            library: text(&[library])?,
            api_version: Version::default(),
            portability: false,
            kind,
            warning: None,
            decision: DriverDecision::Use,
        })
    }

    /// Returns the version of Vulkan that its manifest claims; `None` for a library without a manifest.
    pub fn manifest_version(&self) -> Option<Version> {
        (self.api_version != Version::default()).then_some(self.api_version)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriverDecision {
    Use,
    Skip(SkipReason),
}

/// A file or folder that was searched.
#[derive(Debug)]
pub struct Searched {
    pub path: Text,
    pub origin: Origin,
    pub result: SearchResult,
}

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
    Settings,
    Service,
}

crate::reasons! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum SearchResult [] {
        /// A folder with this many manifests.
        Folder {
            /// The number of names with the extension `.json`.
            manifests: usize,
        } = ["folder"] ("{}", Manifests(*manifests));
        /// It is named as a manifest; the result is in the candidate.
        File = ["file"] ("a manifest");
        Repeated = ["repeated"] ("looked at before");
        /// It could not be read as a folder.
        Failed(error: FileError) = [(unlisted_id(*error); &["absent", "unreadable"])] ("{}", Unlisted(*error));
    }
}

crate::reasons! {
    /// A note about the search that is not the fault of a candidate.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Note [] {
        VariableIgnored {
            name: &'static CStr,
            because: IgnoreReason,
        } = [(because.id(); &[])] ("{} is ignored{because}", Name(name));
        /// A variable that replaces the search is set and names nothing, so nothing can be found.
        ReplacedByNothing {
            name: &'static CStr,
            /// What cannot be found: "driver".
            noun: &'static str,
        } = ["replaced-by-nothing"] ("{} is set but empty, which excludes every {noun}; unset it", Name(name));
        /// More manifests were found than the loader's limit.
        TooManyManifests {
            /// The number of manifests that were left out.
            left_out: usize,
        } = ["too-many-manifests"] ("there are too many manifests, {left_out} of them were left out");
    }
}

crate::reasons! {
    /// Why a variable that is set is ignored.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum IgnoreReason [] {
        /// The process has privileges that its user may lack.
        Elevated = ["variable-ignored-elevated"] (" because this process is elevated (LDP_LOADER_13)");
        ReplacedBy(other: &'static CStr) = ["variable-ignored-replaced"] (", since {} is set", Name(other));
        /// The override layer sets the search path.
        OverrideLayer = ["variable-ignored-replaced"]
            (", since the override layer says where to search (\"override_paths\")");
        Settings = ["variable-ignored-replaced"]
            (", since the settings file lists devices (\"device_configurations\")");
    }
}

/// Why the path is searched, to follow it in brackets.
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

/// A number of manifests in words.
struct Manifests(usize);

impl fmt::Display for Manifests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("no manifest"),
            1 => f.write_str("1 manifest"),
            count => write!(f, "{count} manifests"),
        }
    }
}

fn unlisted_id(error: FileError) -> &'static str {
    if error == FileError::NotFound { "absent" } else { "unreadable" }
}

/// Why a folder cannot be listed.
struct Unlisted(FileError);

impl fmt::Display for Unlisted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            FileError::NotFound => f.write_str("does not exist"),
            FileError::Denied => f.write_str("may not be read"),
            FileError::Other(number) => {
                write!(f, "cannot be listed as a folder, system error {}", number.unsigned_abs())
            }
            _ => f.write_str("cannot be listed as a folder"),
        }
    }
}
