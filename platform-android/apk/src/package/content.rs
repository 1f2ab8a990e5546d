//! The content of files in packages, whole and checked: stored or decompressed.
#![forbid(unsafe_code)]

use miniz_oxide::inflate::core::inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};
use vkload_core::memory::{Box, OrOutOfMemory, OutOfMemory, Text, TryGrow};

use super::error::{PackageError, PackageFileError};
use platform_android::layers::archive::{self, ArchiveError, Entry, Ranges};

/// The method of stored files. PKWARE's APPNOTE.TXT, section 4.4.5.
const STORED: u16 = 0;
const DEFLATED: u16 = 8;

/// The maximum number of bytes that one byte of a deflated file can become: two bits for 258 bytes.
const LARGEST_RATIO: u64 = 1032;

/// Returns the content of a file in an archive, of at most `limit` bytes. No memory is allocated
/// for an impossible size.
pub(super) fn content(
    file: &dyn Ranges,
    name: &[u8],
    entry: &Entry,
    limit: u64,
) -> Result<Text, OrOutOfMemory<PackageError>> {
    let stop = |fault| PackageError::of_file(name, fault);
    if entry.encrypted {
        return Err(stop(PackageFileError::Encrypted));
    }
    if entry.size.max(entry.full_size) > limit {
        return Err(stop(PackageFileError::TooLarge { limit }));
    }
    let can_be = match entry.method {
        STORED => entry.size == entry.full_size,
        DEFLATED => entry.full_size.div_ceil(LARGEST_RATIO) <= entry.size,
        method => return Err(stop(PackageFileError::Method(method))),
    };
    let start = archive::data(file, entry).map_err(|fault| stop(fault.into()))?;
    if !can_be {
        return Err(stop(PackageFileError::Damaged));
    }
    let mut packed = zeros(entry.size)?;
    file.read_at(start, &mut packed).map_err(|error| stop(ArchiveError::from(error).into()))?;
    let whole = if entry.method == STORED { packed } else { inflate(&packed, entry.full_size)? };
    if crc32fast::hash(&whole) == entry.crc { Ok(whole) } else { Err(stop(PackageFileError::Damaged)) }
}

/// Decompresses the first `size` bytes of a deflated file; the checksum shows whether they are
/// right.
fn inflate(packed: &[u8], size: u64) -> Result<Text, OutOfMemory> {
    let mut content = zeros(size)?;
    // Its tables take some ten thousand bytes, too much for the stacks of some threads.
    let mut state = Box::try_new(DecompressorOxide::new())?;
    let _ = decompress(&mut state, packed, &mut content, 0, TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF);
    Ok(content)
}

fn zeros(size: u64) -> Result<Text, OutOfMemory> {
    let mut zeros = Text::new();
    zeros.try_resize(usize::try_from(size).map_err(|_| OutOfMemory)?, 0)?;
    Ok(zeros)
}

#[cfg(test)]
mod tests {
    use core::cell::Cell;

    use vkload_core::platform::FileError;

    use super::super::error::PackageError;
    use super::*;

    /// An archive of four GiB whose files begin right behind their headers; it counts how much of
    /// it is read.
    struct Large(Cell<usize>);

    impl Ranges for Large {
        fn size(&self) -> Result<u64, FileError> {
            Ok(4 << 30)
        }

        fn read_at(&self, offset: u64, bytes: &mut [u8]) -> Result<(), FileError> {
            self.0.set(self.0.get() + bytes.len());
            bytes.fill(0);
            if offset == 0 {
                bytes[..4].copy_from_slice(b"PK\x03\x04");
            }
            Ok(())
        }
    }

    #[test]
    fn no_memory_is_taken_for_what_cannot_be() {
        let entry =
            Entry { method: DEFLATED, encrypted: false, header: 0, size: 1000, full_size: 1_032_000, crc: 0 };
        for (change, fault) in [
            (Entry { full_size: 1_032_001, ..entry }, PackageFileError::Damaged),
            (Entry { size: 0, ..entry }, PackageFileError::Damaged),
            (Entry { method: STORED, ..entry }, PackageFileError::Damaged),
            (Entry { full_size: 2_000_001, ..entry }, PackageFileError::TooLarge { limit: 2_000_000 }),
            (Entry { size: 3 << 30, ..entry }, PackageFileError::TooLarge { limit: 2_000_000 }),
        ] {
            let file = Large(Cell::new(0));
            let refused = content(&file, b"x", &change, 2_000_000);
            assert!(
                matches!(refused, Err(OrOutOfMemory::Failed(PackageError::File { fault: told, .. })) if told == fault)
            );
            assert!(file.0.get() <= 30, "{}", file.0.get());
        }
        // A possible size is read.
        let file = Large(Cell::new(0));
        assert!(content(&file, b"x", &entry, 2_000_000).is_err());
        assert_eq!(file.0.get(), 1030);
    }
}
