//! The header of an ELF library: shows why the dynamic linker refused it, or would map it and crash.
//!
//! Source: the System V ABI, chapter 4 ("ELF Header") and chapter 5 ("Program Header").
#![forbid(unsafe_code)]

use super::FileError;

/// The processor that this is compiled for (`e_machine`), if known here.
pub const MACHINE: Option<u16> = match () {
    () if cfg!(target_arch = "x86") => Some(3),
    () if cfg!(target_arch = "arm") => Some(40),
    () if cfg!(target_arch = "x86_64") => Some(62),
    () if cfg!(target_arch = "aarch64") => Some(183),
    () if cfg!(target_arch = "riscv64") => Some(243),
    () if cfg!(target_arch = "loongarch64") => Some(258),
    () => None,
};

/// Whether this is compiled for a processor with 64-bit addresses.
const WIDE: bool = cfg!(target_pointer_width = "64");

/// The number of program headers that are examined. Libraries have about ten.
const MOST_SEGMENTS: u16 = 64;

const LOADED: u32 = 1;

/// Fills the slice with the bytes of a file from this offset on.
pub type ReadAt<'a> = dyn Fn(u64, &mut [u8]) -> Result<(), FileError> + 'a;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Header {
    /// The file is not an ELF library: it begins differently, or is shorter than any header.
    NotElf,
    OtherProcessor {
        machine: u16,
        wide: bool,
    },
    Library {
        /// The offset after a segment's last byte in the file. A file that ends before this is incomplete.
        end: u64,
        /// The least alignment of a segment that is loaded, in bytes; `u64::MAX` without such segments.
        alignment: u64,
    },
}

/// Reads the header of the library in a file whose bytes `read_at` gives.
///
/// # Errors
/// What `read_at` says, unless the file is too short for a header ([`FileError::Other`] with 0 there).
pub fn header(read_at: &ReadAt) -> Result<Header, FileError> {
    let mut header = [0; 64];
    match read_at(0, &mut header) {
        Ok(()) if header.starts_with(b"\x7fELF") => {}
        Ok(()) | Err(FileError::Other(0)) => return Ok(Header::NotElf),
        Err(error) => return Err(error),
    }
    let (wide, machine) = (header[4] == 2, half(&header, 18));
    if wide != WIDE || MACHINE.is_some_and(|own| own != machine) {
        return Ok(Header::OtherProcessor { machine, wide });
    }
    // Positions in the header of the table's offset, the size of an entry and their number; positions in an entry of its segment's
    // offset in the file, its size there and its alignment.
    let (table, stride, count) = if WIDE { (32, 54, 56) } else { (28, 42, 44) };
    let (offset, size, aligned) = if WIDE { (8, 32, 48) } else { (4, 16, 28) };
    let (mut end, mut alignment) = (0, u64::MAX);
    for index in 0..half(&header, count).min(MOST_SEGMENTS) {
        let at = u64::from(index).wrapping_mul(half(&header, stride).into());
        let mut segment = [0; if WIDE { 56 } else { 32 }];
        read_at(word(&header, table).saturating_add(at), &mut segment)?;
        end = word(&segment, offset).saturating_add(word(&segment, size)).max(end);
        if segment.starts_with(&LOADED.to_ne_bytes()) {
            alignment = word(&segment, aligned).min(alignment);
        }
    }
    Ok(Header::Library { end, alignment })
}

/// Returns the 16-bit number at `offset`, which is inside.
#[inline(always)] // the compiler knows that each constant offset is inside
fn half(bytes: &[u8], offset: usize) -> u16 {
    let number = bytes.get(offset..).and_then(|bytes| bytes.first_chunk());
    number.map_or(0, |number| u16::from_ne_bytes(*number))
}

/// Returns the number of an address's size at `offset`, which is inside.
#[inline(always)] // as above
fn word(bytes: &[u8], offset: usize) -> u64 {
    let number = bytes.get(offset..).and_then(|bytes| bytes.first_chunk());
    number.map_or(0, |number| usize::from_ne_bytes(*number) as u64)
}
