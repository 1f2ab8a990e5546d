//! A path as the C library wants it.

use core::ffi::{c_char, c_int};
use core::mem::MaybeUninit;

/// The longest path that Linux takes, with its NUL.
pub(crate) const PATH_MAX: usize = libc::PATH_MAX as usize;

/// A copy of a path on the stack, ended by NUL. No memory is allocated, so that "memory ran out" can never be
/// mistaken for "not there".
pub(crate) struct CPath([MaybeUninit<u8>; PATH_MAX]);

impl CPath {
    /// # Errors
    /// What the system would say: `ENAMETOOLONG`, or `ENOENT` for a path with a NUL in it, which nothing can have.
    pub(crate) fn new(path: &[u8]) -> Result<Self, c_int> {
        if path.contains(&0) {
            return Err(libc::ENOENT);
        }
        let mut copy = Self([MaybeUninit::uninit(); PATH_MAX]);
        let end = copy.0.get_mut(path.len()).ok_or(libc::ENAMETOOLONG)?;
        end.write(0);
        for (to, from) in copy.0.iter_mut().zip(path) {
            to.write(*from);
        }
        Ok(copy)
    }

    /// The path as a C string, valid as long as `self`.
    pub(crate) fn as_ptr(&self) -> *const c_char {
        self.0.as_ptr().cast()
    }
}
