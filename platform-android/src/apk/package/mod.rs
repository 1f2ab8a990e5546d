//! Packages with drivers, as emulators exchange them (ADPKG): an archive with `meta.json` and libraries.
//!
//! The libraries that lie in the archive's root are unpacked, nothing else of it is: no name in the archive can lead anywhere but
//! into the folder. Nothing that the archive says is believed: what is unpacked has the size and the checksum that it should have.
#![forbid(unsafe_code)]

mod content;
mod fault;
mod folder;
mod meta;

use loader_core::memory::{OutOfMemory, Text, TryGrow, Vec, text};

pub use fault::{Fault, FileFault};
pub(super) use folder::remove_others;
pub use meta::Package;

use self::content::content;
use self::folder::Folder;
use super::ApplicationSystem;
use super::files::c_path;
use crate::layers::OnDisk;
use crate::layers::archive::{self, Entry};
use crate::system::System;

/// The most files in a package's root. Drivers have about ten.
const MOST_FILES: usize = 1000;

/// The most bytes of all libraries of a package. Drivers have some tens of millions.
const MOST_BYTES: u64 = 512 << 20;

/// The most bytes of `meta.json`, which has some hundreds.
const MOST_OF_META: u64 = 1 << 20;

/// Why a package is not unpacked.
pub(super) enum Stop {
    Fault(Fault),
    OutOfMemory,
}

impl Stop {
    fn of_file(name: &[u8], fault: FileFault) -> Self {
        text(&[name]).map_or(Self::OutOfMemory, |name| Self::Fault(Fault::File { name, fault }))
    }
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<OutOfMemory> for Stop {
    fn from(_: OutOfMemory) -> Self {
        Self::OutOfMemory
    }
}

impl From<archive::Stop> for Stop {
    fn from(stop: archive::Stop) -> Self {
        match stop {
            archive::Stop::OutOfMemory => Self::OutOfMemory,
            archive::Stop::Fault(fault) => Self::Fault(Fault::Archive(fault)),
        }
    }
}

/// Unpacks the libraries of a package into a folder in `unpack_to`, as far as they are not there yet. Returns what the package
/// says and the path of its driver.
pub(super) fn unpack(
    system: &dyn ApplicationSystem,
    path: &[u8],
    unpack_to: &[u8],
) -> Result<(Package, Text), Stop> {
    let c_path = c_path(path)?;
    let archive = OnDisk { system, path: c_path.as_c() };
    let mut files = files(&archive)?;
    let package = description(&archive, &files)?;
    check_level(system, package.min_api)?;
    files.retain(|(name, _)| name.ends_with(b".so") || *name == package.library);
    check_libraries(&files, &package.library)?;
    let folder = Folder::of(system, path, unpack_to, &files)?;
    folder.remove_unfinished()?;
    for (name, entry) in &files {
        if !folder.has(name, entry)? {
            folder.put(name, &content(&archive, entry, MOST_BYTES).map_err(|none| none.of(name))?)?;
        }
    }
    let library = folder.place(&package.library)?;
    Ok((package, library))
}

/// The files in the root of an archive.
fn files(archive: &OnDisk<'_>) -> Result<Vec<(Text, Entry)>, Stop> {
    let (mut files, mut count) = (Vec::new(), 0usize);
    archive::list(archive, b"", &mut |name, entry| {
        count = count.saturating_add(1);
        if count <= MOST_FILES { files.try_push((text(&[name])?, entry)) } else { Ok(()) }
    })?;
    if count <= MOST_FILES { Ok(files) } else { Err(Fault::TooManyFiles.into()) }
}

/// What the package says of its driver.
fn description(archive: &OnDisk<'_>, files: &[(Text, Entry)]) -> Result<Package, Stop> {
    const NAME: &[u8] = b"meta.json";
    let (_, entry) = files.iter().find(|(name, _)| *name == NAME).ok_or(Fault::NoDescription)?;
    Package::parse(&content(archive, entry, MOST_OF_META).map_err(|none| none.of(NAME))?)
}

/// Whether the driver runs on this device's level of Android's API.
fn check_level(system: &dyn System, needed: u32) -> Result<(), Fault> {
    let value = system.property(c"ro.build.version.sdk");
    let device = core::str::from_utf8(value.as_bytes()).ok().and_then(|value| value.parse().ok());
    match device {
        Some(device) if needed > device => Err(Fault::MinApi { needed, device }),
        _ => Ok(()),
    }
}

/// Whether the driver is among the libraries, each is there once, and all together are not too large.
fn check_libraries(libraries: &[(Text, Entry)], driver: &Text) -> Result<(), Stop> {
    if !libraries.iter().any(|(name, _)| name == driver) {
        return Err(Fault::NoLibrary(text(&[driver])?).into());
    }
    let mut bytes = 0u64;
    for (place, (name, entry)) in libraries.iter().enumerate() {
        if libraries.iter().take(place).any(|(earlier, _)| earlier == name) {
            return Err(Stop::of_file(name, FileFault::Twice));
        }
        bytes = bytes.saturating_add(entry.full_size);
    }
    if bytes > MOST_BYTES { Err(Fault::TooLarge.into()) } else { Ok(()) }
}
