//! The handling of panics. Nothing here is written to panic.

use core::fmt::{self, Display, Write};

/// Reports what has failed and ends the process.
pub(crate) fn end(failure: &dyn Display) -> ! {
    let mut line = Line { bytes: [0; 512], length: 0 };
    let _ = write!(line, "vkload's JNI library has failed, please report it: {failure}");
    write_line(&line.bytes);
    // SAFETY: `abort` has no preconditions.
    unsafe { libc::abort() }
}

/// A C string on the stack. What does not fit is dropped.
struct Line {
    bytes: [u8; 512],
    length: usize,
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // The last byte remains the NUL.
        let end = self.bytes.len().saturating_sub(1);
        let room = self.bytes.get_mut(self.length..end).unwrap_or_default();
        for (to, from) in room.iter_mut().zip(text.bytes()) {
            *to = from;
            self.length = self.length.saturating_add(1);
        }
        Ok(())
    }
}

#[cfg(target_os = "android")]
fn write_line(line: &[u8; 512]) {
    use core::ffi::{c_char, c_int};

    /// `ANDROID_LOG_FATAL` of <android/log.h>.
    const FATAL: c_int = 7;

    unsafe extern "C" {
        fn __android_log_write(priority: c_int, tag: *const c_char, text: *const c_char) -> c_int;
    }
    // SAFETY: both are C strings; the last byte of the line is always NUL.
    unsafe { __android_log_write(FATAL, c"vkload".as_ptr(), line.as_ptr().cast()) };
}

#[cfg(not(target_os = "android"))]
fn write_line(line: &[u8; 512]) {
    let length = line.iter().position(|byte| *byte == 0).unwrap_or(line.len());
    // SAFETY: the bytes are readable for their length.
    unsafe {
        libc::write(libc::STDERR_FILENO, line.as_ptr().cast(), length);
        libc::write(libc::STDERR_FILENO, c"\n".as_ptr().cast(), 1);
    }
}
