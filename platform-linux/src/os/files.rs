//! The file system, by `opendir`, `readdir`, `access`, `fopen` and `stat`.

use core::ffi::{CStr, c_int, c_void};
#[cfg(target_env = "gnu")]
use core::sync::atomic::{AtomicU8, Ordering};

use vkload_core::memory::{Text, TryGrow, Vec, text};
use vkload_core::platform::{FileError, Files, Fingerprint, with_c_path};

use super::state::State;
use super::{clear_errno, errno};

#[cfg(not(all(target_env = "gnu", target_pointer_width = "32")))]
use libc::{fopen, readdir};
/// glibc's plain calls fail on 32-bit targets for files with large sizes, inode numbers or dates.
#[cfg(all(target_env = "gnu", target_pointer_width = "32"))]
use libc::{fopen64 as fopen, readdir64 as readdir};

pub(crate) struct FileSystem;

impl Files for FileSystem {
    fn list(&self, path: &[u8]) -> Result<Vec<Text>, FileError> {
        Folder::open(path)?.names()
    }

    fn read(&self, path: &[u8], limit: usize) -> Result<Text, FileError> {
        self.read_with_state(path, limit).map(|(content, _)| content)
    }

    fn exists(&self, path: &[u8]) -> bool {
        may(path, libc::F_OK)
    }

    fn fingerprint(&self, path: &[u8]) -> Option<Fingerprint> {
        State::of(path)?.fingerprint()
    }

    #[cfg(target_env = "gnu")]
    fn lists_what_exists(&self) -> bool {
        /// 0 until it is known, then 1 for no and 2 for yes.
        static KNOWN: AtomicU8 = AtomicU8::new(0);
        if KNOWN.load(Ordering::Relaxed) == 0 {
            // Helgrind and DRD report a plain write that another thread reads.
            KNOWN.fetch_or(if opendir_is_of_libc() { 2 } else { 1 }, Ordering::Relaxed);
        }
        KNOWN.load(Ordering::Relaxed) == 2
    }

    /// Queries the state after opening the folder, which saves the call for missing folders, and
    /// before reading the first name. If the path names another folder by then, that folder's state
    /// is stored with the names of this one. `fstat` would prevent this, but an interposer's folder
    /// need not have a descriptor.
    fn list_with_state(&self, path: &[u8]) -> Result<(Vec<Text>, Option<Fingerprint>), FileError> {
        let folder = Folder::open(path)?;
        let state = self.fingerprint(path);
        Ok((folder.names()?, state))
    }

    fn read_with_state(&self, path: &[u8], limit: usize) -> Result<(Text, Option<Fingerprint>), FileError> {
        // A path that only an interposer knows has no state; it is opened anyway. A FIFO that replaces the file from here on
        // is waited for: `fopen`, which interposers replace, cannot open without waiting.
        let state = State::of(path);
        if state.as_ref().is_some_and(|state| !state.is_regular_file()) {
            return Err(FileError::NotAFile);
        }
        let size = state.as_ref().and_then(State::size);
        if size.is_some_and(|size| size > limit) {
            return Err(FileError::TooLarge);
        }
        let content = Stream::open(path)?.read(size.unwrap_or(0), limit)?;
        Ok((content, state.as_ref().and_then(State::fingerprint)))
    }

    fn identity(&self, path: &[u8]) -> Option<(u64, u64)> {
        Some(State::of(path)?.identity())
    }
}

