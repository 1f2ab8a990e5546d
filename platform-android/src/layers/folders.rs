//! The search path for layers, and the libraries in its folders.
#![forbid(unsafe_code)]

use core::ffi::CStr;

use vkload_core::memory::{CText, OutOfMemory, Text, text};
use vkload_core::platform::FileError;

use super::archive::{self, ArchiveError, Entry, Ranges};
use super::library_error::{LibraryError, Search};
use crate::system::{OpenMethod, System};

/// The folder to which developers copy layers.
pub const DEBUG_FOLDER: &CStr = c"/data/local/debug/vulkan";

#[derive(Debug)]
pub struct Folder {
    pub path: Text,
    pub origin: Origin,
    /// The files to consider, separated by colons; `None` for all with the name of a layer library.
    pub only: Option<Text>,
}

#[derive(Debug)]
pub struct File {
    pub name: Text,
    pub path: Text,
    pub origin: Origin,
    /// The archive's description of it, if it is in one.
    pub entry: Option<Entry>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The folder to which developers copy layers.
    DebugFolder,
    /// A path from the framework: the application, or a package with layers.
    Application,
    Platform,
    /// The maker of the device: always active, and not listed.
    Oem,
}

impl Origin {
    /// Returns whether layers of this origin are part of the device: always active, after all
    /// others, and not listed.
    pub const fn is_of_device(self) -> bool {
        matches!(self, Self::Platform | Self::Oem)
    }
}

/// Calls `each` with the libraries of a folder that may have layers, in the order of the folder,
/// with a reason if the name alone rules one out. Returns the outcome of the search.
pub(super) fn search(
    folder: &Folder,
    system: &dyn System,
    each: &mut dyn FnMut(File, Option<LibraryError>) -> Result<(), OutOfMemory>,
) -> Result<Search, OutOfMemory> {
    let mut candidates = 0usize;
    let mut found = |name: &[u8], entry: Option<Entry>| -> Result<(), OutOfMemory> {
        let by_name = if folder.only.is_some() { Name::Layer } else { name_of(name) };
        if by_name == Name::Other {
            return Ok(());
        }
        candidates = candidates.saturating_add(1);
        let path = text(&[&folder.path, b"/", name])?;
        let file = File { name: text(&[name])?, path, origin: folder.origin, entry };
        each(file, (by_name == Name::Almost).then_some(LibraryError::Name))
    };
    if let Some(only) = &folder.only {
        let mut names =
            only.split(|byte| *byte == b':').filter(|name| !name.is_empty() && !name.contains(&b'/'));
        names.try_for_each(|name| found(name, None))?;
        return Ok(Search::Done { candidates });
    }
    let result = match split(&folder.path) {
        Some((archive, inside)) => search_archive(archive, inside, system, &mut found),
        None => match system.list(CText::of_bytes(&folder.path)?.as_c_str()) {
            Ok(names) => names.iter().try_for_each(|name| found(name, None)).map(|()| None),
            Err(FileError::NotFound) => Ok(Some(Search::Absent)),
            Err(FileError::OutOfMemory) => Err(OutOfMemory),
            Err(error) => Ok(Some(Search::Unreadable(error))),
        },
    }?;
    Ok(result.unwrap_or(Search::Done { candidates }))
}

impl Folder {
    /// If the folder is in a readable archive, calls `each` with the name of every file in it.
    pub fn each_in_archive(
        &self,
        system: &dyn System,
        each: &mut dyn FnMut(&[u8]),
    ) -> Result<(), OutOfMemory> {
        let Some((archive, inside)) = split(&self.path) else { return Ok(()) };
        search_archive(archive, inside, system, &mut |name, _| {
            each(name);
            Ok(())
        })
        .map(|_| ())
    }
}

/// The callback for each file of a folder.
type Each<'a> = dyn FnMut(&[u8], Option<Entry>) -> Result<(), OutOfMemory> + 'a;

