//! Listing a folder in an archive: as much of the ZIP format as is needed to find libraries in an
//! APK.
//!
//! An archive is read in bounded ranges; of an APK, however large, little more than its directory
//! is read. Nothing in it is trusted: every offset is checked against the size of the file.
//! Source: PKWARE's APPNOTE.TXT, sections 4.3.7 (local header), 4.3.12 (directory), 4.3.14 and
//! 4.3.15 (ZIP64), 4.3.16 (end of the directory), 4.5.3 (ZIP64's extra field).
#![forbid(unsafe_code)]

use core::fmt;

use vkload_core::memory::{OutOfMemory, Text, TryGrow};
use vkload_core::platform::FileError;

/// A file that can be read in ranges.
pub trait Ranges {
    fn size(&self) -> Result<u64, FileError>;

    /// Fills `bytes` from `offset` on.
    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> Result<(), FileError>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArchiveError {
    Unreadable(FileError),
    /// It does not end like an archive.
    NotAnArchive,
    SeveralParts,
    Directory,
    /// Its directory is longer than any application's.
    DirectoryTooLong,
    Signature,
    CutOff,
}

impl fmt::Display for ArchiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unreadable(FileError::NotFound) => "it does not exist",
            Self::Unreadable(FileError::Denied) => "permission denied",
            Self::Unreadable(_) => "an error while reading",
            Self::NotAnArchive => "it is not a ZIP archive",
            Self::SeveralParts => "it is one of several parts",
            Self::Directory => "its directory is not where it says",
            Self::DirectoryTooLong => "its directory is longer than 64 MiB",
            Self::Signature => "a record does not begin as it should",
            Self::CutOff => "a record goes beyond its end",
        })
    }
}

impl From<FileError> for ArchiveError {
    fn from(error: FileError) -> Self {
        Self::Unreadable(error)
    }
}

impl From<OutOfMemory> for ArchiveError {
    fn from(error: OutOfMemory) -> Self {
        Self::Unreadable(error.into())
    }
}

/// A file in an archive, as the archive's directory describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The compression method, 0 if the file is only stored.
    pub method: u16,
    pub encrypted: bool,
    pub header: u64,
    /// Its size in the archive in bytes.
    pub size: u64,
    /// Its uncompressed size in bytes.
    pub full_size: u64,
    /// The checksum of the uncompressed file (CRC-32).
    pub crc: u32,
}

/// The callback for each file, with its name and description.
pub type Each<'a> = dyn FnMut(&[u8], Entry) -> Result<(), OutOfMemory> + 'a;

/// The length of the end-of-directory record, without its comment.
const END: usize = 22;
/// The length of the locator of ZIP64's record, right before the end-of-directory record.
const LOCATOR: u64 = 20;
/// The length of ZIP64's end-of-directory record, without extensions.
const WIDE_END: usize = 56;
/// The length of a directory record, without name, extra fields and comment.
const RECORD: usize = 46;
/// The length of a local file header, without name and extra fields.
const HEADER: usize = 30;
const COMMENT: u64 = 65_535;
const CHUNK: u64 = 64 * 1024;
/// The maximum length of a directory that is read: some 700,000 files.
const DIRECTORY: u64 = 64 * 1024 * 1024;

/// Calls `each` with the name, without its folder, and the description of every file directly in
/// `folder`.
pub fn list(file: &dyn Ranges, folder: &[u8], each: &mut Each<'_>) -> Result<(), ArchiveError> {
    let directory = directory(file)?;
    let mut window = Window { file, end: directory.end, start: 0, bytes: Text::new() };
    let mut offset = directory.start;
    for _ in 0..directory.count {
        let record = Record::parse(window.read(offset, RECORD as u64)?)?;
        let behind = record.name.saturating_add(record.extra);
        let whole = window.read(offset, (RECORD as u64).saturating_add(behind))?;
        let (name, extra) = record.texts(whole).ok_or(ArchiveError::CutOff)?;
        if let Some(child) = child(name, folder) {
            each(child, record.entry(extra)?)?;
        }
        let next = (RECORD as u64).saturating_add(behind).saturating_add(record.comment);
        offset = offset.saturating_add(next);
    }
    Ok(())
}

/// Returns the offset of a file's bytes: behind its own header, whose length the directory does not
/// contain.
pub fn data(file: &dyn Ranges, entry: &Entry) -> Result<u64, ArchiveError> {
    let mut header = [0; HEADER];
    file.read_at(entry.header, &mut header)?;
    let mut fields = Fields(&header);
    if fields.u32()? != 0x0403_4b50 {
        return Err(ArchiveError::Signature);
    }
    fields.skip(22)?;
    let (name, extra) = (u64::from(fields.u16()?), u64::from(fields.u16()?));
    let data =
        entry.header.checked_add(HEADER as u64).and_then(|end| end.checked_add(name)?.checked_add(extra));
    let data = data.ok_or(ArchiveError::CutOff)?;
    if data.checked_add(entry.size).ok_or(ArchiveError::CutOff)? > file.size()? {
        return Err(ArchiveError::CutOff);
    }
    Ok(data)
}

