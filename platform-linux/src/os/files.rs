//! The file system, by `opendir`, `readdir`, `access`, `fopen`, `stat` and `realpath`.

use core::ffi::{CStr, c_int, c_void};
use core::mem::MaybeUninit;

use loader_core::memory::{OutOfMemory, Text, TryGrow, Vec, text};
use loader_core::platform::{FileError, Files, Fingerprint};

use super::{clear_errno, errno};
use crate::c_path::CPath;

#[cfg(not(all(target_env = "gnu", target_pointer_width = "32")))]
use libc::{fopen, readdir, stat};
/// glibc's plain calls fail on 32-bit targets for files with large sizes, inode numbers or dates.
#[cfg(all(target_env = "gnu", target_pointer_width = "32"))]
use libc::{fopen64 as fopen, readdir64 as readdir, stat64 as stat};

/// The file system of this process.
pub(crate) struct FileSystem;

impl Files for FileSystem {
    fn list(&self, path: &[u8]) -> Result<Vec<Text>, FileError> {
        let folder = Folder::open(path)?;
        let mut names = Vec::new();
        while let Some(name) = folder.next()? {
            if name != b"." && name != b".." {
                names.try_push(text(&[name])?)?;
            }
        }
        Ok(names)
    }

    fn read(&self, path: &[u8], limit: usize) -> Result<Text, FileError> {
        let path = CPath::new(path).map_err(file_error)?;
        // A path that only an interposer knows has no state; it is opened all the same.
        let state = state_of(&path);
        if state.is_some_and(|state| state.st_mode & libc::S_IFMT != libc::S_IFREG) {
            return Err(FileError::NotAFile);
        }
        let size = state.and_then(|state| usize::try_from(state.st_size).ok());
        if size.is_some_and(|size| size > limit) {
            return Err(FileError::TooLarge);
        }
        Stream::open(&path)?.read(size.unwrap_or(0), limit)
    }

    fn exists(&self, path: &[u8]) -> bool {
        // SAFETY: the path is a valid C string.
        CPath::new(path).is_ok_and(|path| unsafe { libc::access(path.as_ptr(), libc::F_OK) } == 0)
    }

    fn resolve(&self, path: &[u8]) -> Result<Option<Text>, OutOfMemory> {
        let Ok(path) = CPath::new(path) else {
            return Ok(None);
        };
        // SAFETY: the path is a valid C string; with no buffer given, the C library allocates one.
        let resolved = unsafe { libc::realpath(path.as_ptr(), core::ptr::null_mut()) };
        if resolved.is_null() {
            return if errno() == libc::ENOMEM { Err(OutOfMemory) } else { Ok(None) };
        }
        // SAFETY: realpath returned a valid C string.
        let copy = text(&[unsafe { CStr::from_ptr(resolved) }.to_bytes()]);
        // SAFETY: the block came from the C library's allocator and is not used again.
        unsafe { libc::free(resolved.cast()) };
        copy.map(Some)
    }

    #[allow(clippy::unnecessary_cast)] // the fields are narrower on 32-bit targets
    fn fingerprint(&self, path: &[u8]) -> Option<Fingerprint> {
        let path = CPath::new(path).ok()?;
        let state = state_of(&path)?;
        let changed = (
            nanoseconds(state.st_mtime as i64, state.st_mtime_nsec as i64),
            nanoseconds(state.st_ctime as i64, state.st_ctime_nsec as i64),
        );
        let now = now();
        if !is_settled(changed.0, now) || !is_settled(changed.1, now) {
            return None;
        }
        let size = u64::try_from(state.st_size).ok()?;
        Some(Fingerprint { identity: (state.st_dev as u64, state.st_ino as u64), size, changed })
    }
}

/// An open folder.
struct Folder(*mut libc::DIR);

impl Folder {
    fn open(path: &[u8]) -> Result<Self, FileError> {
        let path = CPath::new(path).map_err(file_error)?;
        // SAFETY: the path is a valid C string.
        let folder = unsafe { libc::opendir(path.as_ptr()) };
        if folder.is_null() {
            return Err(file_error(errno()));
        }
        Ok(Self(folder))
    }

