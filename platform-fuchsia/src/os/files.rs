//! The file system: the component's namespace, and below [`MANIFESTS`] the folder that the loader service has.

use core::ffi::{CStr, c_int};
use core::mem::MaybeUninit;

use loader_core::memory::{Text, TryGrow, Vec, text};
use loader_core::platform::{FileError, Files, Fingerprint};

use super::c_path::with_c_path;
use super::{clear_errno, errno};
use crate::fuchsia::Fuchsia;
use crate::policy::MANIFESTS;
use crate::service::Service;
use crate::system::Descriptor;

impl Files for Fuchsia {
    fn list(&self, path: &[u8]) -> Result<Vec<Text>, FileError> {
        let place = self.place(path)?;
        let file = place.open(libc::O_RDONLY | libc::O_DIRECTORY)?;
        Folder::of(file)?.names()
    }

    fn read(&self, path: &[u8], limit: usize) -> Result<Text, FileError> {
        let file = self.place(path)?.open(libc::O_RDONLY)?;
        let state = file.state().ok_or_else(|| file_error(errno()))?;
        if state.st_mode & libc::S_IFMT != libc::S_IFREG {
            return Err(FileError::NotAFile);
        }
        file.read(usize::try_from(state.st_size).unwrap_or_default(), limit)
    }

    fn exists(&self, path: &[u8]) -> bool {
        let Ok(place) = self.place(path) else { return false };
        // SAFETY: the folder is open or stands for the namespace; the path is a valid C string.
        let access = |path: &CStr| unsafe { libc::faccessat(place.folder, path.as_ptr(), libc::F_OK, 0) };
        with_c_path(place.path, access) == Ok(0)
    }

    /// The folder of the service has no times: drivers come and go without a trace in it.
    fn fingerprint(&self, path: &[u8]) -> Option<Fingerprint> {
        let place = self.place(path).ok().filter(|place| place.folder == libc::AT_FDCWD)?;
        let state = place.open(libc::O_RDONLY).ok()?.state()?;
        let size = u64::try_from(state.st_size).ok()?;
        let identity = (state.st_dev, state.st_ino);
        Some(Fingerprint { identity, size, changed: (nanoseconds(&state), 0) })
    }
}

fn nanoseconds(state: &libc::stat) -> i64 {
    state.st_mtime.saturating_mul(1_000_000_000).saturating_add(state.st_mtime_nsec)
}

/// A path, and the folder that it begins in.
struct Place<'a> {
    folder: Descriptor,
    path: &'a [u8],
}

impl Fuchsia {
    fn place<'a>(&self, path: &'a [u8]) -> Result<Place<'a>, FileError> {
        let Some(below) = path.strip_prefix(MANIFESTS) else {
            return Ok(Place { folder: libc::AT_FDCWD, path });
        };
        let folder = self.service().map(Service::manifests).ok_or(FileError::NotFound)?;
        match below {
            [] => Ok(Place { folder, path: b"." }),
            [b'/', path @ ..] => Ok(Place { folder, path }),
            _ => Ok(Place { folder: libc::AT_FDCWD, path }),
        }
    }
}

impl Place<'_> {
    fn open(&self, flags: c_int) -> Result<File, FileError> {
        // SAFETY: the folder is open or stands for the namespace; the path is a valid C string.
        let open = |path: &CStr| unsafe { libc::openat(self.folder, path.as_ptr(), flags | libc::O_CLOEXEC) };
        match with_c_path(self.path, open).map_err(file_error)? {
            file if file < 0 => Err(file_error(errno())),
            file => Ok(File(file)),
        }
    }
}

/// An open file or folder.
struct File(Descriptor);

impl File {
    fn state(&self) -> Option<libc::stat> {
        let mut state = MaybeUninit::<libc::stat>::uninit();
        // SAFETY: the file is open and `state` is writable.
        let result = unsafe { libc::fstat(self.0, state.as_mut_ptr()) };
        // SAFETY: fstat returned 0, so it has filled the structure.
        (result == 0).then(|| unsafe { state.assume_init() })
    }

    /// Reads to the end, but not beyond `limit`. `expected` is the size that the file probably has.
    fn read(&self, expected: usize, limit: usize) -> Result<Text, FileError> {
        /// Bytes asked for where the size is not known.
        const BLOCK: usize = 4096;
        let mut content: Text = Vec::new();
        let mut room = if expected == 0 { BLOCK } else { expected.saturating_add(1) };
        loop {
            if content.len() > limit || expected > limit {
                return Err(FileError::TooLarge);
            }
            content.try_reserve(room).map_err(|_| FileError::OutOfMemory)?;
            let spare = content.spare_capacity_mut();
            // SAFETY: the spare capacity is writable for `room` bytes (reserved above); the file is open.
            let got = unsafe { libc::read(self.0, spare.as_mut_ptr().cast(), room) };
            let got = usize::try_from(got).map_err(|_| file_error(errno()))?;
            let length = content.len().saturating_add(got);
            // SAFETY: read has written `got` bytes, at most `room`.
            unsafe { content.set_len(length) };
            if got == 0 {
                return Ok(content);
            }
            room = BLOCK;
        }
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: the file is open, and not used again.
        unsafe { libc::close(self.0) };
    }
}

/// A folder that is being listed.
struct Folder(*mut libc::DIR);

impl Folder {
    fn of(file: File) -> Result<Self, FileError> {
        // SAFETY: the descriptor is open. Where the call succeeds it belongs to the folder.
        let folder = unsafe { libc::fdopendir(file.0) };
        if folder.is_null() {
            return Err(file_error(errno()));
        }
        core::mem::forget(file);
        Ok(Self(folder))
    }

    /// Every name but `.` and `..`.
    fn names(&self) -> Result<Vec<Text>, FileError> {
        let mut names = Vec::new();
        while let Some(name) = self.next()? {
            if name != b"." && name != b".." {
                names.try_push(text(&[name])?)?;
            }
        }
        Ok(names)
    }

    /// The next name, or `None` at the end. It is valid until the next call: callers copy it at once.
    fn next(&self) -> Result<Option<&[u8]>, FileError> {
        clear_errno();
        // SAFETY: the folder is open until `self` is dropped.
        let entry = unsafe { libc::readdir(self.0) };
        if entry.is_null() {
            return if errno() == 0 { Ok(None) } else { Err(file_error(errno())) };
        }
        // SAFETY: the entry is valid until the next readdir on this folder, which callers wait with; its name is ended
        // by NUL. The name is reached by address, since an entry may be shorter than its type.
        let name = unsafe { CStr::from_ptr((&raw const (*entry).d_name).cast()) };
        Ok(Some(name.to_bytes()))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // SAFETY: the folder is open, and not used again.
        unsafe { libc::closedir(self.0) };
    }
}

fn file_error(number: c_int) -> FileError {
    match number {
        libc::ENOENT => FileError::NotFound,
        libc::EACCES | libc::EPERM => FileError::Denied,
        libc::EISDIR => FileError::NotAFile,
        libc::ENOMEM => FileError::OutOfMemory,
        other => FileError::Other(other),
    }
}