/// Returns the name of an entry directly in `folder`.
fn child<'a>(name: &'a [u8], folder: &[u8]) -> Option<&'a [u8]> {
    let below = if folder.is_empty() { name } else { name.strip_prefix(folder)?.strip_prefix(b"/")? };
    (!below.is_empty() && !below.contains(&b'/') && !below.contains(&0)).then_some(below)
}

struct Directory {
    start: u64,
    end: u64,
    count: u64,
}

fn directory(file: &dyn Ranges) -> Result<Directory, ArchiveError> {
    let size = file.size()?;
    let (offset, record) = end_of_directory(file, size)?;
    let mut fields = Fields(&record);
    fields.skip(4)?;
    let (disk, first_disk) = (fields.u16()?, fields.u16()?);
    let (here, count) = (fields.u16()?, fields.u16()?);
    let (length, start) = (fields.u32()?, fields.u32()?);
    let seems_wide = count == u16::MAX || [length, start].contains(&u32::MAX);
    if seems_wide && let Some(directory) = wide_directory(file, offset)? {
        return Ok(directory);
    }
    if (disk, first_disk) != (0, 0) || here != count {
        return Err(ArchiveError::SeveralParts);
    }
    Directory::checked(u64::from(start), u64::from(length), u64::from(count), offset)
}

impl Directory {
    /// Checks a directory's position: it must end before `limit` and not be too long.
    fn checked(start: u64, length: u64, count: u64, limit: u64) -> Result<Self, ArchiveError> {
        let end = start.checked_add(length).filter(|end| *end <= limit).ok_or(ArchiveError::Directory)?;
        if length > DIRECTORY {
            return Err(ArchiveError::DirectoryTooLong);
        }
        Ok(Self { start, end, count })
    }
}

/// Finds the end-of-directory record and its offset. Only a comment follows it; most archives have
/// none.
fn end_of_directory(file: &dyn Ranges, size: u64) -> Result<(u64, [u8; END]), ArchiveError> {
    let last = size.checked_sub(END as u64).ok_or(ArchiveError::NotAnArchive)?;
    let mut record = [0; END];
    file.read_at(last, &mut record)?;
    if is_end(&record, 0) {
        return Ok((last, record));
    }
    let start = last.saturating_sub(COMMENT);
    let mut tail = Text::new();
    let length = usize::try_from(size.saturating_sub(start)).map_err(|_| ArchiveError::NotAnArchive)?;
    tail.try_resize(length, 0).map_err(|_| FileError::OutOfMemory)?;
    file.read_at(start, &mut tail)?;
    let ends = tail.windows(END).enumerate().rev();
    for (offset, window) in ends {
        let behind = length.saturating_sub(offset).saturating_sub(END);
        if let Some(found) = window.first_chunk::<END>().filter(|record| is_end(record, behind)) {
            return Ok((start.saturating_add(offset as u64), *found));
        }
    }
    Err(ArchiveError::NotAnArchive)
}

/// Returns whether this is an end-of-directory record whose comment fills the bytes behind it.
fn is_end(record: &[u8; END], behind: usize) -> bool {
    let comment = record.last_chunk().map(|bytes| usize::from(u16::from_le_bytes(*bytes)));
    record.starts_with(b"PK\x05\x06") && comment == Some(behind)
}

/// Returns the directory of a ZIP64 archive, with more or larger files than the first format has
/// numbers for. `None` if it only looks like one.
fn wide_directory(file: &dyn Ranges, end: u64) -> Result<Option<Directory>, ArchiveError> {
    let Some(offset) = end.checked_sub(LOCATOR) else { return Ok(None) };
    let mut locator = [0; LOCATOR as usize];
    file.read_at(offset, &mut locator)?;
    let mut fields = Fields(&locator);
    if fields.u32()? != 0x0706_4b50 {
        return Ok(None);
    }
    let (disk, record, disks) = (fields.u32()?, fields.u64()?, fields.u32()?);
    if disk != 0 || disks > 1 {
        return Err(ArchiveError::SeveralParts);
    }
    if record.checked_add(WIDE_END as u64).is_none_or(|end| end > offset) {
        return Err(ArchiveError::CutOff);
    }
    let mut bytes = [0; WIDE_END];
    file.read_at(record, &mut bytes)?;
    let mut fields = Fields(&bytes);
    if fields.u32()? != 0x0606_4b50 {
        return Err(ArchiveError::Signature);
    }
    fields.skip(12)?;
    let (disk, first_disk) = (fields.u32()?, fields.u32()?);
    let (here, count) = (fields.u64()?, fields.u64()?);
    let (length, start) = (fields.u64()?, fields.u64()?);
    if (disk, first_disk) != (0, 0) || here != count {
        return Err(ArchiveError::SeveralParts);
    }
    Directory::checked(start, length, count, record).map(Some)
}

