//! The calls on files that the platform makes, which libfdio serves through the C library.

use core::ffi::{CStr, c_int};

use crate::system::Descriptor;

/// Why a call on a file failed: the C library's error number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorNumber(pub c_int);

/// What `fstat` tells of a file or folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileState {
    /// Whether it is a regular file.
    pub is_file: bool,
    /// Bytes.
    pub size: u64,
    /// The device that holds it and its number there.
    pub identity: (u64, u64),
    /// The last change of its content, nanoseconds since 1970.
    pub changed: i64,
}

/// The calls on files.
pub trait FileSystem: Sync {
    /// Opens a path for reading, from the folder `at` on or, if that is `AT_FDCWD`, in the namespace (`openat`). A folder
    /// is opened with the flag `O_DIRECTORY`.
    ///
    /// # Errors
    /// The error number.
    fn open(&self, at: Descriptor, path: &CStr, flags: c_int) -> Result<Descriptor, ErrorNumber>;

    /// Whether there is anything with this path (`faccessat`).
    ///
    /// # Errors
    /// The error number.
    fn access(&self, at: Descriptor, path: &CStr) -> Result<(), ErrorNumber>;

    /// The state of an open file or folder (`fstat`).
    ///
    /// # Errors
    /// The error number.
    fn state(&self, file: Descriptor) -> Result<FileState, ErrorNumber>;

    /// Reads the next bytes of a file into the beginning of `room`, and says how many they are; none at its end (`read`).
    ///
    /// # Errors
    /// The error number.
    fn read(&self, file: Descriptor, room: &mut [u8]) -> Result<usize, ErrorNumber>;

    /// Hands every name in an open folder to `take`, `.` and `..` too (`fdopendir`, `readdir`). The descriptor is closed,
    /// whatever comes of it.
    ///
    /// # Errors
    /// The error number; some names may have been handed over before.
    fn list(&self, folder: Descriptor, take: &mut dyn FnMut(&[u8])) -> Result<(), ErrorNumber>;

    /// Closes a descriptor (`close`).
    fn close(&self, file: Descriptor);
}
