//! The file system.

use core::ffi::{CStr, c_int};
use core::mem::MaybeUninit;

use vkload_core::memory::{Text, TryGrow, Vec, text};
use vkload_core::platform::FileError;

use super::errno;

pub(super) fn list(path: &CStr) -> Result<Vec<Text>, FileError> {
    let folder = Folder::open(path)?;
    let mut names = Vec::new();
    while let Some(name) = folder.next()? {
        if name != b"." && name != b".." {
            names.try_push(text(&[name])?)?;
        }
    }
    Ok(names)
}

#[allow(clippy::unnecessary_cast)] // the constants are narrower than the field on 32-bit targets
pub(super) fn size(path: &CStr) -> Result<u64, FileError> {
    let mut state = MaybeUninit::<libc::stat>::uninit();
    // SAFETY: the path is a C string, and `state` is large enough for the result.
    if unsafe { libc::stat(path.as_ptr(), state.as_mut_ptr()) } != 0 {
        return Err(last_error());
    }
    // SAFETY: `stat` succeeded, so it has written the state.
    let state = unsafe { state.assume_init() };
    if state.st_mode & libc::S_IFMT as u32 != libc::S_IFREG as u32 {
        return Err(FileError::NotAFile);
    }
    u64::try_from(state.st_size).map_err(|_| FileError::Other(libc::EOVERFLOW))
}

pub(super) fn read_at(path: &CStr, offset: u64, bytes: &mut [u8]) -> Result<(), FileError> {
    let file = File::open(path)?;
    let mut done = 0usize;
    while let Some(rest) = bytes.get_mut(done..).filter(|rest| !rest.is_empty()) {
        let position = u64::try_from(done).ok().and_then(|done| offset.checked_add(done));
        let position = position
            .and_then(|position| i64::try_from(position).ok())
            .ok_or(FileError::Other(libc::EOVERFLOW))?;
        // SAFETY: the file is open, and `rest` is writable for its length.
        let got = unsafe { libc::pread64(file.0, rest.as_mut_ptr().cast(), rest.len(), position) };
        match usize::try_from(got) {
            // The file ends too early.
            Ok(0) => return Err(FileError::Other(0)),
            Ok(got) => done = done.saturating_add(got),
            Err(_) if errno() == libc::EINTR => {}
            Err(_) => return Err(last_error()),
        }
    }
    Ok(())
}

struct Folder(*mut libc::DIR);

impl Folder {
    fn open(path: &CStr) -> Result<Self, FileError> {
        // SAFETY: the path is a C string.
        let folder = unsafe { libc::opendir(path.as_ptr()) };
        if folder.is_null() { Err(last_error()) } else { Ok(Self(folder)) }
    }

    /// Returns the next name, or `None` at the end. It is valid until the next call: callers copy
    /// it at once.
    fn next(&self) -> Result<Option<&[u8]>, FileError> {
        // SAFETY: each thread has its own error number; the folder is open until it is dropped.
        let entry = unsafe {
            *libc::__errno() = 0;
            libc::readdir(self.0)
        };
        if entry.is_null() {
            return if errno() == 0 { Ok(None) } else { Err(last_error()) };
        }
        // SAFETY: the entry stays valid until the next `readdir` on this folder, and its name is
        // NUL-terminated. No reference to the whole entry is created, as it may be shorter than its
        // type.
        let name = unsafe { CStr::from_ptr((&raw const (*entry).d_name).cast()) };
        Ok(Some(name.to_bytes()))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // SAFETY: this value owns the open folder, which no code uses after this.
        unsafe { libc::closedir(self.0) };
    }
}

struct File(c_int);

impl File {
    /// Opens a file, without waiting if it is a pipe.
    fn open(path: &CStr) -> Result<Self, FileError> {
        // SAFETY: the path is a C string.
        let file = unsafe { libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC | libc::O_NONBLOCK) };
        if file < 0 { Err(last_error()) } else { Ok(Self(file)) }
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: this value owns the open descriptor, which no code uses after this.
        unsafe { libc::close(self.0) };
    }
}

fn last_error() -> FileError {
    match errno() {
        libc::ENOENT => FileError::NotFound,
        libc::EACCES | libc::EPERM => FileError::Denied,
        libc::ENOMEM => FileError::OutOfMemory,
        other => FileError::Other(other),
    }
}
