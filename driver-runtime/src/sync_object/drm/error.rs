//! The meaning of the kernel's errors for sync objects.

use loader_core::memory::OutOfMemory;

use crate::drm::Errno;
use crate::result::{ExportError, ImportError, SubmitError};

/// Why a call for a sync object failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncobjError {
    /// Memory has run out (`ENOMEM`).
    OutOfHostMemory,
    /// The device is gone (`ENODEV`, `ENXIO`, `EIO`).
    DeviceLost,
    /// The process, or the system, has too many open files (`EMFILE`, `ENFILE`).
    TooManyFiles,
    /// The object does not exist, the descriptor has another type, or no submission exists to export
    /// (`EINVAL`, `ENOENT`, `EBADF`).
    Invalid,
    /// The node cannot do this (`EOPNOTSUPP`, `ENOTTY`, `ENOSYS`).
    Unsupported,
    /// Another error.
    Other(Errno),
}

impl From<Errno> for SyncobjError {
    fn from(error: Errno) -> Self {
        match error.0 {
            libc::ENOMEM => Self::OutOfHostMemory,
            libc::ENODEV | libc::ENXIO | libc::EIO => Self::DeviceLost,
            libc::EMFILE | libc::ENFILE => Self::TooManyFiles,
            libc::EINVAL | libc::ENOENT | libc::EBADF => Self::Invalid,
            libc::EOPNOTSUPP | libc::ENOTTY | libc::ENOSYS => Self::Unsupported,
            _ => Self::Other(error),
        }
    }
}

impl From<OutOfMemory> for SyncobjError {
    fn from(_: OutOfMemory) -> Self {
        Self::OutOfHostMemory
    }
}

/// Errors that match no code of these commands become `OutOfDeviceMemory`: the kernel did not provide an object.
impl From<SyncobjError> for SubmitError {
    fn from(error: SyncobjError) -> Self {
        match error {
            SyncobjError::OutOfHostMemory => Self::OutOfHostMemory,
            SyncobjError::DeviceLost => Self::DeviceLost,
            _ => Self::OutOfDeviceMemory,
        }
    }
}

impl From<SyncobjError> for ImportError {
    fn from(error: SyncobjError) -> Self {
        match error {
            SyncobjError::OutOfHostMemory => Self::OutOfHostMemory,
            _ => Self::InvalidExternalHandle,
        }
    }
}

impl From<SyncobjError> for ExportError {
    fn from(error: SyncobjError) -> Self {
        match error {
            SyncobjError::OutOfHostMemory => Self::OutOfHostMemory,
            SyncobjError::TooManyFiles => Self::TooManyObjects,
            _ => Self::Unknown,
        }
    }
}
