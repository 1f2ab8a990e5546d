//! An environment and a file system with nothing in them, for builds whose drivers are fixed: whatever the loader would like
//! to know, no call of the system is made for it.

use core::ffi::CStr;

use loader_core::memory::{OutOfMemory, Text, Vec};
use loader_core::platform::{Environment, FileError, Files, Fingerprint, Reader};

/// No variable is set.
pub(crate) struct NoEnvironment;

impl Environment for NoEnvironment {
    fn variable(&self, _: &CStr, _: Reader) -> Result<Option<Text>, OutOfMemory> {
        Ok(None)
    }
}

/// No path exists.
pub(crate) struct NoFiles;

impl Files for NoFiles {
    fn list(&self, _: &[u8]) -> Result<Vec<Text>, FileError> {
        Err(FileError::NotFound)
    }

    fn read(&self, _: &[u8], _: usize) -> Result<Text, FileError> {
        Err(FileError::NotFound)
    }

    fn exists(&self, _: &[u8]) -> bool {
        false
    }

    fn fingerprint(&self, _: &[u8]) -> Option<Fingerprint> {
        None
    }
}
