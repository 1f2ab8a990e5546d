//! The handling of panics. Nothing here is written to panic.

use core::ffi::CStr;
use core::fmt::Display;

use shell::Line;

/// Reports the failure and aborts the process.
pub(crate) fn end(failure: &dyn Display) -> ! {
    let line = Line::of(format_args!("vkload's JNI library has failed, please report it: {failure}"), '\0');
    write_line(CStr::from_bytes_until_nul(line.text().as_bytes()).unwrap_or_default());
    // SAFETY: it has no preconditions.
    unsafe { libc::abort() }
}

#[cfg(target_os = "android")]
fn write_line(line: &CStr) {
    use core::ffi::{c_char, c_int};

    const FATAL: c_int = 7;

    unsafe extern "C" {
        fn __android_log_write(priority: c_int, tag: *const c_char, text: *const c_char) -> c_int;
    }
    // SAFETY: both are C strings.
    unsafe { __android_log_write(FATAL, c"vkload".as_ptr(), line.as_ptr()) };
}

#[cfg(not(target_os = "android"))]
fn write_line(line: &CStr) {
    // SAFETY: the string's bytes may be read.
    unsafe {
        libc::write(libc::STDERR_FILENO, line.as_ptr().cast(), line.count_bytes());
        libc::write(libc::STDERR_FILENO, c"\n".as_ptr().cast(), 1);
    }
}
