//! A path as the C library wants it.

use core::ffi::{CStr, c_int};
use core::mem::MaybeUninit;

/// The longest path that Linux takes, with its NUL.
pub(crate) const PATH_MAX: usize = libc::PATH_MAX as usize;

/// Calls `with` a copy of `path` that is ended by NUL. The copy is on the stack, so that "memory ran out" can never be
/// mistaken for "not there", and stays where it is, since moving it costs more than most calls.
///
/// # Errors
/// What the system would say: `ENAMETOOLONG`, or `ENOENT` for a path with a NUL in it, which nothing can have.
pub(crate) fn with_c_path<T>(path: &[u8], with: impl FnOnce(&CStr) -> T) -> Result<T, c_int> {
    let mut copy = [const { MaybeUninit::<u8>::uninit() }; PATH_MAX];
    let end = copy.get_mut(path.len()).ok_or(libc::ENAMETOOLONG)?;
    end.write(0);
    for (to, from) in copy.iter_mut().zip(path) {
        to.write(*from);
    }
    let length = path.len().wrapping_add(1);
    // SAFETY: the array is longer than `path`, and its first `length` bytes were written above.
    let copy = unsafe { core::slice::from_raw_parts(copy.as_ptr().cast::<u8>(), length) };
    let path = CStr::from_bytes_with_nul(copy).map_err(|_| libc::ENOENT)?;
    Ok(with(path))
}