#[cfg(target_env = "gnu")]
fn opendir_is_of_libc() -> bool {
    // SAFETY: the names are C strings, and the C library is open anyway.
    unsafe {
        let library = libc::dlopen(c"libc.so.6".as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if library.is_null() {
            return false;
        }
        let opendir = libc::dlsym(library, c"opendir".as_ptr());
        libc::dlclose(library);
        opendir.addr() == libc::opendir as *const c_void as usize
    }
}

struct Folder(*mut libc::DIR);

impl Folder {
    fn open(path: &[u8]) -> Result<Self, FileError> {
        // SAFETY: `path` is a valid C string.
        let open = |path: &CStr| unsafe { libc::opendir(path.as_ptr()) };
        let folder = with_c_path(path, open).map_err(|fault| fault.error(libc::ENAMETOOLONG))?;
        if folder.is_null() {
            return Err(file_error(errno()));
        }
        Ok(Self(folder))
    }

    /// Returns every name except `.` and `..`.
    fn names(&self) -> Result<Vec<Text>, FileError> {
        let mut names = Vec::new();
        while let Some(name) = self.next()? {
            if name != b"." && name != b".." {
                names.try_push(text(&[name])?)?;
            }
        }
        Ok(names)
    }

    /// Returns the next name, or `None` at the end. It is valid until the next call: callers copy it at once.
    fn next(&self) -> Result<Option<&[u8]>, FileError> {
        clear_errno();
        // SAFETY: `opendir` returned the folder, and only `drop` closes it.
        let entry = unsafe { readdir(self.0) };
        if entry.is_null() {
            return if errno() == 0 { Ok(None) } else { Err(file_error(errno())) };
        }
        // SAFETY: the entry stays valid until the next `readdir` on this folder, and callers copy the name
        // before that. The name is NUL-terminated. It is reached by address, since an entry may be shorter
        // than its type.
        let name = unsafe { CStr::from_ptr((&raw const (*entry).d_name).cast()) };
        Ok(Some(name.to_bytes()))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // SAFETY: `opendir` returned the folder, and nothing uses it after `drop`.
        unsafe { libc::closedir(self.0) };
    }
}

struct Stream(*mut libc::FILE);

impl Stream {
    fn open(path: &[u8]) -> Result<Self, FileError> {
        // "e": a program that the application starts meanwhile does not inherit the descriptor.
        // SAFETY: the path and the mode are valid C strings.
        let open = |path: &CStr| unsafe { fopen(path.as_ptr(), c"rbe".as_ptr()) };
        let stream = with_c_path(path, open).map_err(|fault| fault.error(libc::ENAMETOOLONG))?;
        if stream.is_null() {
            return Err(file_error(errno()));
        }
        // Without a buffer the bytes go from the system straight into ours.
        // SAFETY: `fopen` returned the stream, and nothing has been read from it yet.
        unsafe { libc::setvbuf(stream, core::ptr::null_mut(), libc::_IONBF, 0) };
        Ok(Self(stream))
    }

    /// Makes reads fail instead of blocking. Files that the kernel generates on reading have no size, and
    /// some have their next bytes only when something happens (`/proc/kmsg`).
    fn never_wait(&self) {
        // SAFETY: the stream is open until `drop`. An interposer's own stream has no descriptor;
        // `fcntl` then changes nothing.
        unsafe { libc::fcntl(libc::fileno(self.0), libc::F_SETFL, libc::O_NONBLOCK) };
    }

    /// Reads to the end, but not beyond `limit`. `expected` is the probable size of the file.
    fn read(&self, expected: usize, limit: usize) -> Result<Text, FileError> {
        /// The number of bytes to read first if the size is unknown.
        const BLOCK: usize = 4096;
        let mut content = Vec::new();
        if expected == 0 {
            self.never_wait();
        }
        // One byte more than expected, so that the first read also detects the end.
        let mut room = if expected == 0 { BLOCK } else { expected.saturating_add(1) };
        loop {
            content.try_fit(room)?;
            let spare = content.spare_capacity_mut();
            // SAFETY: `room` bytes of spare capacity were reserved above; the stream is still open.
            let got = unsafe { libc::fread(spare.as_mut_ptr().cast::<c_void>(), 1, room, self.0) };
            let length = content.len().saturating_add(got);
            // SAFETY: `fread` has written `got` bytes, at most `room`.
            unsafe { content.set_len(length) };
            if length > limit {
                return Err(FileError::TooLarge);
            }
            if got < room {
                break;
            }
            room = content.len().max(BLOCK);
        }
        // SAFETY: the stream is open until `drop`.
        if unsafe { libc::ferror(self.0) } != 0 {
            return Err(file_error(errno()));
        }
        Ok(content)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: `fopen` returned the stream, and nothing uses it after `drop`.
        unsafe { libc::fclose(self.0) };
    }
}

pub(super) fn may(path: &[u8], kind: c_int) -> bool {
    // SAFETY: `path` is a valid C string.
    with_c_path(path, |path| unsafe { libc::access(path.as_ptr(), kind) }) == Ok(0)
}

#[allow(clippy::unnecessary_cast, reason = "the C libraries have other types")]
#[inline(never)] // some callers
pub(super) fn limit(resource: u32) -> u64 {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the structure is writable.
    unsafe { libc::getrlimit(resource as _, &raw mut limit) };
    limit.rlim_cur as u64
}

/// Returns whether a file of `size` bytes is within the limit of the process. Beyond it, the system kills a
/// process that writes.
#[allow(clippy::unnecessary_cast, reason = "the C libraries have other types")]
pub(super) fn may_be_as_large(size: usize) -> bool {
    size as u64 <= limit(libc::RLIMIT_FSIZE as u32)
}

/// Returns the first bytes of the regular file `path` with this state, at most `count`, and the size of the
/// file.
pub(super) fn beginning(path: &[u8], state: &State, count: usize) -> Option<(Text, u64)> {
    let mut bytes: Text = Vec::new();
    bytes.try_fit(count).ok()?;
    let stream = Stream::open(path).ok()?;
    // SAFETY: the vector has capacity for `count` bytes, and `fread` returns the number of bytes it has
    // written; the stream is open.
    unsafe {
        let got = libc::fread(bytes.as_mut_ptr().cast::<c_void>(), 1, count, stream.0);
        bytes.set_len(got);
    }
    Some((bytes, state.size()? as u64))
}

#[inline(never)] // several callers
fn file_error(number: c_int) -> FileError {
    match number {
        libc::ENOENT => FileError::NotFound,
        libc::EACCES | libc::EPERM => FileError::Denied,
        libc::EISDIR => FileError::NotAFile,
        libc::ENOMEM => FileError::OutOfMemory,
        other => FileError::Other(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CString;
    use std::fs;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::Path;
    use std::string::ToString;
    use tempfile::{TempDir, tempdir};

    const LIMIT: usize = 1 << 20;

    fn bytes(path: &Path) -> &[u8] {
        path.as_os_str().as_bytes()
    }

    fn read(path: &Path) -> Result<Text, FileError> {
        FileSystem.read(bytes(path), LIMIT)
    }

    fn folder_with(name: &str, content: &[u8]) -> (TempDir, std::path::PathBuf) {
        let folder = tempdir().unwrap();
        let file = folder.path().join(name);
        fs::write(&file, content).unwrap();
        (folder, file)
    }

    #[test]
    fn a_file_is_read_to_its_end() {
        for size in [0, 1, 4095, 4096, 4097, 100_000] {
            let content: std::vec::Vec<u8> = (0..size).map(|n| n as u8).collect();
            let (_folder, file) = folder_with("x.json", &content);
            assert_eq!(read(&file).unwrap().as_slice(), content);
        }
    }

    #[test]
    fn a_file_whose_size_the_system_does_not_know_is_read_too() {
        let name = FileSystem.read(b"/proc/self/status", LIMIT).unwrap();
        assert!(name.starts_with(b"Name:"));
        assert_eq!(FileSystem.read(b"/proc/self/status", 10), Err(FileError::TooLarge));
    }

    #[test]
    fn a_file_that_has_its_bytes_later_is_not_waited_for() {
        // Without permission, the read is denied. Otherwise the result depends on the kernel's log.
        let read = FileSystem.read(b"/proc/kmsg", usize::MAX);
        assert!(matches!(read, Err(FileError::Other(libc::EAGAIN) | FileError::Denied)), "{read:?}");
    }

    #[test]
    fn a_file_beyond_the_limit_is_refused_and_one_at_the_limit_is_read() {
        let (_folder, file) = folder_with("x.json", &[b' '; 100]);
        assert_eq!(FileSystem.read(bytes(&file), 99), Err(FileError::TooLarge));
        assert_eq!(FileSystem.read(bytes(&file), 100).unwrap().len(), 100);
    }

    #[test]
    fn a_file_that_is_not_regular_is_refused_without_waiting() {
        let folder = tempdir().unwrap();
        let fifo = folder.path().join("fifo.json");
        let name = CString::new(bytes(&fifo)).unwrap();
        // SAFETY: the path is a valid C string.
        assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
        assert_eq!(read(&fifo), Err(FileError::NotAFile));
        assert_eq!(read(Path::new("/dev/zero")), Err(FileError::NotAFile));

        let named_like_a_file = folder.path().join("x.json");
        fs::create_dir(&named_like_a_file).unwrap();
        assert_eq!(read(&named_like_a_file), Err(FileError::NotAFile));
    }

    #[test]
    fn a_missing_entry_is_not_found() {
        let folder = tempdir().unwrap();
        let dangling = folder.path().join("x.json");
        symlink(folder.path().join("gone"), &dangling).unwrap();
        assert_eq!(read(&dangling), Err(FileError::NotFound));
        assert_eq!(read(Path::new("")), Err(FileError::NotFound));
        assert_eq!(FileSystem.read(b"/etc/pass\0wd", LIMIT), Err(FileError::NotFound));
        assert_eq!(FileSystem.read(&[b'a'; 5000], LIMIT), Err(FileError::Other(libc::ENAMETOOLONG)));
        assert_eq!(FileSystem.list(bytes(&folder.path().join("gone"))), Err(FileError::NotFound));
        assert_eq!(FileSystem.list(b"/etc/passwd"), Err(FileError::Other(libc::ENOTDIR)));
        assert!(!FileSystem.exists(bytes(&dangling)));
        assert!(FileSystem.exists(bytes(folder.path())));
    }

    #[test]
    fn what_may_not_be_read_is_denied() {
        let (folder, file) = folder_with("x.json", b"{}");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
        let set_mode = |mode| fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).unwrap();
        set_mode(0o311);
        let denied = std::thread::spawn(move || {
            become_nobody();
            (read(&file), FileSystem.list(bytes(file.parent().unwrap())))
        });
        let denied = denied.join().unwrap();
        set_mode(0o700);
        assert_eq!(denied, (Err(FileError::Denied), Err(FileError::Denied)));
    }

    /// Drops the rights of root in this thread, if it has them; the call changes one thread only.
    fn become_nobody() {
        const NOBODY: libc::uid_t = 65534;
        // SAFETY: `geteuid` reads a number; `setresuid` takes rights from a thread that does
        // nothing else.
        unsafe {
            if libc::geteuid() == 0 {
                let keep = libc::uid_t::MAX;
                assert_eq!(libc::syscall(libc::SYS_setresuid, keep, NOBODY, keep), 0);
            }
        }
    }

    #[test]
    fn a_listing_has_every_name_once() {
        let folder = tempdir().unwrap();
        let mut names: std::vec::Vec<_> = (0..300).map(|n| n.to_string()).collect();
        names.iter().for_each(|name| fs::write(folder.path().join(name), b"").unwrap());
        let listed = FileSystem.list(bytes(folder.path())).unwrap();
        let mut listed: std::vec::Vec<_> =
            listed.iter().map(|name| core::str::from_utf8(name).unwrap().to_string()).collect();
        names.sort();
        listed.sort();
        assert_eq!(listed, names);
    }

    /// Queries the fingerprint until the last change is long enough ago.
    fn settled(path: &Path) -> Fingerprint {
        loop {
            if let Some(fingerprint) = FileSystem.fingerprint(bytes(path)) {
                return fingerprint;
            }
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_fingerprint_changes_when_the_file_does_even_within_a_tick() {
        let (folder, file) = folder_with("x.json", b"{}");
        assert_eq!(FileSystem.fingerprint(bytes(&file)), None, "a further change might not show");
        let before = settled(&file);
        assert_eq!(before.size, 2);
        assert_eq!(settled(&file), before);

        fs::write(&file, b"[]").unwrap();
        assert_eq!(FileSystem.fingerprint(bytes(&file)), None);
        assert_ne!(settled(&file), before);

        let listed = settled(folder.path());
        fs::write(folder.path().join("y.json"), b"").unwrap();
        assert_ne!(settled(folder.path()), listed);
        assert_eq!(FileSystem.fingerprint(b"/gone"), None);
    }

    #[test]
    fn files_and_folders_are_read_with_their_state() {
        let (folder, file) = folder_with("x.json", b"{}");
        let (folder, file) = (folder.path(), file.as_path());
        assert_eq!(FileSystem.read_with_state(bytes(file), LIMIT).unwrap().1, None, "it changed just now");
        assert_eq!(FileSystem.list_with_state(bytes(folder)).unwrap().1, None, "it changed just now");
        let (settled_file, settled_folder) = (settled(file), settled(folder));
        assert_eq!(FileSystem.read_with_state(bytes(file), LIMIT).unwrap().1, Some(settled_file));
        assert_eq!(FileSystem.list_with_state(bytes(folder)).unwrap().1, Some(settled_folder));
    }

    #[test]
    fn a_file_has_one_identity_whenever_it_changed_and_whatever_its_name() {
        let (folder, file) = folder_with("x.json", b"{}");
        let (link, other) = (folder.path().join("link"), folder.path().join("other"));
        symlink(&file, &link).unwrap();
        fs::write(&other, b"{}").unwrap();
        let identity = FileSystem.identity(bytes(&file));
        assert!(identity.is_some());
        assert_eq!(FileSystem.identity(bytes(&link)), identity);
        assert_ne!(FileSystem.identity(bytes(&other)), identity);
        assert_eq!(FileSystem.identity(b"/gone"), None);
    }
}