fn search_archive(
    archive: &[u8],
    inside: &[u8],
    system: &dyn System,
    found: &mut Each<'_>,
) -> Result<Option<Search>, OutOfMemory> {
    let path = CText::of_bytes(archive)?;
    let file = OnDisk { system, path: path.as_c_str() };
    let mut is_there = false;
    let listed = archive::list(&file, inside, &mut |name, entry| {
        is_there = true;
        found(name, Some(entry))
    });
    match listed {
        Ok(()) => Ok((!is_there).then_some(Search::AbsentInArchive)),
        Err(ArchiveError::Unreadable(FileError::OutOfMemory)) => Err(OutOfMemory),
        Err(fault) => Ok(Some(Search::Archive(fault))),
    }
}

impl File {
    /// Returns why the file cannot be opened inside its archive: only files that are stored
    /// uncompressed and begin at a page boundary can be mapped.
    pub fn refused_by_archive(&self, system: &dyn System) -> Option<LibraryError> {
        let entry = self.entry?;
        if entry.encrypted {
            return Some(LibraryError::Encrypted);
        }
        if entry.method != 0 {
            return Some(LibraryError::Compressed { method: entry.method });
        }
        let page = system.page_size();
        match self.begins_at(system) {
            Err(fault) => Some(LibraryError::Entry(fault)),
            Ok(offset) if offset.checked_rem(page as u64) == Some(0) => None,
            Ok(offset) => Some(LibraryError::Misaligned { offset, page }),
        }
    }

    /// Returns why the library does not open, according to its header.
    pub fn refused_by_header(&self, system: &dyn System) -> Option<LibraryError> {
        let start = self.begins_at(system).ok()?;
        let path = CText::of_bytes(self.on_disk()).ok()?;
        super::elf::reason(&OnDisk { system, path: path.as_c_str() }, start, system.page_size())
    }

    /// Returns how it is opened: the application's own libraries in the application's namespace.
    pub fn method(&self, system: &dyn System) -> OpenMethod {
        let in_debug_folder = self.path.starts_with(DEBUG_FOLDER.to_bytes());
        let is_of_application = self.origin == Origin::Application && !in_debug_folder;
        if is_of_application && system.has_application_namespace() {
            OpenMethod::Application
        } else {
            OpenMethod::Linker
        }
    }

    /// Returns the offset of its first byte in the archive or the file.
    fn begins_at(&self, system: &dyn System) -> Result<u64, ArchiveError> {
        let Some(entry) = &self.entry else { return Ok(0) };
        let path = CText::of_bytes(self.on_disk()).map_err(|_| FileError::OutOfMemory)?;
        archive::data(&OnDisk { system, path: path.as_c_str() }, entry)
    }

    fn on_disk(&self) -> &[u8] {
        split(&self.path).map_or(&self.path, |(archive, _)| archive)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Name {
    Layer,
    /// The name was probably meant to indicate layers.
    Almost,
    Other,
}

fn name_of(name: &[u8]) -> Name {
    if name.starts_with(b"libVkLayer") && name.ends_with(b".so") {
        return Name::Layer;
    }
    let almost = name.windows(7).any(|part| part.eq_ignore_ascii_case(b"vklayer"));
    if almost && name.windows(3).any(|part| part == b".so") { Name::Almost } else { Name::Other }
}

/// Splits a path that leads into an archive into the archive's path and the folder in it.
pub(super) fn split(path: &[u8]) -> Option<(&[u8], &[u8])> {
    let mark = path.windows(2).position(|pair| pair == b"!/")?;
    Some((path.get(..mark)?, path.get(mark.checked_add(2)?..)?))
}

pub struct OnDisk<'a> {
    pub system: &'a dyn System,
    pub path: &'a CStr,
}

impl Ranges for OnDisk<'_> {
    fn size(&self) -> Result<u64, FileError> {
        self.system.file_size(self.path)
    }

    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> Result<(), FileError> {
        self.system.read_at(self.path, offset, bytes)
    }
}
