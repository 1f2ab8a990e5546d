//! Packages with drivers, as emulators exchange them (ADPKG): an archive with `meta.json` and libraries.
//!
//! The libraries that lie in the archive's root are unpacked, nothing else of it is: no name in the archive can lead anywhere but
//! into the folder.
#![forbid(unsafe_code)]

use core::fmt;

use loader_core::manifest::json::{self, Value};
use loader_core::memory::{Shown, Text, TryGrow, Vec, text};
use loader_core::platform::FileError;

use super::ApplicationSystem;
use super::files::c_path;
use super::inflate::{self, Stop};
use crate::layers::archive::{self, Entry, Ranges};
use crate::system::System;

/// What a package says of its driver.
#[derive(Debug, Default)]
pub struct Package {
    /// The driver's name.
    pub name: Text,
    /// What it is.
    pub description: Text,
    /// Who made the package.
    pub author: Text,
    /// The package's version.
    pub package_version: Text,
    /// Whose driver it is.
    pub vendor: Text,
    /// The driver's version.
    pub driver_version: Text,
    /// The oldest level of Android's API that it runs on.
    pub min_api: u32,
    /// The driver's library.
    pub library: Text,
}

/// What is wrong with a package.
#[derive(Debug)]
pub enum Fault {
    /// It cannot be read as an archive.
    Archive(archive::Fault),
    /// It has no `meta.json` in its root.
    NoDescription,
    /// Its `meta.json` is no JSON.
    Json(json::Error),
    /// `schemaVersion` is not 1.
    Schema(Option<u32>),
    /// `libraryName` is missing, or no mere file name.
    LibraryName(Text),
    /// The library that it names is not in its root.
    NoLibrary(Text),
    /// It is for a newer Android.
    MinApi {
        /// What it needs.
        needed: u32,
        /// What this device has.
        device: u32,
    },
    /// A file in it is encrypted.
    Encrypted,
    /// A file in it is compressed by a method with this number.
    Method(u16),
    /// A file in it is larger than any driver.
    TooLarge,
    /// What a file in it holds does not come out as long as it should be.
    Damaged,
    /// A file cannot be written into the folder.
    Write(FileError),
}

impl Fault {
    /// A short name that stays the same, for programs.
    #[must_use]
    pub const fn id(&self) -> &'static str {
        match self {
            Self::Archive(_) => "package-archive",
            Self::NoDescription => "package-without-description",
            Self::Json(_) => "package-json",
            Self::Schema(_) => "package-schema",
            Self::LibraryName(_) => "package-library-name",
            Self::NoLibrary(_) => "package-without-library",
            Self::MinApi { .. } => "package-for-newer-android",
            Self::Encrypted => "package-encrypted",
            Self::Method(_) => "package-compression",
            Self::TooLarge => "package-too-large",
            Self::Damaged => "package-damaged",
            Self::Write(_) => "package-not-unpacked",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Archive(fault) => write!(f, "the package cannot be read: {fault}; get it anew"),
            Self::NoDescription => {
                f.write_str("there is no meta.json in the root of the package, so it is none with a driver")
            }
            Self::Json(error) => write!(f, "meta.json of the package is no JSON: {error}"),
            Self::Schema(Some(version)) => {
                write!(f, "\"schemaVersion\" in meta.json is {version}, and this loader knows 1")
            }
            Self::Schema(None) => f.write_str("meta.json has no \"schemaVersion\", which has to be 1"),
            Self::LibraryName(name) if name.is_empty() => f.write_str("meta.json has no \"libraryName\""),
            Self::LibraryName(name) => {
                write!(f, "\"libraryName\" in meta.json is {}, which is no mere file name", Shown(name))
            }
            Self::NoLibrary(name) => {
                write!(
                    f,
                    "meta.json names the library {}, which is not in the root of the package",
                    Shown(name)
                )
            }
            Self::MinApi { needed, device } => write!(
                f,
                "the driver is for API level {needed} and up (\"minApi\"), and this device has {device}; look for an older driver"
            ),
            Self::Encrypted => f.write_str("a file in the package is encrypted"),
            Self::Method(method) => write!(
                f,
                "a file in the package is compressed by method {method}; only stored and deflated ones can be unpacked"
            ),
            Self::TooLarge => f.write_str("a file in the package has more than 512 MiB"),
            Self::Damaged => f.write_str("a file in the package is damaged; get it anew"),
            Self::Write(FileError::NotFound) => f.write_str(
                "it cannot be unpacked, since the folder for that (\"unpack_to\") does not exist; make it",
            ),
            Self::Write(error) => write!(
                f,
                "it cannot be unpacked into the folder (\"unpack_to\"): {error:?}; the application's own files are a good place"
            ),
        }
    }
}

