//! Paths as C strings.

use core::ffi::CStr;

use crate::system::ErrorNumber;

/// The length of the longest path, with its NUL.
const LONGEST: usize = 4096;

/// Calls `with` a NUL-terminated copy of `path`. The copy is on the stack, so an allocation failure
/// cannot pass for a missing file.
///
/// # Errors
/// What the system would report: `ENAMETOOLONG`, or `ENOENT` for a path with a NUL, as no file has.
pub(crate) fn with_c_path<T>(path: &[u8], with: impl FnOnce(&CStr) -> T) -> Result<T, ErrorNumber> {
    let mut copy = [0; LONGEST];
    let end = path.len().saturating_add(1);
    copy.get_mut(..end)
        .and_then(|copy| copy.split_last_mut())
        .ok_or(ErrorNumber(libc::ENAMETOOLONG))?
        .1
        .copy_from_slice(path);
    let path = copy.get(..end).and_then(|path| CStr::from_bytes_with_nul(path).ok());
    let path = path.ok_or(ErrorNumber(libc::ENOENT))?;
    Ok(with(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_copied_unless_it_is_too_long_or_has_a_nul() {
        let length = |path: &[u8]| with_c_path(path, |path| path.to_bytes().len());
        assert_eq!(length(b""), Ok(0));
        assert_eq!(length(&[b'x'; LONGEST - 1]), Ok(LONGEST - 1));
        assert_eq!(length(&[b'x'; LONGEST]), Err(ErrorNumber(libc::ENAMETOOLONG)));
        assert_eq!(length(b"a\0b"), Err(ErrorNumber(libc::ENOENT)));
    }
}
