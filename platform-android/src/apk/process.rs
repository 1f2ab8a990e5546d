//! The loader of an application on Android.

use core::ffi::{CStr, c_int};
use core::fmt::Display;

use loader_core::loader::Loader;
use loader_core::log::Level;
use loader_core::memory::{OutOfMemory, Text, format_into, text};
use loader_core::platform::{FileError, Platform};

use super::{Apk, ApplicationSystem, FLAVOUR, NamespaceRequest};
use crate::os::{ANDROID, Android};
use crate::system::{Namespace, System as _};

/// What calls of the process share.
pub static APK: Apk = Apk::new(&ANDROID);

static PLATFORM: Platform = APK.platform(abort);

/// The loader of the process.
pub static LOADER: Loader = Loader::new(&PLATFORM, FLAVOUR);

fn abort() -> ! {
    ANDROID.abort()
}

/// Says that the loader has failed, and ends the process. The loader is written not to panic; where it does, its state cannot be
/// trusted any more.
pub fn report_and_abort(failure: &dyn Display) -> ! {
    let mut words = Text::new();
    format_into(&mut words, format_args!("internal error: {failure}\0"));
    ANDROID.log(Level::Error, c"vkload", CStr::from_bytes_until_nul(&words).unwrap_or(c"internal error"));
    ANDROID.abort()
}

impl ApplicationSystem for Android {
    fn variable(&self, name: &CStr) -> Result<Option<Text>, OutOfMemory> {
        // SAFETY: the name is a C string.
        let value = unsafe { libc::getenv(name.as_ptr()) };
        if value.is_null() {
            return Ok(None);
        }
        // SAFETY: a value is a C string; who sets variables while others read them has to know what he does.
        text(&[unsafe { CStr::from_ptr(value) }.to_bytes()]).map(Some)
    }

    fn write(&self, path: &CStr, content: &[u8]) -> Result<(), FileError> {
        let new = text(&[path.to_bytes(), b".new\0"])?;
        let new = CStr::from_bytes_until_nul(&new).unwrap_or_default();
        write_to(new, content)?;
        // SAFETY: both are C strings.
        if unsafe { libc::rename(new.as_ptr(), path.as_ptr()) } != 0 {
            return Err(last_error());
        }
        Ok(())
    }

    fn namespace(&self, request: &NamespaceRequest<'_>) -> Result<Namespace, Text> {
        crate::os::make_namespace(request)
    }
}

/// Writes a file that nobody has opened yet. Others may read it and run what is in it, and not change it.
fn write_to(path: &CStr, content: &[u8]) -> Result<(), FileError> {
    const FLAGS: c_int = libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC | libc::O_CLOEXEC;
    // SAFETY: the path is a C string; the mode goes with O_CREAT.
    let file = unsafe { libc::open(path.as_ptr(), FLAGS, 0o755) };
    if file < 0 {
        return Err(last_error());
    }
    let (mut rest, mut result) = (content, Ok(()));
    while !rest.is_empty() && result.is_ok() {
        // SAFETY: the file is open, and the bytes may be read.
        let written = unsafe { libc::write(file, rest.as_ptr().cast(), rest.len()) };
        match usize::try_from(written) {
            Ok(written) => rest = rest.get(written..).unwrap_or_default(),
            Err(_) => result = Err(last_error()),
        }
    }
    // SAFETY: the file is open, and not used again.
    unsafe { libc::close(file) };
    result
}

fn last_error() -> FileError {
    // SAFETY: each thread has a place for the error number.
    match unsafe { *libc::__errno() } {
        libc::ENOENT => FileError::NotFound,
        libc::EACCES | libc::EPERM | libc::EROFS => FileError::Denied,
        other => FileError::Other(other),
    }
}
