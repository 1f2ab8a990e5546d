//! A path in the form that the C library takes.

use core::ffi::{CStr, c_int};
use core::mem::MaybeUninit;

/// The length of the longest path that Linux accepts, with its NUL.
pub(crate) const PATH_MAX: usize = libc::PATH_MAX as usize;

/// Calls `with` a NUL-terminated copy of `path`. The copy is on the stack, so an allocation failure
/// cannot pass for a missing file. It is not moved: moving it costs more than most calls.
///
/// # Errors
/// What the system would report: `ENAMETOOLONG`, or `ENOENT` for a path with a NUL, as no file has.
pub(crate) fn with_c_path<T>(path: &[u8], with: impl FnOnce(&CStr) -> T) -> Result<T, c_int> {
    // SAFETY: `path` is a slice, so its `path.len()` bytes are readable.
    if !unsafe { libc::memchr(path.as_ptr().cast(), 0, path.len()) }.is_null() {
        return Err(libc::ENOENT);
    }
    let mut copy = [const { MaybeUninit::<u8>::uninit() }; PATH_MAX];
    let end = copy.get_mut(path.len()).ok_or(libc::ENAMETOOLONG)?;
    end.write(0);
    for (to, from) in copy.iter_mut().zip(path) {
        to.write(*from);
    }
    let length = path.len().wrapping_add(1);
    // SAFETY: the array is longer than `path`, and its first `length` bytes were written above: the
    // path, which contains no NUL, and a NUL.
    let path = unsafe {
        let copy = core::slice::from_raw_parts(copy.as_ptr().cast::<u8>(), length);
        CStr::from_bytes_with_nul_unchecked(copy)
    };
    Ok(with(path))
}
