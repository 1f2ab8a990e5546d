//! Paths as C strings, for platforms with a C library.

use core::ffi::CStr;
use core::mem::MaybeUninit;

use super::FileError;

/// Bytes of the longest path that is passed to a system call, with its NUL: `PATH_MAX` of Linux and Fuchsia.
pub const LONGEST_PATH: usize = 4096;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathFault {
    TooLong,
    HasNul,
}

impl PathFault {
    /// Returns the error that the system would have reported. `too_long` is its number for a path that is too
    /// long (`ENAMETOOLONG`).
    pub const fn error(self, too_long: i32) -> FileError {
        match self {
            Self::TooLong => FileError::Other(too_long),
            Self::HasNul => FileError::NotFound,
        }
    }
}

/// Calls `with` with a NUL-terminated copy of `path`. The copy is on the stack, so that a shortage of memory
/// is never mistaken for a missing file, and it is not moved, since moving it costs more than most calls.
pub fn with_c_path<T>(path: &[u8], with: impl FnOnce(&CStr) -> T) -> Result<T, PathFault> {
    let mut copy = [const { MaybeUninit::uninit() }; LONGEST_PATH];
    copy_c_path(path, &mut copy).map(with)
}

/// Copies `path` and a NUL into `copy`.
fn copy_c_path<'a>(
    path: &[u8],
    copy: &'a mut [MaybeUninit<u8>; LONGEST_PATH],
) -> Result<&'a CStr, PathFault> {
    copy.get_mut(path.len()).ok_or(PathFault::TooLong)?.write(0);
    for (to, from) in copy.iter_mut().zip(path) {
        to.write(*from);
    }
    // SAFETY: the array is longer than `path`, whose bytes were written above, and a NUL behind them. It does not change
    // while the result lives.
    let copied = unsafe { CStr::from_ptr(copy.as_ptr().cast()) };
    // The C library finds a NUL in fewer instructions than a search through the bytes.
    if copied.count_bytes() == path.len() { Ok(copied) } else { Err(PathFault::HasNul) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_copied_unless_it_is_too_long_or_has_a_nul() {
        let length = |path: &[u8]| with_c_path(path, |path| path.to_bytes().len());
        assert_eq!(length(b""), Ok(0));
        assert_eq!(length(&[b'x'; LONGEST_PATH - 1]), Ok(LONGEST_PATH - 1));
        assert_eq!(length(&[b'x'; LONGEST_PATH]), Err(PathFault::TooLong));
        assert_eq!(length(b"a\0b"), Err(PathFault::HasNul));
    }
}