    /// The next name, or `None` at the end. It is valid until the next call: callers copy it at once.
    fn next(&self) -> Result<Option<&[u8]>, FileError> {
        clear_errno();
        // SAFETY: the folder is open until `self` is dropped.
        let entry = unsafe { readdir(self.0) };
        if entry.is_null() {
            return if errno() == 0 { Ok(None) } else { Err(file_error(errno())) };
        }
        // SAFETY: the entry is valid until the next readdir on this folder, which callers wait with; its name is
        // ended by NUL. The name is reached by address, since an entry may be shorter than its type.
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

/// A file that is open for reading.
struct Stream(*mut libc::FILE);

impl Stream {
    fn open(path: &CPath) -> Result<Self, FileError> {
        // "e": a program that the application starts meanwhile does not inherit the descriptor.
        // SAFETY: both are valid C strings.
        let stream = unsafe { fopen(path.as_ptr(), c"rbe".as_ptr()) };
        if stream.is_null() {
            return Err(file_error(errno()));
        }
        // Without a buffer the bytes go from the system straight into ours.
        // SAFETY: the stream is open and nothing was read from it yet.
        unsafe { libc::setvbuf(stream, core::ptr::null_mut(), libc::_IONBF, 0) };
        Ok(Self(stream))
    }

    /// Reads to the end, but not beyond `limit`. `expected` is the size that the file probably has.
    fn read(&self, expected: usize, limit: usize) -> Result<Text, FileError> {
        /// Bytes asked for where the size is not known.
        const BLOCK: usize = 4096;
        let mut content = Vec::new();
        // One byte more than expected, so that the first read also finds the end.
        let mut room = if expected == 0 { BLOCK } else { expected.saturating_add(1) };
        loop {
            content.try_reserve(room).map_err(|_| FileError::OutOfMemory)?;
            let spare = content.spare_capacity_mut();
            // SAFETY: the spare capacity is writable for `room` bytes (reserved above); the stream is open.
            let got = unsafe { libc::fread(spare.as_mut_ptr().cast::<c_void>(), 1, room, self.0) };
            let length = content.len().saturating_add(got);
            // SAFETY: fread has written `got` bytes, at most `room`.
            unsafe { content.set_len(length) };
            if length > limit {
                return Err(FileError::TooLarge);
            }
            if got < room {
                break;
            }
            room = BLOCK;
        }
        // SAFETY: the stream is open.
        if unsafe { libc::ferror(self.0) } != 0 {
            return Err(file_error(errno()));
        }
        Ok(content)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: the stream is open, and not used again.
        unsafe { libc::fclose(self.0) };
    }
}

/// What `stat` says about `path`, if it says anything.
fn state_of(path: &CPath) -> Option<stat> {
    let mut state = MaybeUninit::<stat>::uninit();
    // SAFETY: the path is a valid C string and `state` is writable.
    let result = unsafe { stat(path.as_ptr(), state.as_mut_ptr()) };
    // SAFETY: stat returned 0, so it has filled the structure.
    (result == 0).then(|| unsafe { state.assume_init() })
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

/// Whether a further change would leave another time than `changed`.
///
/// Times come from the clock of the kernel's last tick (every 1 to 10 ms), so a second change in the same tick leaves
/// the same time; some file systems round further. A change that comes after now leaves a time of about now, which
/// differs from `changed` once the two are further apart than that rounding. This holds in both directions: on a
/// machine whose clock was set back (or that has none and starts in 1970) files have times to come.
fn is_settled(changed: i64, now: i64) -> bool {
    /// Twice the longest tick, which also covers the 10 ms steps of exFAT.
    const TICKS: u64 = 20_000_000;
    /// Twice a whole second is kept by ext3, ext4 with small inodes, HFS+ and NFS 2; FAT keeps two.
    const WHOLE_SECONDS: u64 = 2_000_000_000;
    let rounding = if changed.wrapping_rem(1_000_000_000) == 0 { WHOLE_SECONDS } else { TICKS };
    now.abs_diff(changed) > rounding
}

/// The clock that the kernel stamps files with.
#[allow(clippy::unnecessary_cast)] // the fields are narrower on 32-bit targets
fn now() -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is writable. Where the clock is missing, 1970 makes no file look settled that is not.
    unsafe { libc::clock_gettime(libc::CLOCK_REALTIME_COARSE, &raw mut time) };
    nanoseconds(time.tv_sec as i64, time.tv_nsec as i64)
}

fn nanoseconds(seconds: i64, rest: i64) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(rest)
}
