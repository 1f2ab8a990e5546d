//! Archives built byte by byte, valid and broken.

use std::vec::Vec as StdVec;

use vkload_core::memory::OutOfMemory;
use vkload_core::platform::FileError;

use super::{ArchiveError, CHUNK, Entry, Ranges, data, list};

impl Ranges for StdVec<u8> {
    fn size(&self) -> Result<u64, FileError> {
        Ok(self.len() as u64)
    }

    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> Result<(), FileError> {
        assert!(bytes.len() as u64 <= 4 * CHUNK, "a read of {} bytes", bytes.len());
        let start = usize::try_from(offset).map_err(|_| FileError::Other(0))?;
        let end = start.checked_add(bytes.len()).ok_or(FileError::Other(0))?;
        bytes.copy_from_slice(self.get(start..end).ok_or(FileError::Other(0))?);
        Ok(())
    }
}

/// An archive of stored files, in the shortest form.
#[derive(Default)]
struct Maker {
    bytes: StdVec<u8>,
    directory: StdVec<u8>,
    count: u16,
    /// Whether all numbers of the directory are ZIP64's.
    wide: bool,
}

impl Maker {
    fn file(mut self, name: &str, content: &[u8], extra: &[u8]) -> Self {
        let header = self.bytes.len() as u64;
        let lengths = [(name.len() as u16).to_le_bytes(), (extra.len() as u16).to_le_bytes()].concat();
        self.bytes.extend(b"PK\x03\x04");
        self.bytes.extend([0; 22]);
        self.bytes.extend(&lengths);
        self.bytes.extend([name.as_bytes(), extra, content].concat());

        let size = content.len() as u64;
        let mut numbers = StdVec::new();
        if self.wide {
            numbers.extend([9, 0, 2, 0, 7, 7, 1, 0, 24, 0]);
            numbers.extend([size, size, header].map(u64::to_le_bytes).concat());
        }
        let narrow = |number: u64| if self.wide { u32::MAX } else { number as u32 }.to_le_bytes();
        self.directory.extend(b"PK\x01\x02");
        self.directory.extend([0; 16]);
        self.directory.extend([narrow(size), narrow(size)].concat());
        self.directory.extend((name.len() as u16).to_le_bytes());
        self.directory.extend((numbers.len() as u16).to_le_bytes());
        self.directory.extend([0; 10]);
        self.directory.extend(narrow(header));
        self.directory.extend([name.as_bytes(), &numbers].concat());
        self.count += 1;
        self
    }

    fn end(mut self, comment: &[u8]) -> StdVec<u8> {
        let (start, length) = (self.bytes.len() as u64, self.directory.len() as u64);
        self.bytes.extend(&self.directory);
        let (mut count, mut numbers) = (self.count, [length as u32, start as u32]);
        if self.wide {
            let record = self.bytes.len() as u64;
            self.bytes.extend(b"PK\x06\x06");
            self.bytes.extend([0; 20]);
            let count = u64::from(self.count);
            self.bytes.extend([count, count, length, start].map(u64::to_le_bytes).concat());
            self.bytes.extend(b"PK\x06\x07\0\0\0\0");
            self.bytes.extend([&record.to_le_bytes()[..], &[1, 0, 0, 0]].concat());
            (self.count, numbers) = (u16::MAX, [u32::MAX; 2]);
            let _ = count;
        }
        count = self.count.max(count);
        self.bytes.extend(b"PK\x05\x06\0\0\0\0");
        self.bytes.extend([count, count].map(u16::to_le_bytes).concat());
        self.bytes.extend(numbers.map(u32::to_le_bytes).concat());
        self.bytes.extend((comment.len() as u16).to_le_bytes());
        self.bytes.extend(comment);
        self.bytes
    }
}

fn two_files() -> Maker {
    Maker::default().file("lib/x/a.so", b"first", b"").file("lib/x/b.so", b"second", b"padding")
}

type Listed = Result<StdVec<(StdVec<u8>, Entry)>, ArchiveError>;

fn listed(archive: &StdVec<u8>, folder: &str) -> Listed {
    let mut all = StdVec::new();
    list(archive, folder.as_bytes(), &mut |name, entry| {
        all.push((name.to_vec(), entry));
        Ok(())
    })?;
    Ok(all)
}

/// Returns the content of the files, read at the reported offsets.
fn contents(archive: &StdVec<u8>, folder: &str) -> StdVec<StdVec<u8>> {
    let content = |(_, entry): (_, Entry)| {
        let start = data(archive, &entry).unwrap() as usize;
        archive[start..][..entry.size as usize].to_vec()
    };
    listed(archive, folder).unwrap().into_iter().map(content).collect()
}

#[test]
fn files_are_where_their_own_headers_end() {
    let archive = two_files().end(b"");
    assert_eq!(contents(&archive, "lib/x"), [b"first".to_vec(), b"second".to_vec()]);
    assert_eq!(contents(&archive, "lib"), StdVec::<StdVec<u8>>::new());
}

#[test]
fn the_top_of_an_archive_is_a_folder_too() {
    let archive = Maker::default().file("a.so", b"top", b"").file("lib/b.so", b"below", b"").end(b"");
    assert_eq!(contents(&archive, ""), [b"top".to_vec()]);
}

