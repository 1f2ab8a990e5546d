//! Faults of a package, in words that say how to fix them.
#![forbid(unsafe_code)]

use core::fmt;

use loader_core::manifest::json;
use loader_core::memory::{Shown, Text};
use loader_core::platform::FileError;

use crate::layers::archive;

/// A fault of a package.
#[derive(Debug)]
pub enum Fault {
    /// It cannot be read as an archive.
    Archive(archive::Fault),
    /// It has more files in its root than any driver has.
    TooManyFiles,
    /// It has no `meta.json` in its root.
    NoDescription,
    /// Its `meta.json` is not JSON.
    Json(json::Error),
    /// `schemaVersion` is not 1.
    Schema(Option<u32>),
    /// A member of `meta.json` has the wrong type.
    Member {
        /// Its name.
        name: &'static str,
        /// The type that it must have.
        wanted: &'static str,
    },
    /// `libraryName` is missing or not a plain file name.
    LibraryName(Text),
    /// The library that it names is not in its root.
    NoLibrary(Text),
    /// It is for a newer Android.
    MinApi {
        /// The required API level.
        needed: u32,
        /// The API level of this device.
        device: u32,
    },
    /// A file in it cannot be extracted.
    File {
        /// Its name.
        name: Text,
        /// Why.
        fault: FileFault,
    },
    /// Unpacked it is larger than any driver.
    TooLarge,
    /// A file cannot be written into the folder.
    Write(FileError),
}

/// Why a file cannot be extracted from a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFault {
    /// Its entry in the archive is broken, or it cannot be read.
    Archive(archive::Fault),
    /// Another file has the same name.
    Twice,
    /// It is encrypted.
    Encrypted,
    /// It is compressed by the method with this number.
    Method(u16),
    /// It has more bytes than this.
    TooLarge {
        /// The maximum.
        limit: u64,
    },
    /// Its size or checksum differs from the archive's record.
    Damaged,
}

impl From<archive::Fault> for FileFault {
    fn from(fault: archive::Fault) -> Self {
        Self::Archive(fault)
    }
}

impl Fault {
    /// Returns a short, stable name, for programs.
    #[must_use]
    pub const fn id(&self) -> &'static str {
        match self {
            Self::Archive(_) => "package-archive",
            Self::TooManyFiles => "package-too-many-files",
            Self::NoDescription => "package-without-description",
            Self::Json(_) => "package-json",
            Self::Schema(_) => "package-schema",
            Self::Member { .. } => "package-member",
            Self::LibraryName(_) => "package-library-name",
            Self::NoLibrary(_) => "package-without-library",
            Self::MinApi { .. } => "package-for-newer-android",
            Self::File { fault, .. } => match fault {
                FileFault::Archive(_) => "package-archive",
                FileFault::Twice => "package-two-of-a-name",
                FileFault::Encrypted => "package-encrypted",
                FileFault::Method(_) => "package-compression",
                FileFault::TooLarge { .. } => "package-too-large",
                FileFault::Damaged => "package-damaged",
            },
            Self::TooLarge => "package-too-large",
            Self::Write(_) => "package-not-unpacked",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Archive(fault) => write!(f, "the package cannot be read: {fault}; get it anew"),
            Self::TooManyFiles => write!(
                f,
                "the package has more than {} files in its root, so it is none with a driver",
                super::limits::MOST_FILES
            ),
            Self::NoDescription => {
                f.write_str("there is no meta.json in the root of the package, so it is none with a driver")
            }
            Self::Json(error) => write!(f, "meta.json of the package is no JSON: {error}"),
            Self::Schema(Some(version)) => {
                write!(f, "\"schemaVersion\" in meta.json is {version}, and this loader knows 1")
            }
            Self::Schema(None) => f.write_str("meta.json has no \"schemaVersion\", which has to be 1"),
            Self::Member { name, wanted } => {
                write!(f, "{name:?} in meta.json has to be {wanted}; correct it")
            }
            Self::LibraryName(name) if name.is_empty() => f.write_str("meta.json has no \"libraryName\""),
            Self::LibraryName(name) => {
                write!(f, "\"libraryName\" in meta.json is {}, which is no mere file name", Shown(name))
            }
            Self::NoLibrary(name) => write!(
                f,
                "meta.json names the library {}, which is not in the root of the package",
                Shown(name)
            ),
            Self::MinApi { needed, device } => write!(
                f,
                "the driver is for API level {needed} and up (\"minApi\"), and this device has {device}; look for an older driver"
            ),
            Self::File { name, fault } => write!(f, "{} in the package {fault}", Shown(name)),
            Self::TooLarge => write!(
                f,
                "the libraries in the package have more than {} bytes, so it is none with a driver",
                super::limits::MOST_BYTES
            ),
            Self::Write(error) => {
                f.write_str("it cannot be unpacked into the folder for that (\"unpack_to\"): ")?;
                f.write_str(match error {
                    FileError::NotFound => "there is no such folder; make it",
                    FileError::Denied => "permission denied; the application's own files are a good place",
                    FileError::Other(NO_SPACE) => "there is no space left on the device; free some",
                    FileError::OutOfMemory => "there is not enough memory",
                    FileError::Other(number) => return write!(f, "error {number} of the system"),
                    FileError::NotAFile | FileError::TooLarge => "something else has its name",
                })
            }
        }
    }
}

/// `ENOSPC`
const NO_SPACE: i32 = 28;

impl fmt::Display for FileFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Archive(fault) => write!(f, "cannot be read: {fault}; get the package anew"),
            Self::Twice => f.write_str("is there twice; get another build of the package"),
            Self::Encrypted => f.write_str("is encrypted; build the package without encryption"),
            Self::Method(method) => write!(
                f,
                "is compressed by method {method}; build the package with files that are stored or deflated"
            ),
            Self::TooLarge { limit } => write!(f, "has more than {limit} bytes, so it is none of a driver"),
            Self::Damaged => f.write_str("is damaged; get the package anew"),
        }
    }
}
