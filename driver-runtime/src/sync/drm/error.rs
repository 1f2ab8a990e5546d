//! What the kernel's errors mean for sync objects.

use loader_core::memory::OutOfMemory;

use crate::drm::Errno;
use crate::result::{ExportError, ImportError, SubmitError};

/// Why a call for a sync object failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncobjError {
    /// There is no memory (`ENOMEM`).
    OutOfHostMemory,
    /// The device is gone (`ENODEV`, `ENXIO`, `EIO`).
    DeviceLost,
    /// The process, or the system, has too many open files (`EMFILE`, `ENFILE`).
    TooManyFiles,
    /// There is no such object, the descriptor is of something else, or nothing was submitted that could be exported (`EINVAL`, `ENOENT`,
    /// `EBADF`).
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

/// What no code of these commands fits is `OutOfDeviceMemory`: the kernel did not give an object.
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
