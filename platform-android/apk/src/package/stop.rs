//! Why reading a package ends.

use loader_core::memory::{OutOfMemory, text};
use loader_core::platform::FileError;

use super::fault::{Fault, FileFault};
use platform_android::layers::archive;

/// Why a package is not unpacked.
#[derive(Debug)]
pub enum Stop {
    /// A fault of the package, or of its destination.
    Fault(Fault),
    /// Out of memory.
    OutOfMemory,
}

impl Stop {
    pub(super) fn of_file(name: &[u8], fault: FileFault) -> Self {
        if fault == FileFault::Archive(archive::Fault::Unreadable(FileError::OutOfMemory)) {
            return Self::OutOfMemory;
        }
        text(&[name]).map_or(Self::OutOfMemory, |name| Self::Fault(Fault::File { name, fault }))
    }
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

impl From<archive::Stop> for Stop {
    fn from(stop: archive::Stop) -> Self {
        match stop {
            archive::Stop::OutOfMemory
            | archive::Stop::Fault(archive::Fault::Unreadable(FileError::OutOfMemory)) => Self::OutOfMemory,
            archive::Stop::Fault(fault) => Self::Fault(Fault::Archive(fault)),
        }
    }
}
