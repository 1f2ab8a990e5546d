//! The folders of unpacked packages: one for each state of each package, in the folder that the
//! application names.
//!
//! ```text
//! unpack_to/vkload-PPPPPPPP-CCCCCCCC/vulkan.x.so
//!                  |        checksum of what is unpacked: names and checksums
//!                  checksum of the package's path
//! ```
//!
//! Files that exist and match the package stay, so a package is unpacked once. A file is written
//! under another name and then renamed, so a reader finds all of it; several processes may do that
//! at the same time. A file under its final name is never written to: it may be in use.
#![forbid(unsafe_code)]

use core::fmt;

use vkload_core::memory::{CText, OrOutOfMemory, OutOfMemory, Text, TryGrow, formatted, text};
use vkload_core::platform::FileError;

use super::error::PackageError;
use crate::system::ApplicationSystem;
use platform_android::layers::OnDisk;
use platform_android::layers::archive::{Entry, Ranges};

/// The ending of unfinished files, after the id of the writing process.
const UNFINISHED: &[u8] = b".new";

/// How much of an existing file is read at once.
const CHUNK: usize = 256 * 1024;

pub(super) struct Folder<'a> {
    system: &'a dyn ApplicationSystem,
    path: Text,
}

impl<'a> Folder<'a> {
    /// Returns the folder for these libraries of the package at `package`, created if missing.
    pub(super) fn of(
        system: &'a dyn ApplicationSystem,
        package: &[u8],
        unpack_to: &[u8],
        libraries: &[(Text, Entry)],
    ) -> Result<Self, OrOutOfMemory<PackageError>> {
        let mut checksum = crc32fast::Hasher::new();
        for (name, entry) in libraries {
            checksum.update(name);
            checksum.update(b"\0");
            checksum.update(&entry.crc.to_le_bytes());
        }
        let name = formatted(format_args!("{}{:08x}", Prefix::of(package), checksum.finalize()))?;
        let path = text(&[unpack_to, b"/", &name])?;
        system.make_folder(CText::of_bytes(&path)?.as_c_str()).map_err(not_written)?;
        Ok(Self { system, path })
    }

    pub(super) fn path_of(&self, name: &[u8]) -> Result<Text, OutOfMemory> {
        text(&[&self.path, b"/", name])
    }

    pub(super) fn has(&self, name: &[u8], entry: &Entry) -> Result<bool, OutOfMemory> {
        let path = CText::of_bytes(&self.path_of(name)?)?;
        let file = OnDisk { system: self.system, path: path.as_c_str() };
        if file.size() != Ok(entry.full_size) {
            return Ok(false);
        }
        let mut bytes = Text::new();
        bytes.try_resize(CHUNK.min(usize::try_from(entry.full_size).unwrap_or(CHUNK)), 0)?;
        let (mut checksum, mut offset) = (crc32fast::Hasher::new(), 0);
        while offset < entry.full_size {
            let rest = usize::try_from(entry.full_size.saturating_sub(offset)).unwrap_or(usize::MAX);
            bytes.truncate(rest);
            if file.read_at(offset, &mut bytes).is_err() {
                return Ok(false);
            }
            checksum.update(&bytes);
            offset = offset.saturating_add(bytes.len() as u64);
        }
        Ok(checksum.finalize() == entry.crc)
    }

    /// Gives the file of this name this content, atomically.
    pub(super) fn put(&self, name: &[u8], content: &[u8]) -> Result<(), OrOutOfMemory<PackageError>> {
        let path = self.path_of(name)?;
        let number = formatted(format_args!("{}", self.system.process()))?;
        let unfinished = CText::of_bytes(&text(&[&path, b".", &number, UNFINISHED])?)?;
        let path = CText::of_bytes(&path)?;
        let written = self.system.create(unfinished.as_c_str(), content);
        written.and_then(|()| self.system.rename(unfinished.as_c_str(), path.as_c_str())).map_err(|error| {
            self.system.remove(unfinished.as_c_str());
            not_written(error)
        })
    }

    /// Removes files that processes left behind when they ended in the middle of writing.
    pub(super) fn remove_unfinished(&self) -> Result<(), OutOfMemory> {
        for name in self.system.list(CText::of_bytes(&self.path)?.as_c_str()).unwrap_or_default() {
            // One thread of this process at a time unpacks, so its own unfinished files are also
            // leftovers.
            let is_left = |writer| writer == self.system.process() || !self.system.is_running(writer);
            if writer_of(&name).is_some_and(is_left) {
                self.system.remove(CText::of_bytes(&self.path_of(&name)?)?.as_c_str());
            }
        }
        Ok(())
    }
}

/// Removes the folders of other states of the package at `package`: all but `library`'s folder.
/// Processes that have a file in them open keep it.
pub(crate) fn remove_others(
    system: &dyn ApplicationSystem,
    package: &[u8],
    unpack_to: &[u8],
    library: &[u8],
) -> Result<(), OutOfMemory> {
    let prefix = formatted(format_args!("{}", Prefix::of(package)))?;
    for name in system.list(CText::of_bytes(unpack_to)?.as_c_str()).unwrap_or_default() {
        let folder = text(&[unpack_to, b"/", &name])?;
        let is_used = library.strip_prefix(&*folder).is_some_and(|rest| rest.starts_with(b"/"));
        if is_used || !name.starts_with(&prefix) {
            continue;
        }
        let path = CText::of_bytes(&folder)?;
        for file in system.list(path.as_c_str()).unwrap_or_default() {
            system.remove(CText::of_bytes(&text(&[&folder, b"/", &file])?)?.as_c_str());
        }
        system.remove(path.as_c_str());
    }
    Ok(())
}

struct Prefix(u32);

impl Prefix {
    fn of(package: &[u8]) -> Self {
        Self(crc32fast::hash(package))
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "vkload-{:08x}-", self.0)
    }
}

/// Returns the process that writes this file, if it is an unfinished one: `vulkan.x.so.4242.new`.
fn writer_of(name: &[u8]) -> Option<u32> {
    let number = name.strip_suffix(UNFINISHED)?.rsplit(|byte| *byte == b'.').next()?;
    core::str::from_utf8(number).ok()?.parse().ok()
}

fn not_written(error: FileError) -> OrOutOfMemory<PackageError> {
    match error {
        FileError::OutOfMemory => OrOutOfMemory::OutOfMemory,
        error => PackageError::Write(error).into(),
    }
}
