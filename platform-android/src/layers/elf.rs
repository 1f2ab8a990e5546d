//! What the header of a library says, for the cases in which the dynamic linker does not open it.
#![forbid(unsafe_code)]

use super::archive::Ranges;
use super::refusal::Refusal;

/// The processor that this is compiled for: `e_machine`.
pub(super) const MACHINE: u16 = if cfg!(target_arch = "x86_64") {
    62
} else if cfg!(target_arch = "aarch64") {
    183
} else if cfg!(target_arch = "arm") {
    40
} else if cfg!(target_arch = "x86") {
    3
} else if cfg!(target_arch = "riscv64") {
    243
} else {
    0
};

/// Program headers that are looked at. Libraries have about ten.
const MOST_SEGMENTS: u16 = 64;

/// The type of a segment that is loaded (`PT_LOAD`).
const LOADED: u32 = 1;

/// A reason in the header for the library at `start` not to open: another processor, other pages. `None` if there is none,
/// or if the header cannot be read.
#[must_use]
pub fn reason(file: &dyn Ranges, start: u64, page: usize) -> Option<Refusal> {
    let mut header = [0; 64];
    if file.read_at(start, &mut header).is_err() || !header.starts_with(b"\x7fELF") {
        return Some(Refusal::NotALibrary);
    }
    let wide = header[4] == 2;
    let machine = u16_at(&header, 18)?;
    if machine != MACHINE || wide != cfg!(target_pointer_width = "64") {
        return Some(Refusal::Processor { machine, wide });
    }
    let (table, size, count) = if wide {
        (u64_at(&header, 32)?, u16_at(&header, 54)?, u16_at(&header, 56)?)
    } else {
        (u64::from(u32_at(&header, 28)?), u16_at(&header, 42)?, u16_at(&header, 44)?)
    };
    for segment in 0..count.min(MOST_SEGMENTS) {
        let place = u64::from(segment).checked_mul(u64::from(size))?.checked_add(table)?;
        let mut bytes = [0; 56];
        let bytes = bytes.get_mut(..if wide { 56 } else { 32 })?;
        file.read_at(start.checked_add(place)?, bytes).ok()?;
        let alignment = if wide { u64_at(bytes, 48)? } else { u64::from(u32_at(bytes, 28)?) };
        if u32_at(bytes, 0)? == LOADED && alignment < page as u64 {
            return Some(Refusal::Segments { alignment, page });
        }
    }
    None
}

fn u16_at(bytes: &[u8], place: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(place..)?.first_chunk()?))
}

fn u32_at(bytes: &[u8], place: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(place..)?.first_chunk()?))
}

fn u64_at(bytes: &[u8], place: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(place..)?.first_chunk()?))
}
