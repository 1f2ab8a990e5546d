//! Environment variables of the process, by `getenv`. Fuchsia has no elevated processes.

use core::ffi::CStr;

use vkload_core::memory::{OutOfMemory, Text, text};
use vkload_core::platform::{Environment, Reader};

pub(crate) struct ProcessEnvironment;

impl Environment for ProcessEnvironment {
    fn variable(&self, name: &CStr, _: Reader) -> Result<Option<Text>, OutOfMemory> {
        // SAFETY: `name` is a valid C string.
        let value = unsafe { libc::getenv(name.as_ptr()) };
        if value.is_null() {
            return Ok(None);
        }
        // SAFETY: the value is a valid C string until the environment changes; a program that
        // changes it while another thread reads it breaks the contract of `setenv`.
        let value = unsafe { CStr::from_ptr(value) };
        text(&[value.to_bytes()]).map(Some)
    }
}