/// The property with the level of Android's API.
const API_LEVEL: &core::ffi::CStr = c"ro.build.version.sdk";

/// Unpacks the libraries of a package. Returns what it says and the path of its driver.
pub(super) fn unpack(
    system: &dyn ApplicationSystem,
    path: &[u8],
    folder: &[u8],
) -> Result<(Package, Text), Stop> {
    let path = c_path(path)?;
    let file = OnDisk { system, path: path.as_c() };
    let mut files = Vec::<(Text, Entry)>::new();
    archive::list(&file, b"", &mut |name, entry| files.try_push((text(&[name])?, entry))).map_err(
        |stop| match stop {
            archive::Stop::OutOfMemory => Stop::OutOfMemory,
            archive::Stop::Fault(fault) => fault.into(),
        },
    )?;
    let description = files.iter().find(|(name, _)| name.as_slice() == b"meta.json");
    let (_, entry) = description.ok_or(Fault::NoDescription)?;
    let package = Package::parse(&inflate::content(&file, entry)?)?;
    let device = level(system);
    if package.min_api > device {
        return Err(Fault::MinApi { needed: package.min_api, device }.into());
    }
    if !files.iter().any(|(name, _)| *name == package.library) {
        return Err(Fault::NoLibrary(package.library).into());
    }
    let is_library = |name: &[u8]| name.ends_with(b".so") || name == package.library.as_slice();
    for (name, entry) in files.iter().filter(|(name, _)| is_library(name)) {
        let content = inflate::content(&file, entry)?;
        let place = c_path(&text(&[folder, b"/", name])?)?;
        system.write(place.as_c(), &content).map_err(Fault::Write)?;
    }
    let library = text(&[folder, b"/", &package.library])?;
    Ok((package, library))
}

/// The level of this device's API.
fn level(system: &dyn System) -> u32 {
    let value = system.property(API_LEVEL);
    core::str::from_utf8(value.as_bytes()).ok().and_then(|value| value.parse().ok()).unwrap_or(u32::MAX)
}

impl Package {
    fn parse(bytes: &[u8]) -> Result<Self, Stop> {
        let root = json::parse(bytes).map_err(Fault::Json)?;
        let number = |name| root.member(name).as_ref().and_then(Value::unsigned);
        let string = |name| match root.member(name).and_then(|value| value.string()) {
            Some(string) => string.to_text(),
            None => Ok(Text::new()),
        };
        let schema = number("schemaVersion");
        if schema != Some(1) {
            return Err(Fault::Schema(schema).into());
        }
        let library = string("libraryName")?;
        if !is_file_name(&library) {
            return Err(Fault::LibraryName(library).into());
        }
        Ok(Self {
            name: string("name")?,
            description: string("description")?,
            author: string("author")?,
            package_version: string("packageVersion")?,
            vendor: string("vendor")?,
            driver_version: string("driverVersion")?,
            min_api: number("minApi").unwrap_or_default(),
            library,
        })
    }
}

/// Whether this names a file in a folder and nothing else. A colon would part lists of libraries.
fn is_file_name(name: &[u8]) -> bool {
    let forbidden = |byte: &u8| matches!(byte, b'/' | b'\\' | b':') || *byte < b' ';
    !(name.is_empty() || name == b"." || name == b".." || name.iter().any(forbidden))
}

/// A file of the system's.
pub(super) struct OnDisk<'a> {
    pub(super) system: &'a dyn ApplicationSystem,
    pub(super) path: &'a core::ffi::CStr,
}

impl Ranges for OnDisk<'_> {
    fn size(&self) -> Result<u64, FileError> {
        self.system.file_size(self.path)
    }

    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> Result<(), FileError> {
        self.system.read_at(self.path, offset, bytes)
    }
}
