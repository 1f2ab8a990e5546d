//! Driver packages, as emulators exchange them (ADPKG): an archive with `meta.json` and libraries.
//!
//! Only the libraries in the archive's root are unpacked: no name in the archive can lead anywhere
//! but into the folder. Nothing in the archive is trusted: size and checksum of each unpacked file
//! are verified.
#![forbid(unsafe_code)]

mod content;
mod error;
mod folder;
mod meta;

use vkload_core::memory::{CText, OrOutOfMemory, Text, TryGrow, Vec, text};

pub use error::{PackageError, PackageFileError};
pub(super) use folder::remove_others;
pub use meta::Package;

use self::content::content;
use self::folder::Folder;
use super::system::ApplicationSystem;
use platform_android::layers::OnDisk;
use platform_android::layers::archive::{self, Entry, Ranges};
use platform_android::system::System;

const META: &[u8] = b"meta.json";

/// The maximum number of files in a package's root. Drivers have about ten.
const MOST_FILES: usize = 1000;

/// The maximum total size of a package's libraries in bytes. Drivers have some tens of millions.
const MOST_BYTES: u64 = 512 << 20;

/// The maximum size of `meta.json` in bytes. It has some hundreds.
const MOST_OF_META: u64 = 1 << 20;

/// Unpacks the libraries of a package into a folder in `unpack_to`, unless they are already there.
/// Returns the package's description and the path of its driver.
pub(super) fn unpack(
    system: &dyn ApplicationSystem,
    path: &[u8],
    unpack_to: &[u8],
) -> Result<(Package, Text), OrOutOfMemory<PackageError>> {
    let c_path = CText::of_bytes(path)?;
    let archive = OnDisk { system, path: c_path.as_c_str() };
    let Contents { package, libraries } = Contents::read(&archive)?;
    check_level(system, package.min_api)?;
    let folder = Folder::of(system, path, unpack_to, &libraries)?;
    folder.remove_unfinished()?;
    for (name, entry) in &libraries {
        if !folder.has(name, entry)? {
            folder.put(name, &library(&archive, name, entry)?)?;
        }
    }
    let driver = folder.path_of(&package.library)?;
    Ok((package, driver))
}

#[derive(Debug)]
pub struct Contents {
    pub package: Package,
    /// The libraries in its root, with their names. Names are unique, and one library is the
    /// driver.
    pub libraries: Vec<(Text, Entry)>,
}

impl Contents {
    pub fn read(archive: &dyn Ranges) -> Result<Self, OrOutOfMemory<PackageError>> {
        let mut files = files(archive)?;
        let (_, meta) = files.iter().find(|(name, _)| *name == META).ok_or(PackageError::NoDescription)?;
        let package = Package::parse(&content(archive, META, meta, MOST_OF_META)?)?;
        files.retain(|(name, _)| name.ends_with(b".so") || *name == package.library);
        check_libraries(&files, &package.library)?;
        Ok(Self { package, libraries: files })
    }
}

pub fn library(
    archive: &dyn Ranges,
    name: &[u8],
    entry: &Entry,
) -> Result<Text, OrOutOfMemory<PackageError>> {
    content(archive, name, entry, MOST_BYTES)
}

fn files(archive: &dyn Ranges) -> Result<Vec<(Text, Entry)>, OrOutOfMemory<PackageError>> {
    let (mut files, mut count) = (Vec::new(), 0usize);
    archive::list(archive, b"", &mut |name, entry| {
        count = count.saturating_add(1);
        if count <= MOST_FILES { files.try_push((text(&[name])?, entry)) } else { Ok(()) }
    })
    .map_err(PackageError::of_archive)?;
    if count <= MOST_FILES { Ok(files) } else { Err(PackageError::TooManyFiles.into()) }
}

fn check_level(system: &dyn System, needed: u32) -> Result<(), PackageError> {
    let value = system.property(c"ro.build.version.sdk");
    let device = core::str::from_utf8(value.as_bytes()).ok().and_then(|value| value.parse().ok());
    match device {
        Some(device) if needed > device => Err(PackageError::MinApi { needed, device }),
        _ => Ok(()),
    }
}

/// Returns whether the driver is among the libraries, each occurs once, and together they are not
/// too large.
fn check_libraries(libraries: &[(Text, Entry)], driver: &Text) -> Result<(), OrOutOfMemory<PackageError>> {
    if !libraries.iter().any(|(name, _)| name == driver) {
        return Err(PackageError::NoLibrary(text(&[driver])?).into());
    }
    let mut bytes = 0u64;
    for (index, (name, entry)) in libraries.iter().enumerate() {
        if libraries.iter().take(index).any(|(earlier, _)| earlier == name) {
            return Err(PackageError::of_file(name, PackageFileError::Twice));
        }
        bytes = bytes.saturating_add(entry.full_size);
    }
    if bytes > MOST_BYTES { Err(PackageError::TooLarge.into()) } else { Ok(()) }
}
