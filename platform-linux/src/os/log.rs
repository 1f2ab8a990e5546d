//! Standard error, by `fputs`, and log files that the user names, by `fopen` and `fwrite`.

use core::ffi::{CStr, c_char};
use core::ptr::NonNull;

use loader_core::log::{Level, LogSink};
use loader_core::platform::with_c_path;

/// Standard error of this process.
pub(crate) struct StandardError;

unsafe extern "C" {
    /// The stream, not the descriptor: a program may have redirected it.
    static stderr: *mut libc::FILE;
    fn flockfile(stream: *mut libc::FILE);
    fn funlockfile(stream: *mut libc::FILE);
}

/// The number of bytes passed to `fputs` at once. Nearly every line fits: a single write.
const CHUNK: usize = 1024;

impl LogSink for StandardError {
    fn write(&self, _: Level, line: &[u8]) {
        // SAFETY: the C library sets `stderr` before any code of this library runs.
        let stream = unsafe { stderr };
        // SAFETY: the stream is open for the life of the process (closing it is undefined in C).
        // The lock keeps the chunks of a long line together.
        unsafe { flockfile(stream) };
        for part in line.chunks(CHUNK) {
            let mut chunk = [0u8; CHUNK + 1];
            for (to, from) in chunk.iter_mut().zip(part) {
                // A NUL would hide the rest of the line.
                *to = if *from == 0 { b'?' } else { *from };
            }
            // SAFETY: the chunk is longer than its part, so it ends with a NUL; the stream is open.
            unsafe { libc::fputs(chunk.as_ptr().cast::<c_char>(), stream) };
        }
        // SAFETY: this thread locked the stream above.
        unsafe { funlockfile(stream) };
    }

    fn append(&self, path: &[u8], bytes: &[u8]) -> bool {
        // SAFETY: the path and the mode are valid C strings.
        let open = |path: &CStr| unsafe { libc::fopen(path.as_ptr(), c"ae".as_ptr()) };
        let Some(stream) = with_c_path(path, open).ok().and_then(NonNull::new) else { return false };
        // SAFETY: the bytes are readable, and the stream is open until `fclose` here, its last use.
        unsafe {
            let written = libc::fwrite(bytes.as_ptr().cast(), 1, bytes.len(), stream.as_ptr());
            libc::fclose(stream.as_ptr()) == 0 && written == bytes.len()
        }
    }
}
