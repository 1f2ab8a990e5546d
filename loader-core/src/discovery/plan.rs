//! The decisions of discovery.
#![forbid(unsafe_code)]

use core::ffi::CStr;
use core::fmt;

use super::kind::DriverKind;
use super::reason::{Name, SkipReason};
use crate::manifest::{ManifestWarning, Version};
use crate::memory::{OutOfMemory, Text, Vec, text};
use crate::platform::FileError;

#[derive(Debug, Default)]
pub struct Plan {
    pub drivers: Vec<Candidate>,
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
    pub found_in: usize,
    /// The library to open: a bare name for the dynamic linker, or a path. Empty if the manifest
    /// was not read.
    pub library: Text,
    /// The version of Vulkan that its manifest claims. 0.0.0 without a manifest, or if it was not read.
    pub api_version: Version,
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

#[derive(Debug)]
pub struct Searched {
    pub path: Text,
    pub origin: Origin,
    pub result: SearchResult,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    Replacing(&'static CStr),
    Adding(&'static CStr),
    Variable(&'static CStr),
    Fallback(&'static CStr),
    BuiltIn(&'static str),
    OverrideLayer,
    Settings,
    Service,
}

crate::reasons! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum SearchResult [] {
        /// A folder with this many manifests.
        Folder { manifests: usize } = ["folder"] ("{}", Manifests(*manifests));
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
        VariableIgnored { name: &'static CStr, because: IgnoreReason }
            = [(because.id(); &[])] ("{} is ignored{because}", Name(name));
        /// A variable that replaces the search is set and names nothing, so nothing can be found.
        ReplacedByNothing { name: &'static CStr, noun: &'static str }
            = ["replaced-by-nothing"] ("{} is set but empty, which excludes every {noun}; unset it", Name(name));
        /// More manifests were found than the loader's limit.
        TooManyManifests { left_out: usize }
            = ["too-many-manifests"] ("there are too many manifests, {left_out} of them were left out");
    }
}

crate::reasons! {
    /// Why a variable that is set is ignored.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum IgnoreReason [] {
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
