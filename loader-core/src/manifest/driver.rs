//! Driver manifests, file format versions 1.0.0 and 1.0.1 (driver interface document, "Driver Manifest File Format").
#![forbid(unsafe_code)]

use super::json;
use super::version::{Version, VersionError};
use crate::memory::{OutOfMemory, Text};

/// What a driver manifest says.
#[derive(Debug, PartialEq, Eq)]
pub struct DriverManifest {
    /// Version of the file format.
    pub format_version: Version,
    /// The library as it is written: a bare name, a relative or an absolute path. Never empty, no NUL inside.
    pub library_path: Text,
    /// The highest version of Vulkan that the driver claims to support.
    pub api_version: Version,
    /// The pointer width of the library in bits, 32 or 64, where it is told.
    pub library_arch: Option<u32>,
    /// Whether some of the driver's devices implement only a part of Vulkan (`VK_KHR_portability_subset`).
    pub portability: bool,
    /// What is odd about the manifest without making it useless.
    pub warning: Option<ManifestWarning>,
}

/// A field of a driver manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// `file_format_version`.
    FormatVersion,
    /// `ICD`, the object that holds the following.
    Icd,
    /// `library_path`.
    LibraryPath,
    /// `api_version`.
    ApiVersion,
    /// `library_arch`.
    LibraryArch,
    /// `is_portability_driver`.
    Portability,
}

/// What is wrong with a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldProblem {
    /// It is not there.
    Missing,
    /// It has another type than the one named.
    WrongType {
        /// What it should be: "a string", "an object", "true or false".
        expected: &'static str,
    },
    /// It is an empty string.
    Empty,
    /// It holds a NUL character, which no path can.
    HoldsNul,
    /// It is no version.
    Version(VersionError),
    /// It has a value that the format does not know.
    Unknown,
}

/// Why a manifest cannot be used (LDP_DRIVER_4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ManifestError {
    /// It is not JSON.
    Json(json::Error),
    /// A field that is needed is missing or wrong.
    Field {
        /// The field.
        field: Field,
        /// What is wrong with it.
        problem: FieldProblem,
        /// The line of the field, or of the object that should hold it, from 1.
        line: u32,
    },
}

/// What is odd about a manifest that is used all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ManifestWarning {
    /// The file format has a version that this loader does not know. It is read like the newest known one.
    UnknownFormatVersion,
    /// An optional field is ignored.
    FieldIgnored {
        /// The field.
        field: Field,
        /// What is wrong with it.
        problem: FieldProblem,
        /// The line of the field, from 1.
        line: u32,
    },
}

impl DriverManifest {
    /// Reads the manifest in `bytes`.
    ///
    /// # Errors
    /// The outer error is [`OutOfMemory`], the inner one says what is wrong with the manifest.
    pub fn parse(bytes: &[u8]) -> Result<Result<Self, ManifestError>, OutOfMemory> {
        let _ = bytes;
        Err(OutOfMemory)
    }
}

impl Field {
    /// The key of the field.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::FormatVersion => "file_format_version",
            Self::Icd => "ICD",
            Self::LibraryPath => "ICD.library_path",
            Self::ApiVersion => "ICD.api_version",
            Self::LibraryArch => "ICD.library_arch",
            Self::Portability => "ICD.is_portability_driver",
        }
    }
}