#[test]
fn a_comment_is_passed_over_also_one_that_looks_like_an_end() {
    let end = two_files().end(b"");
    let fake = &end[end.len() - 22..];
    for comment in [&b"hello"[..], &[0; 65_535], fake, &[fake, b"more"].concat()] {
        // The last record that reaches the end of the file is used; the fake in the comment is well
        // formed as well.
        assert_eq!(contents(&two_files().end(comment), "lib/x").len(), 2);
    }
}

#[test]
fn numbers_of_zip64_are_read() {
    let wide = Maker { wide: true, ..Maker::default() };
    let archive = wide.file("lib/x/a.so", b"first", b"").file("lib/x/b.so", b"second", b"").end(b"comment");
    assert_eq!(contents(&archive, "lib/x"), [b"first".to_vec(), b"second".to_vec()]);
}

#[test]
fn a_file_that_is_not_an_archive_is_refused() {
    for bytes in [&b""[..], b"PK\x05\x06", &[0; 100_000]] {
        assert_eq!(listed(&bytes.to_vec(), "lib"), Err(ArchiveError::NotAnArchive));
    }
}

#[test]
fn a_directory_that_is_not_there_is_refused() {
    let mut archive = two_files().end(b"");
    let end = archive.len() - 22;
    archive[end + 16..end + 20].copy_from_slice(&(end as u32).to_le_bytes());
    assert_eq!(listed(&archive, "lib/x"), Err(ArchiveError::Directory));
}

#[test]
fn a_directory_that_holds_less_than_it_says_is_refused() {
    let mut archive = two_files().end(b"");
    let end = archive.len() - 22;
    archive[end + 8..end + 12].copy_from_slice(&[200, 0, 200, 0]);
    assert_eq!(listed(&archive, "lib/x"), Err(ArchiveError::CutOff));
}

#[test]
fn parts_of_an_archive_are_refused() {
    let mut archive = two_files().end(b"");
    let end = archive.len() - 22;
    archive[end + 4] = 1;
    assert_eq!(listed(&archive, "lib/x"), Err(ArchiveError::SeveralParts));
}

#[test]
fn a_file_beyond_the_end_is_refused() {
    let archive = two_files().end(b"");
    let (_, entry) = listed(&archive, "lib/x").unwrap()[1].clone();
    for (header, size, fault) in [
        (u64::MAX - 3, 1, ArchiveError::Unreadable(FileError::Other(0))),
        (entry.header, u64::MAX, ArchiveError::CutOff),
        (entry.header, archive.len() as u64, ArchiveError::CutOff),
        (entry.header + 1, 1, ArchiveError::Signature),
    ] {
        assert_eq!(data(&archive, &Entry { header, size, ..entry }), Err(fault));
    }
}

#[test]
fn a_name_that_leaves_the_folder_is_not_in_it() {
    for name in [
        "../a.so",
        "lib/x/../a.so",
        "lib/x/../../lib/x/a.so",
        "/lib/x/a.so",
        "lib/x//a.so",
        "lib/x/",
        "lib/x/a\0.so",
        "lib\\x\\a.so",
    ] {
        let archive = Maker::default().file(name, b"content", b"").end(b"");
        assert_eq!(listed(&archive, "lib/x"), Ok(StdVec::new()), "{name}");
    }
}

#[test]
fn files_that_overlap_each_other_or_the_directory_are_read_within_the_archive() {
    let mut archive = two_files().end(b"");
    let second = archive.len() - 22 - (46 + "lib/x/b.so".len());
    let directory = second - (46 + "lib/x/a.so".len());
    // Offsets and sizes that lead to the first file's header, into the directory, and to the end of the archive.
    let to_end = archive.len() - (30 + "lib/x/a.so".len());
    for size in [5, directory - 1, to_end] {
        archive[second + 20..second + 28].copy_from_slice(&[(size as u32).to_le_bytes(); 2].concat());
        archive[second + 42..second + 46].copy_from_slice(&[0; 4]);
        let all = contents(&archive, "lib/x");
        assert_eq!((&all[0][..], all[1].len()), (&b"first"[..], size));
        assert!(all[1].starts_with(b"first"));
    }
}

#[test]
fn memory_that_runs_out_is_told() {
    let archive = two_files().end(b"");
    let full = list(&archive, b"lib/x", &mut |_, _| Err(OutOfMemory));
    assert_eq!(full, Err(ArchiveError::Unreadable(FileError::OutOfMemory)));
}

/// Every archive with one byte changed, and every prefix and suffix of one, is read or refused.
#[test]
fn no_archive_however_broken_is_more_than_refused() {
    let wide = Maker { wide: true, ..Maker::default() }.file("lib/x/a.so", b"first", b"12");
    for good in [two_files().end(b"comment"), wide.end(b"")] {
        let read = |archive: &StdVec<u8>| {
            for (_, entry) in listed(archive, "lib/x").unwrap_or_default() {
                if let Ok(start) = data(archive, &entry) {
                    assert!(start + entry.size <= archive.len() as u64);
                }
            }
        };
        for offset in 0..good.len() {
            for value in [0, 1, 2, 0x50, 0x7f, 0x80, 0xfe, 0xff] {
                let mut changed = good.clone();
                changed[offset] = value;
                read(&changed);
                // Two at once: a length and the value that it is compared with.
                let other = (offset * 7 + usize::from(value)) % good.len();
                changed[other] = changed[other].wrapping_add(value);
                read(&changed);
            }
            read(&good[..offset].to_vec());
            read(&good[offset..].to_vec());
        }
    }
}
