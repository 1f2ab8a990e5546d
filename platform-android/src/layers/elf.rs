//! The facts in a library's header that explain why the dynamic linker refuses the library.
#![forbid(unsafe_code)]

use vkload_core::platform::elf::{self, Header};

use super::archive::Ranges;
use super::library_error::LibraryError;

/// Returns a reason in the header for the library at `start` not to open: another processor, other
/// pages. Returns `None` if the header has none, or cannot be read.
pub fn reason(file: &dyn Ranges, start: u64, page: usize) -> Option<LibraryError> {
    match elf::header(&|offset, bytes| file.read_at(start.saturating_add(offset), bytes)).ok()? {
        Header::NotElf => Some(LibraryError::NotALibrary),
        Header::OtherProcessor { machine, wide } => Some(LibraryError::Processor { machine, wide }),
        Header::Library { alignment, .. } if alignment < page as u64 => {
            Some(LibraryError::Segments { alignment, page })
        }
        Header::Library { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;
    use vkload_core::platform::FileError;

    use super::*;

    const MACHINE: u16 = elf::MACHINE.unwrap();

    /// Returns the beginning of a library with one loaded segment.
    fn library(machine: u16, wide: bool, alignment: u8) -> Vec<u8> {
        let mut bytes = std::vec![0; 64 + 56];
        bytes[..5].copy_from_slice(&[0x7f, b'E', b'L', b'F', if wide { 2 } else { 1 }]);
        bytes[18..20].copy_from_slice(&machine.to_le_bytes());
        let (table, sizes, size, aligned) = if wide { (32, 54, 56, 48) } else { (28, 42, 32, 28) };
        bytes[table] = 64;
        bytes[sizes] = size;
        bytes[sizes + 2] = 1;
        bytes[64] = 1;
        // In units of 4 KiB.
        bytes[64 + aligned + 1] = alignment << 4;
        bytes
    }

    const WIDE: bool = cfg!(target_pointer_width = "64");

    #[test]
    fn a_library_for_this_processor_and_these_pages_has_nothing_wrong() {
        assert_eq!(reason(&library(MACHINE, WIDE, 4), 0, 16384), None);
        assert_eq!(reason(&library(MACHINE, WIDE, 1), 0, 4096), None);
    }

    #[test]
    fn another_processor_or_word_is_told() {
        for (machine, wide) in [(MACHINE, !WIDE), (MACHINE + 1, WIDE)] {
            let expected = Some(LibraryError::Processor { machine, wide });
            assert_eq!(reason(&library(machine, wide, 4), 0, 4096), expected);
        }
    }

    #[test]
    fn smaller_pages_are_found_in_the_middle_of_an_archive() {
        let bytes = [std::vec![0; 100], library(MACHINE, WIDE, 1)].concat();
        assert_eq!(reason(&bytes, 100, 16384), Some(LibraryError::Segments { alignment: 4096, page: 16384 }));
        assert_eq!(reason(&bytes, 0, 16384), Some(LibraryError::NotALibrary));
    }

    /// A file that exists but cannot be read for lack of permission.
    struct Denied;
    impl Ranges for Denied {
        fn size(&self) -> Result<u64, FileError> {
            Err(FileError::Denied)
        }
        fn read_at(&self, _: u64, _: &mut [u8]) -> Result<(), FileError> {
            Err(FileError::Denied)
        }
    }

    #[test]
    fn only_a_file_that_was_read_is_said_to_be_no_library() {
        assert_eq!(reason(&Denied, 0, 4096), None);
        for short in [std::vec![], std::vec![0x7f, b'E', b'L', b'F']] {
            assert_eq!(reason(&short, 0, 4096), Some(LibraryError::NotALibrary));
        }
    }

    #[test]
    fn a_header_with_bad_offsets_gives_no_reason() {
        let whole = library(MACHINE, WIDE, 1);
        for length in 64..whole.len() {
            assert_eq!(reason(&whole[..length].to_vec(), 0, 16384), None, "{length}");
        }
        let mut far = whole;
        far[if WIDE { 39 } else { 31 }] = 0xff;
        assert_eq!(reason(&far, 0, 16384), None);
    }
}
