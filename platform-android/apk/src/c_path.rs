//! Paths as C strings.

use core::ffi::CStr;

use vkload_core::memory::{OutOfMemory, Text, text};
use vkload_core::platform::FileError;

use platform_android::system::System;

pub(crate) fn exists(system: &dyn System, path: &[u8]) -> bool {
    let Ok(path) = c_path(path) else { return false };
    !matches!(system.file_size(path.as_c()), Err(FileError::NotFound))
}

pub(crate) struct CPath(Text);

impl CPath {
    pub(crate) fn as_c(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.0).unwrap_or_default()
    }
}

pub(crate) fn c_path(path: &[u8]) -> Result<CPath, OutOfMemory> {
    text(&[path, b"\0"]).map(CPath)
}
