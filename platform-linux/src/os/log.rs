//! Standard error, by `fputs`, and log files that the user names, by `openat` and `write`.

use core::ffi::{CStr, c_char, c_int};

use vkload_core::log::{Level, LogSink};
use vkload_core::platform::with_c_path;

use super::files::may_be_as_large;
use super::state::State;
use crate::policy::IS_FIXED;

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
            // SAFETY: the chunk is longer than its part, so it is NUL-terminated; the stream is open.
            unsafe { libc::fputs(chunk.as_ptr().cast::<c_char>(), stream) };
        }
        // SAFETY: this thread locked the stream above.
        unsafe { funlockfile(stream) };
    }

    /// Opens the file for each message: no descriptor stays open that a program may close, or whose file a
    /// tool may have moved away. Nothing here waits: neither for a reader of a FIFO nor for a terminal.
    fn append(&self, path: &[u8], bytes: &[u8]) -> bool {
        const FLAGS: c_int = libc::O_WRONLY
            | libc::O_APPEND
            | libc::O_CREAT
            | libc::O_NONBLOCK
            | libc::O_NOCTTY
            | libc::O_CLOEXEC
            | libc::O_LARGEFILE;
        if IS_FIXED {
            // Only a settings file names log files.
            return false;
        }
        // SAFETY: the path is a valid C string.
        let open = |path: &CStr| unsafe { libc::openat(libc::AT_FDCWD, path.as_ptr(), FLAGS, 0o666) };
        let Some(file) = with_c_path(path, open).ok().filter(|file| *file >= 0) else { return false };
        let takes_it = State::of_descriptor(file).is_some_and(|state| takes(&state, bytes.len()));
        // SAFETY: the bytes are readable, and the descriptor is open until `close` here, its last use.
        unsafe {
            let written = if takes_it { libc::write(file, bytes.as_ptr().cast(), bytes.len()) } else { -1 };
            libc::close(file) == 0 && usize::try_from(written) == Ok(bytes.len())
        }
    }
}

/// Returns whether messages can go to an open file, and `length` more bytes are within the process's
/// file-size limit: beyond it, the system kills the process with a signal.
fn takes(state: &State, length: usize) -> bool {
    match state.kind() {
        libc::S_IFREG => {
            let end = state.size().and_then(|size| size.checked_add(length.max(1)));
            end.is_some_and(may_be_as_large)
        }
        libc::S_IFCHR | libc::S_IFIFO => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CString;
    use std::fs;
    use std::io::Read;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::OpenOptionsExt;

    #[test]
    fn a_fifo_is_written_only_while_it_has_a_reader() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fifo");
        let bytes = path.as_os_str().as_bytes();
        let name = CString::new(bytes).unwrap();
        // SAFETY: the path is a C string.
        assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
        assert!(!StandardError.append(bytes, b"one\n"));
        let mut reader = fs::File::options().read(true).custom_flags(libc::O_NONBLOCK).open(&path).unwrap();
        assert!(StandardError.append(bytes, b"two\n"));
        let mut read = std::string::String::new();
        reader.read_to_string(&mut read).unwrap();
        assert_eq!(read, "two\n");
    }

    #[test]
    fn messages_are_appended_to_files_and_nodes_and_to_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let bytes = path.as_os_str().as_bytes();
        for line in [b"one\n".as_slice(), b"", b"two\n"] {
            assert!(StandardError.append(bytes, line));
        }
        assert_eq!(fs::read(&path).unwrap(), b"one\ntwo\n");
        assert!(StandardError.append(b"/dev/null", b"x"));
        assert!(!StandardError.append(b"/dev/full", b"x"));
        assert!(!StandardError.append(folder.path().as_os_str().as_bytes(), b"x"));
        assert!(!StandardError.append(b"/nowhere/log", b"x"));
        assert!(!StandardError.append(b"a\0b", b"x"));
    }
}
