//! Files of packages, whole: as they are stored, or decompressed.
#![forbid(unsafe_code)]

use loader_core::memory::{OutOfMemory, Text, TryGrow};
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

use super::package::Fault;
use crate::layers::archive::{self, Entry, Ranges};

/// The largest file that is unpacked, bytes. Drivers have some tens of millions.
const LARGEST: u64 = 512 << 20;

/// Why a file could not be had.
pub(super) enum Stop {
    Fault(Fault),
    OutOfMemory,
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<OutOfMemory> for Stop {
    fn from(_: OutOfMemory) -> Self {
        Self::OutOfMemory
    }
}

impl From<archive::Fault> for Stop {
    fn from(fault: archive::Fault) -> Self {
        Self::Fault(Fault::Archive(fault))
    }
}

/// The content of a file in an archive.
pub(super) fn content(file: &dyn Ranges, entry: &Entry) -> Result<Text, Stop> {
    /// How files are compressed that are.
    const DEFLATED: u16 = 8;
    if entry.encrypted {
        return Err(Fault::Encrypted.into());
    }
    if entry.size > LARGEST || entry.full_size > LARGEST {
        return Err(Fault::TooLarge.into());
    }
    let start = archive::data(file, entry)?;
    let mut packed = zeros(entry.size)?;
    file.read_at(start, &mut packed).map_err(archive::Fault::from)?;
    match entry.method {
        0 if entry.size == entry.full_size => Ok(packed),
        DEFLATED => inflate(&packed, entry.full_size),
        0 => Err(Fault::Damaged.into()),
        method => Err(Fault::Method(method).into()),
    }
}

fn inflate(packed: &[u8], size: u64) -> Result<Text, Stop> {
    let mut content = zeros(size)?;
    // It has tables of some ten thousand bytes, which are too much for the stacks of some threads.
    let mut state = loader_core::memory::Box::try_new(DecompressorOxide::new()).map_err(OutOfMemory::from)?;
    let flags = TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
    let (status, _, written) = decompress(&mut state, packed, &mut content, 0, flags);
    let is_whole = status == TINFLStatus::Done && written == content.len();
    if is_whole { Ok(content) } else { Err(Fault::Damaged.into()) }
}

fn zeros(size: u64) -> Result<Text, Stop> {
    let mut zeros = Text::new();
    zeros.try_resize(usize::try_from(size).map_err(|_| Fault::TooLarge)?, 0)?;
    Ok(zeros)
}
