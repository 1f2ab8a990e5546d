//! What files of packages hold, whole and checked: as it is stored, or decompressed.
#![forbid(unsafe_code)]

use loader_core::memory::{Box, OutOfMemory, Text, TryGrow};
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

use super::Stop;
use super::fault::FileFault;
use crate::layers::archive::{self, Entry, Ranges};

/// Files that are as they are. PKWARE's APPNOTE.TXT, section 4.4.5.
const STORED: u16 = 0;
/// Files that are compressed as most are.
const DEFLATED: u16 = 8;

/// How many bytes one byte of a deflated file can become at most: two bits for 258 bytes.
const LARGEST_RATIO: u64 = 1032;

/// The content of a file in an archive, of which there are at most `limit` bytes. No memory is taken for a size that cannot be.
pub(super) fn content(file: &dyn Ranges, name: &[u8], entry: &Entry, limit: u64) -> Result<Text, Stop> {
    let stop = |fault| Stop::of_file(name, fault);
    if entry.encrypted {
        return Err(stop(FileFault::Encrypted));
    }
    if entry.full_size > limit {
        return Err(stop(FileFault::TooLarge { limit }));
    }
    let can_be = match entry.method {
        STORED => entry.size == entry.full_size,
        DEFLATED => entry.full_size.div_ceil(LARGEST_RATIO) <= entry.size,
        method => return Err(stop(FileFault::Method(method))),
    };
    let start = archive::data(file, entry).map_err(|fault| stop(fault.into()))?;
    if !can_be {
        return Err(stop(FileFault::Damaged));
    }
    let mut packed = zeros(entry.size)?;
    file.read_at(start, &mut packed).map_err(|error| stop(archive::Fault::from(error).into()))?;
    let whole = if entry.method == STORED { Some(packed) } else { inflate(&packed, entry.full_size)? };
    whole.filter(|whole| crc32fast::hash(whole) == entry.crc).ok_or_else(|| stop(FileFault::Damaged))
}

/// What becomes of a deflated file, if that has exactly this size.
fn inflate(packed: &[u8], size: u64) -> Result<Option<Text>, OutOfMemory> {
    let mut content = zeros(size)?;
    // It has tables of some ten thousand bytes, which are too much for the stacks of some threads.
    let mut state = Box::try_new(DecompressorOxide::new())?;
    let flags = TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
    let (status, _, written) = decompress(&mut state, packed, &mut content, 0, flags);
    Ok((status == TINFLStatus::Done && written == content.len()).then_some(content))
}

fn zeros(size: u64) -> Result<Text, OutOfMemory> {
    let mut zeros = Text::new();
    zeros.try_resize(usize::try_from(size).map_err(|_| OutOfMemory)?, 0)?;
    Ok(zeros)
}
