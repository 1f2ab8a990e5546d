//! Why reading a package ends.

use vkload_core::memory::{OutOfMemory, text};
use vkload_core::platform::FileError;

use super::error::{PackageError, PackageFileError};
use platform_android::layers::archive::ArchiveError;

/// Why a package is not unpacked.
#[derive(Debug)]
pub enum UnpackError {
    /// A fault of the package, or of its destination.
    Package(PackageError),
    /// Out of memory.
    OutOfMemory,
}

impl UnpackError {
    pub(super) fn of_file(name: &[u8], fault: PackageFileError) -> Self {
        if fault == PackageFileError::Archive(ArchiveError::Unreadable(FileError::OutOfMemory)) {
            return Self::OutOfMemory;
        }
        text(&[name]).map_or(Self::OutOfMemory, |name| Self::Package(PackageError::File { name, fault }))
    }
}

impl From<PackageError> for UnpackError {
    fn from(error: PackageError) -> Self {
        Self::Package(error)
    }
}

impl From<OutOfMemory> for UnpackError {
    fn from(_: OutOfMemory) -> Self {
        Self::OutOfMemory
    }
}

impl From<ArchiveError> for UnpackError {
    fn from(error: ArchiveError) -> Self {
        match error {
            ArchiveError::Unreadable(FileError::OutOfMemory) => Self::OutOfMemory,
            error => Self::Package(PackageError::Archive(error)),
        }
    }
}
