//! Files and folders, through libc. Each function gives the error of the kernel apart from a lack of memory.

use core::ffi::{CStr, c_char, c_int};
use core::mem::MaybeUninit;

use vkload_core::memory::{OutOfMemory, Text, TryGrow, Vec, text};

use super::CPath;
use crate::drm::Errno;

/// The kernel's answer, unless memory runs out.
pub(super) type Said<T> = Result<Result<T, Errno>, OutOfMemory>;

fn check(result: c_int) -> Result<(), Errno> {
    if result < 0 { Err(Errno::last()) } else { Ok(()) }
}

/// Returns the names in a folder, `most` at most.
pub(super) fn names(path: &CStr, most: usize) -> Said<Vec<Text>> {
    // SAFETY: a C string. The stream is closed below.
    let stream = unsafe { libc::opendir(path.as_ptr()) };
    if stream.is_null() {
        return Ok(Err(Errno::last()));
    }
    let mut names = Vec::new();
    let mut result = Ok(());
    while result.is_ok() && names.len() < most {
        // SAFETY: the stream is open, and the entry is used before the next call for it.
        let entry = unsafe { libc::readdir(stream) };
        if entry.is_null() {
            break;
        }
        // SAFETY: the entry has a NUL-terminated name.
        let name = unsafe { CStr::from_ptr((&raw const (*entry).d_name).cast()) };
        result = text(&[name.to_bytes()]).and_then(|name| names.try_push(name));
    }
    // SAFETY: the stream is open and no longer in use.
    unsafe { libc::closedir(stream) };
    result.map(|()| Ok(names))
}

/// Returns the numbers of a device file, or `None` for another file.
pub(super) fn status(path: &CStr) -> Result<Option<(u32, u32)>, Errno> {
    let mut status = MaybeUninit::<libc::stat>::uninit();
    // SAFETY: a C string, and a buffer that is read only after the call has written it.
    let status = unsafe {
        check(libc::stat(path.as_ptr(), status.as_mut_ptr()))?;
        status.assume_init()
    };
    let is_device = status.st_mode & libc::S_IFMT == libc::S_IFCHR;
    #[allow(clippy::unnecessary_cast, trivial_numeric_casts, reason = "the types differ between systems")]
    let numbers = (
        libc::major(status.st_rdev as libc::dev_t) as u32,
        libc::minor(status.st_rdev as libc::dev_t) as u32,
    );
    Ok(is_device.then_some(numbers))
}

/// Returns whether the process may open a file for reading and writing.
pub(super) fn may_open(path: &CStr) -> Result<(), Errno> {
    // SAFETY: a C string.
    check(unsafe { libc::access(path.as_ptr(), libc::R_OK | libc::W_OK) })
}

pub(super) fn real_path(path: &CStr) -> Said<Text> {
    let mut room = [0; libc::PATH_MAX as usize];
    // SAFETY: a C string, and a buffer for the longest path that the call may write.
    let end = unsafe { libc::realpath(path.as_ptr(), room.as_mut_ptr()) };
    if end.is_null() {
        return Ok(Err(Errno::last()));
    }
    // SAFETY: the call wrote a C string there.
    text(&[unsafe { CStr::from_ptr(room.as_ptr()) }.to_bytes()]).map(Ok)
}

pub(super) fn link(folder: &[u8], name: &[u8]) -> Said<Text> {
    let path = CPath::of(&[folder, b"/", name])?;
    let mut room = [0u8; libc::PATH_MAX as usize];
    // SAFETY: a C string, and a buffer of the given size.
    let length =
        unsafe { libc::readlink(path.as_c_str().as_ptr(), room.as_mut_ptr().cast::<c_char>(), room.len()) };
    let Ok(length) = usize::try_from(length) else { return Ok(Err(Errno::last())) };
    text(&[room.get(..length).unwrap_or_default()]).map(Ok)
}

/// Returns the part after the last slash.
pub(super) fn base_name(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or_default()
}

/// Returns the part before the last slash.
pub(super) fn parent(path: &[u8]) -> &[u8] {
    let length = path.len().saturating_sub(base_name(path).len()).saturating_sub(1);
    path.get(..length).unwrap_or_default()
}

/// A folder in `/sys`, whose files have one or a few lines.
pub(super) struct Folder<'a>(pub(super) &'a [u8]);

impl Folder<'_> {
    /// Reads a file's content, up to 4,096 bytes, the kernel's maximum.
    pub(super) fn read(&self, name: &[u8]) -> Said<Text> {
        let path = CPath::of(&[self.0, b"/", name])?;
        // SAFETY: a C string. The file is closed below.
        let file = unsafe { libc::open(path.as_c_str().as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
        if file < 0 {
            return Ok(Err(Errno::last()));
        }
        let mut room = [0u8; 4096];
        // SAFETY: a buffer of the given size.
        let length = unsafe { libc::read(file, room.as_mut_ptr().cast(), room.len()) };
        let error = Errno::last();
        // SAFETY: the file is ours.
        unsafe { libc::close(file) };
        let Ok(length) = usize::try_from(length) else { return Ok(Err(error)) };
        text(&[room.get(..length).unwrap_or_default()]).map(Ok)
    }

    /// Reads the number in a file, which has the form `0x10de`.
    pub(super) fn hex(&self, name: &[u8]) -> Said<u16> {
        Ok(self.read(name)?.and_then(|content| {
            let digits = core::str::from_utf8(content.trim_ascii()).ok().and_then(|it| it.strip_prefix("0x"));
            digits.and_then(|it| u16::from_str_radix(it, 16).ok()).ok_or(Errno(libc::EINVAL))
        }))
    }
}
