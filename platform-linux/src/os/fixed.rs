//! An empty environment and file system, for builds with fixed drivers: no system call is made for
//! anything that the loader would otherwise look up.

use core::ffi::CStr;

use loader_core::memory::{OutOfMemory, Text, Vec};
use loader_core::platform::{Environment, FileError, Files, Fingerprint, Reader};

/// An environment without variables.
pub(crate) struct NoEnvironment;

impl Environment for NoEnvironment {
    fn variable(&self, _: &CStr, _: Reader) -> Result<Option<Text>, OutOfMemory> {
        Ok(None)
    }
}

/// A file system without files.
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
