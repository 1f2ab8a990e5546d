//! The content of files and memory objects.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_void};
use std::fs::File;
use std::io::Write;
use std::os::fd::{FromRawFd, IntoRawFd};
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use vkload_core::memory::{Text, text};

/// Bytes, possibly a library's.
pub(crate) struct Content {
    pub(crate) bytes: Vec<u8>,
    /// A path to the same bytes for this machine's linker.
    mapped: OnceLock<CString>,
    is_opening: AtomicBool,
}

impl Content {
    pub(crate) fn new(bytes: impl Into<Vec<u8>>) -> Arc<Self> {
        Arc::new(Self { bytes: bytes.into(), mapped: OnceLock::new(), is_opening: AtomicBool::new(false) })
    }

    /// Returns the content of a file of this machine, under the name `copy`. Each copy is a
    /// separate library and is created once, however many simulated systems have it.
    pub(crate) fn of(path: &Path, copy: &str) -> Arc<Self> {
        static COPIES: Mutex<BTreeMap<(PathBuf, String), Arc<Content>>> = Mutex::new(BTreeMap::new());
        let mut copies = COPIES.lock().unwrap_or_else(PoisonError::into_inner);
        let read = || Self::new(std::fs::read(path).unwrap_or_else(|error| panic!("{path:?}: {error}")));
        Arc::clone(copies.entry((path.to_owned(), copy.to_owned())).or_insert_with(read))
    }

    /// Opens the library in these bytes, by this machine's linker. If its own initialisers open it,
    /// they get another library, as always on Fuchsia.
    pub(crate) fn open(&self) -> Result<NonNull<c_void>, Text> {
        let within = self.is_opening.swap(true, Ordering::Relaxed);
        let another = within.then(|| map(&self.bytes));
        let path = another.as_ref().unwrap_or_else(|| self.mapped.get_or_init(|| map(&self.bytes)));
        // SAFETY: the path is a valid C string. Tests open only their own drivers and layers.
        let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        self.is_opening.store(within, Ordering::Relaxed);
        NonNull::new(library).ok_or_else(|| {
            // SAFETY: `dlopen` has just failed in this thread, so `dlerror` returns a C string,
            // which is copied at once.
            let words = unsafe { CStr::from_ptr(libc::dlerror()) };
            text(&[words.to_bytes()]).unwrap_or_default()
        })
    }
}

/// Writes the bytes to a file in memory and returns its path. The file stays, since the linker
/// identifies libraries by path.
fn map(bytes: &[u8]) -> CString {
    // SAFETY: the name is a valid C string.
    let file = unsafe { libc::memfd_create(c"library".as_ptr(), libc::MFD_CLOEXEC) };
    assert!(file >= 0, "a file in memory: {}", std::io::Error::last_os_error());
    // SAFETY: the descriptor is new, so nothing else owns it.
    let mut file = unsafe { File::from_raw_fd(file) };
    file.write_all(bytes).expect("room for a library");
    CString::new(format!("/proc/self/fd/{}", file.into_raw_fd())).expect("no NUL")
}
