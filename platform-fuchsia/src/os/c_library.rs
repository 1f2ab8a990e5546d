//! Files, by the C library.

use core::ffi::{CStr, c_int};
use core::mem::MaybeUninit;

use crate::system::Descriptor;
use crate::system::{ErrorNumber, FileState, FileSystem};

/// The C library, which on Fuchsia accesses files through libfdio.
pub struct CLibrary;

impl FileSystem for CLibrary {
    fn open(&self, at: Descriptor, path: &CStr, flags: c_int) -> Result<Descriptor, ErrorNumber> {
        let flags = flags | libc::O_RDONLY | libc::O_CLOEXEC;
        // SAFETY: the path is a valid C string. `at` is only a number to the C library, which
        // rejects one that is not open.
        let file = unsafe { libc::openat(at, path.as_ptr(), flags) };
        if file < 0 { Err(errno()) } else { Ok(file) }
    }

    fn access(&self, at: Descriptor, path: &CStr) -> Result<(), ErrorNumber> {
        // SAFETY: the path is a valid C string, and the C library rejects an `at` that is not open.
        checked(unsafe { libc::faccessat(at, path.as_ptr(), libc::F_OK, 0) })
    }

    fn state(&self, file: Descriptor) -> Result<FileState, ErrorNumber> {
        let mut state = MaybeUninit::<libc::stat>::uninit();
        // SAFETY: `state` is writable.
        checked(unsafe { libc::fstat(file, state.as_mut_ptr()) })?;
        // SAFETY: `fstat` returned 0, so it has filled the structure.
        let state = unsafe { state.assume_init() };
        Ok(FileState {
            is_file: state.st_mode & libc::S_IFMT == libc::S_IFREG,
            size: u64::try_from(state.st_size).unwrap_or_default(),
            identity: (state.st_dev, state.st_ino),
            changed: state.st_mtime.saturating_mul(1_000_000_000).saturating_add(state.st_mtime_nsec),
        })
    }

    fn read(&self, file: Descriptor, room: &mut [u8]) -> Result<usize, ErrorNumber> {
        // SAFETY: `room` is a slice that is writable for `room.len()` bytes.
        let got = unsafe { libc::read(file, room.as_mut_ptr().cast(), room.len()) };
        usize::try_from(got).map_err(|_| errno())
    }

    fn list(&self, folder: Descriptor, take: &mut dyn FnMut(&[u8])) -> Result<(), ErrorNumber> {
        // SAFETY: the caller gives up its descriptor. If the call succeeds, the `DIR` owns it.
        let opened = unsafe { libc::fdopendir(folder) };
        if opened.is_null() {
            let error = errno();
            self.close(folder);
            return Err(error);
        }
        let folder = Folder(opened);
        loop {
            clear_errno();
            // SAFETY: `fdopendir` returned the folder, and only its drop closes it.
            let entry = unsafe { libc::readdir(folder.0) };
            if entry.is_null() {
                return if errno() == ErrorNumber(0) { Ok(()) } else { Err(errno()) };
            }
            // SAFETY: the entry stays valid until the next `readdir` on this folder, after `take`
            // has returned. The name is NUL-terminated. It is reached by address, since an entry
            // may be shorter than its type.
            take(unsafe { CStr::from_ptr((&raw const (*entry).d_name).cast()) }.to_bytes());
        }
    }

    fn close(&self, file: Descriptor) {
        // SAFETY: the caller owns the descriptor and gives it up.
        unsafe { libc::close(file) };
    }
}

struct Folder(*mut libc::DIR);

impl Drop for Folder {
    fn drop(&mut self) {
        // SAFETY: `fdopendir` returned the folder, and nothing uses it after `drop`.
        unsafe { libc::closedir(self.0) };
    }
}

fn checked(returned: c_int) -> Result<(), ErrorNumber> {
    if returned == 0 { Ok(()) } else { Err(errno()) }
}

/// Returns the error number of this thread's last failed call.
fn errno() -> ErrorNumber {
    // SAFETY: the C library returns the address of this thread's error number, which lives as long
    // as the thread.
    ErrorNumber(unsafe { *libc::__errno_location() })
}

/// Sets the error number to 0, for a call that reports errors only there.
fn clear_errno() {
    // SAFETY: the C library returns the address of this thread's error number, which lives as long
    // as the thread; no reference to it exists.
    unsafe { *libc::__errno_location() = 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CString;
    use std::fs;
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;
    use std::vec::Vec;

    fn path(path: &Path) -> CString {
        CString::new(path.as_os_str().as_bytes()).unwrap()
    }

    #[test]
    fn a_file_in_a_folder_is_read_in_pieces() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.json"), b"0123456789").unwrap();
        let at = CLibrary.open(libc::AT_FDCWD, &path(folder.path()), libc::O_DIRECTORY).unwrap();
        assert_eq!(CLibrary.access(at, c"a.json"), Ok(()));
        assert_eq!(CLibrary.access(at, c"b.json"), Err(ErrorNumber(libc::ENOENT)));
        let file = CLibrary.open(at, c"a.json", 0).unwrap();
        let state = CLibrary.state(file).unwrap();
        assert!(state.is_file && state.size == 10, "{state:?}");
        let changed = fs::metadata(folder.path().join("a.json")).unwrap().modified().unwrap();
        let changed = changed.duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos();
        assert_eq!(u128::try_from(state.changed), Ok(changed));
        // SAFETY: the descriptor is open.
        let flags = unsafe { libc::fcntl(file, libc::F_GETFD) };
        assert_eq!(flags & libc::FD_CLOEXEC, libc::FD_CLOEXEC, "programs that are started do not have it");
        assert!(!CLibrary.state(at).unwrap().is_file);
        let mut room = [0; 6];
        assert_eq!(CLibrary.read(file, &mut room), Ok(6));
        assert_eq!(&room, b"012345");
        assert_eq!(CLibrary.read(file, &mut room), Ok(4));
        assert_eq!(CLibrary.read(file, &mut room), Ok(0));
        CLibrary.close(file);
        assert_eq!(CLibrary.read(at, &mut room), Err(ErrorNumber(libc::EISDIR)));
        CLibrary.close(at);
    }

    #[test]
    fn a_listing_has_every_name_and_closes_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a", "b"] {
            fs::write(folder.path().join(name), b"").unwrap();
        }
        let open = |flags| CLibrary.open(libc::AT_FDCWD, &path(folder.path()), flags);
        let at = open(libc::O_DIRECTORY).unwrap();
        let mut names = Vec::new();
        CLibrary.list(at, &mut |name| names.push(name.to_vec())).unwrap();
        names.sort();
        assert_eq!(names, [&b"."[..], b"..", b"a", b"b"]);
        let file = CLibrary.open(libc::AT_FDCWD, &path(&folder.path().join("a")), 0).unwrap();
        let identity = CLibrary.state(file).unwrap().identity;
        assert_eq!(CLibrary.list(file, &mut |_| {}), Err(ErrorNumber(libc::ENOTDIR)));
        // Another thread may have received the same number since.
        assert_ne!(CLibrary.state(file).map(|state| state.identity), Ok(identity), "it is closed");
        let none = CLibrary.open(libc::AT_FDCWD, &path(&folder.path().join("none")), libc::O_DIRECTORY);
        assert_eq!(none, Err(ErrorNumber(libc::ENOENT)));
    }
}
