//! The file calls of the platform, which libfdio serves through the C library.

use core::ffi::{CStr, c_int};

use crate::system::Descriptor;

/// Why a file call failed: the C library's error number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorNumber(pub c_int);

/// The result of `fstat` on a file or folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileState {
    pub is_file: bool,
    pub size: u64,
    /// The device that holds it, and its number there.
    pub identity: (u64, u64),
    /// The last change of its content, in nanoseconds since 1970.
    pub changed: i64,
}

pub trait FileSystem: Sync {
    /// Opens a path for reading, relative to the folder `at` or, if that is `AT_FDCWD`, in the
    /// namespace (`openat`). The flag `O_DIRECTORY` opens a folder.
    ///
    /// # Errors
    /// The error number.
    fn open(&self, at: Descriptor, path: &CStr, flags: c_int) -> Result<Descriptor, ErrorNumber>;

    /// Succeeds if the path exists (`faccessat`).
    ///
    /// # Errors
    /// The error number.
    fn access(&self, at: Descriptor, path: &CStr) -> Result<(), ErrorNumber>;

    /// Returns the state of an open file or folder (`fstat`).
    ///
    /// # Errors
    /// The error number.
    fn state(&self, file: Descriptor) -> Result<FileState, ErrorNumber>;

    /// Reads the next bytes of a file into `room` and returns their number: 0 at its end (`read`).
    ///
    /// # Errors
    /// The error number.
    fn read(&self, file: Descriptor, room: &mut [u8]) -> Result<usize, ErrorNumber>;

    /// Passes every name in an open folder to `take`, including `.` and `..` (`fdopendir`,
    /// `readdir`). The descriptor is closed in every case.
    ///
    /// # Errors
    /// The error number; `take` may have received some names before.
    fn list(&self, folder: Descriptor, take: &mut dyn FnMut(&[u8])) -> Result<(), ErrorNumber>;

    fn close(&self, file: Descriptor);
}
