//! Files, folders and their permissions.

use std::ffi::CString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use crate::lossless;

/// Returns the paths in a folder, sorted. Empty if it cannot be read.
pub(super) fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> =
        fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect();
    // Comparing paths takes them apart.
    paths.sort_unstable_by(|one, other| one.as_os_str().cmp(other.as_os_str()));
    paths
}

/// Returns the text of a file, trimmed. Empty if it cannot be read.
pub(super) fn read(path: &Path) -> String {
    fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).trim().to_owned()).unwrap_or_default()
}

/// Returns whether this process may read, write or search a file or folder (`R_OK`, `W_OK`, `X_OK`). On a file system that is read-only, it may
/// not write.
pub(crate) fn may(path: &Path, what: i32) -> bool {
    let Ok(path) = CString::new(path.as_os_str().as_bytes()) else { return false };
    // SAFETY: the path is a valid C string.
    unsafe { libc::faccessat(libc::AT_FDCWD, path.as_ptr(), what, libc::AT_EACCESS) == 0 }
}

/// Opens a regular file for reading. Anything else is an error, and is neither opened nor waited for, also if it takes the file's place now.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let irregular = || io::Error::new(io::ErrorKind::InvalidInput, "not a regular file");
    if !fs::metadata(path)?.is_file() {
        return Err(irregular());
    }
    let mut options = OpenOptions::new();
    let file = options.read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(irregular()) }
}

/// Returns the content of a regular file with at most `limit` bytes. Files without a size, which the kernel makes while they are read
/// (`/proc/kmsg`), are empty.
pub(crate) fn content(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let size = file.metadata()?.len();
    if size > limit {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let mut content = Vec::new();
    file.take(size).read_to_end(&mut content).map(|_| content)
}

/// Returns the last part of a path as text.
pub(super) fn name_of(path: &Path) -> String {
    path.file_name().map(lossless::of).unwrap_or_default()
}

/// Returns the location here of the file that a process with this root folder knows by `path`.
pub(super) fn below(root: &Path, path: &Path) -> PathBuf {
    root.join(path.strip_prefix("/").unwrap_or(path))
}
