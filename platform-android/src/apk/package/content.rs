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

/// Why a file could not be had.
pub(super) enum NoContent {
    Fault(FileFault),
    OutOfMemory,
}

impl NoContent {
    /// The same, of the file with this name.
    pub(super) fn of(self, name: &[u8]) -> Stop {
        match self {
            Self::Fault(fault) => Stop::of_file(name, fault),
            Self::OutOfMemory => Stop::OutOfMemory,
        }
    }
}

impl From<FileFault> for NoContent {
    fn from(fault: FileFault) -> Self {
        Self::Fault(fault)
    }
}

impl From<archive::Fault> for NoContent {
    fn from(fault: archive::Fault) -> Self {
        Self::Fault(FileFault::Archive(fault))
    }
}

impl From<OutOfMemory> for NoContent {
    fn from(_: OutOfMemory) -> Self {
        Self::OutOfMemory
    }
}

/// The content of a file in an archive, of which there are at most `limit` bytes. No memory is taken for a size that cannot be.
pub(super) fn content(file: &dyn Ranges, entry: &Entry, limit: u64) -> Result<Text, NoContent> {
    if entry.encrypted {
        return Err(FileFault::Encrypted.into());
    }
    if entry.full_size > limit {
        return Err(FileFault::TooLarge { limit }.into());
    }
    let can_be = match entry.method {
        STORED => entry.size == entry.full_size,
        DEFLATED => entry.full_size.div_ceil(LARGEST_RATIO) <= entry.size,
        method => return Err(FileFault::Method(method).into()),
    };
    let start = archive::data(file, entry)?;
    if !can_be {
        return Err(FileFault::Damaged.into());
    }
    let mut packed = zeros(entry.size)?;
    file.read_at(start, &mut packed).map_err(archive::Fault::from)?;
    let content = if entry.method == STORED { packed } else { inflate(&packed, entry.full_size)? };
    if crc32fast::hash(&content) == entry.crc { Ok(content) } else { Err(FileFault::Damaged.into()) }
}

fn inflate(packed: &[u8], size: u64) -> Result<Text, NoContent> {
    let mut content = zeros(size)?;
    // It has tables of some ten thousand bytes, which are too much for the stacks of some threads.
    let mut state = Box::try_new(DecompressorOxide::new()).map_err(OutOfMemory::from)?;
    let flags = TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
    let (status, _, written) = decompress(&mut state, packed, &mut content, 0, flags);
    let is_whole = status == TINFLStatus::Done && written == content.len();
    if is_whole { Ok(content) } else { Err(FileFault::Damaged.into()) }
}

fn zeros(size: u64) -> Result<Text, OutOfMemory> {
    let mut zeros = Text::new();
    zeros.try_resize(usize::try_from(size).map_err(|_| OutOfMemory)?, 0)?;
    Ok(zeros)
}
