//! Environment variables of the process, by `getenv` and `secure_getenv`.

use core::ffi::{CStr, c_char};

use vkload_core::memory::{OutOfMemory, Text, text};
use vkload_core::platform::{Environment, Reader};

pub(crate) struct ProcessEnvironment;

impl Environment for ProcessEnvironment {
    fn variable(&self, name: &CStr, reader: Reader) -> Result<Option<Text>, OutOfMemory> {
        value_of(name, reader).map(|value| text(&[value])).transpose()
    }

    fn has(&self, name: &CStr, reader: Reader, value: Option<&[u8]>) -> Result<bool, OutOfMemory> {
        Ok(value_of(name, reader) == value)
    }
}

/// Returns the value of a variable until the environment changes: callers copy or compare it at once.
fn value_of(name: &CStr, reader: Reader) -> Option<&[u8]> {
    let value = match reader {
        // SAFETY: `name` is a valid C string. The value stays valid until the environment changes;
        // a program that changes it while another thread reads it breaks the contract of `setenv`.
        Reader::Plain => unsafe { libc::getenv(name.as_ptr()) },
        Reader::Secure => secure_getenv(name),
    };
    // SAFETY: a non-NULL value is a valid C string until the environment changes; callers of this
    // function are done with it by then.
    (!value.is_null()).then(|| unsafe { CStr::from_ptr(value) }.to_bytes())
}

#[cfg(not(target_env = "musl"))]
fn secure_getenv(name: &CStr) -> *mut c_char {
    unsafe extern "C" {
        fn secure_getenv(name: *const c_char) -> *mut c_char;
    }
    // SAFETY: `name` is a valid C string.
    unsafe { secure_getenv(name.as_ptr()) }
}

/// Replaces the function, which some releases of musl lack.
#[cfg(target_env = "musl")]
fn secure_getenv(name: &CStr) -> *mut c_char {
    if super::identity::is_secure() {
        return core::ptr::null_mut();
    }
    // SAFETY: `name` is a valid C string.
    unsafe { libc::getenv(name.as_ptr()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_is_read_by_both_readers_when_not_elevated() {
        for reader in [Reader::Plain, Reader::Secure] {
            let path = ProcessEnvironment.variable(c"PATH", reader).unwrap().unwrap();
            assert_eq!(path.as_slice(), std::env::var("PATH").unwrap().as_bytes());
            assert!(ProcessEnvironment.variable(c"VKLOAD_IS_NOT_SET", reader).unwrap().is_none());
        }
    }
}
