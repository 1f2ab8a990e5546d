//! Files that layers write.

use core::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::FromRawFd as _;
use std::os::unix::fs::MetadataExt as _;

/// Opens a file to write a report to: a new one, or what is there without its content, unless `append` is set. A file of another user's is not
/// written to, nor one by another name: links and hard links may lead anywhere. Signal handlers may call it.
///
/// # Errors
/// The system's error, or `EEXIST` for such a file.
pub fn report_file(path: &CStr, append: bool) -> io::Result<File> {
    let name = path.to_bytes();
    // These lead to what the process has open.
    let follow =
        if name.starts_with(b"/dev/std") || name.starts_with(b"/dev/fd/") { 0 } else { libc::O_NOFOLLOW };
    let flags = libc::O_WRONLY | libc::O_CLOEXEC | follow | if append { libc::O_APPEND } else { 0 };
    let open = |more| {
        // SAFETY: the path is a string.
        let file = unsafe { libc::open(path.as_ptr(), flags | more, 0o644) };
        // SAFETY: a descriptor that is not negative is new.
        if file < 0 { Err(io::Error::last_os_error()) } else { Ok(unsafe { File::from_raw_fd(file) }) }
    };
    let file = match open(libc::O_CREAT | libc::O_EXCL) {
        Err(error) if error.raw_os_error() == Some(libc::EEXIST) => open(0)?,
        new => return new,
    };
    let found = file.metadata()?;
    // SAFETY: no preconditions.
    let is_own = [0, unsafe { libc::geteuid() }].contains(&found.uid());
    if follow != 0 && (!is_own || (found.is_file() && found.nlink() != 1)) {
        return Err(io::Error::from_raw_os_error(libc::EEXIST));
    }
    if found.is_file() && !append {
        file.set_len(0)?;
    }
    Ok(file)
}