struct Window<'a> {
    file: &'a dyn Ranges,
    end: u64,
    start: u64,
    bytes: Text,
}

impl Window<'_> {
    fn read(&mut self, offset: u64, length: u64) -> Result<&[u8], ArchiveError> {
        let end = offset.checked_add(length).filter(|end| *end <= self.end).ok_or(ArchiveError::CutOff)?;
        let loaded = self.start.saturating_add(self.bytes.len() as u64);
        if offset < self.start || end > loaded {
            // A record is shorter than 192 KiB.
            let wanted = self.end.saturating_sub(offset).min(length.max(CHUNK));
            let wanted = usize::try_from(wanted).map_err(|_| ArchiveError::CutOff)?;
            self.bytes.try_resize(wanted, 0)?;
            self.file.read_at(offset, &mut self.bytes).inspect_err(|_| self.bytes.clear())?;
            self.start = offset;
        }
        let from = usize::try_from(offset.saturating_sub(self.start)).map_err(|_| ArchiveError::CutOff)?;
        let to = from.saturating_add(usize::try_from(length).map_err(|_| ArchiveError::CutOff)?);
        self.bytes.get(from..to).ok_or(ArchiveError::CutOff)
    }
}

/// A record of the directory, which describes a file.
struct Record {
    flags: u16,
    method: u16,
    size: u32,
    full_size: u32,
    crc: u32,
    header: u32,
    name: u64,
    extra: u64,
    comment: u64,
}

impl Record {
    fn parse(bytes: &[u8]) -> Result<Self, ArchiveError> {
        let mut fields = Fields(bytes);
        if fields.u32()? != 0x0201_4b50 {
            return Err(ArchiveError::Signature);
        }
        fields.skip(4)?;
        let (flags, method) = (fields.u16()?, fields.u16()?);
        fields.skip(4)?;
        let crc = fields.u32()?;
        let (size, full_size) = (fields.u32()?, fields.u32()?);
        let (name, extra, comment) = (fields.u16()?, fields.u16()?, fields.u16()?);
        fields.skip(8)?;
        let header = fields.u32()?;
        let (name, extra, comment) = (u64::from(name), u64::from(extra), u64::from(comment));
        Ok(Self { flags, method, size, full_size, crc, header, name, extra, comment })
    }

    /// Returns the name and the extra fields in the bytes of the record.
    fn texts<'a>(&self, whole: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
        whole.get(RECORD..)?.split_at_checked(usize::try_from(self.name).ok()?)
    }

    /// Returns the record's description, with the numbers that did not fit into it taken from the
    /// extra fields.
    fn entry(&self, extra: &[u8]) -> Result<Entry, ArchiveError> {
        let (mut size, mut header) = (u64::from(self.size), u64::from(self.header));
        let mut full_size = u64::from(self.full_size);
        if [self.size, self.full_size, self.header].contains(&u32::MAX) {
            let mut wide = Fields(wide_numbers(extra).unwrap_or_default());
            if self.full_size == u32::MAX {
                full_size = wide.u64()?;
            }
            if self.size == u32::MAX {
                size = wide.u64()?;
            }
            if self.header == u32::MAX {
                header = wide.u64()?;
            }
        }
        let encrypted = self.flags & 1 != 0;
        Ok(Entry { method: self.method, encrypted, header, size, full_size, crc: self.crc })
    }
}

/// ZIP64's field among the extra fields.
fn wide_numbers(extra: &[u8]) -> Option<&[u8]> {
    let mut fields = Fields(extra);
    loop {
        let (kind, length) = (fields.u16().ok()?, fields.u16().ok()?);
        let content = fields.take(usize::from(length)).ok()?;
        if kind == 1 {
            return Some(content);
        }
    }
}

/// A cursor over the fields of a record.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], ArchiveError> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(ArchiveError::CutOff)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ArchiveError> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(ArchiveError::CutOff)?;
        self.0 = rest;
        Ok(*taken)
    }

    fn skip(&mut self, length: usize) -> Result<(), ArchiveError> {
        self.take(length).map(|_| ())
    }

    fn u16(&mut self) -> Result<u16, ArchiveError> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    fn u32(&mut self) -> Result<u32, ArchiveError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn u64(&mut self) -> Result<u64, ArchiveError> {
        Ok(u64::from_le_bytes(self.array()?))
    }
}

#[cfg(test)]
mod tests;
