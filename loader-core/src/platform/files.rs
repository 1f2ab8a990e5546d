//! The file system, as far as a loader needs it. Paths are bytes without a NUL.

use crate::memory::{OutOfMemory, Text, Vec};

/// Why a file or folder could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileError {
    /// Nothing has this name.
    NotFound,
    /// The process may not read it.
    Denied,
    /// It is not a regular file (a folder, a FIFO, a device).
    NotAFile,
    /// It is larger than the loader reads.
    TooLarge,
    /// Any other failure; the system's error number.
    Other(i32),
    /// Memory ran out while reading.
    OutOfMemory,
}

impl From<OutOfMemory> for FileError {
    fn from(_: OutOfMemory) -> Self {
        Self::OutOfMemory
    }
}

/// What tells one state of a file or folder from another without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fingerprint {
    /// The device that holds it and its number there.
    pub identity: (u64, u64),
    /// Bytes.
    pub size: u64,
    /// The last change of its content and of its attributes, nanoseconds since 1970.
    pub changed: (i64, i64),
}

/// The file system.
pub trait Files: Sync {
    /// The names in the folder `path`, in whatever order the system gives them, without `.` and `..`.
    ///
    /// # Errors
    /// Why the folder cannot be listed.
    fn list(&self, path: &[u8]) -> Result<Vec<Text>, FileError>;

    /// The content of the regular file `path`, if it is at most `limit` bytes long.
    ///
    /// # Errors
    /// Why it cannot be read. What is not a regular file is refused without being opened (opening a FIFO waits
    /// for a writer); where the kind cannot be told, it is read.
    fn read(&self, path: &[u8], limit: usize) -> Result<Text, FileError>;

    /// Whether `path` names anything.
    fn exists(&self, path: &[u8]) -> bool;

    /// The state of `path`, or `None` where nothing has that name or its state cannot be told apart reliably
    /// (it changed so lately that a further change might not show).
    fn fingerprint(&self, path: &[u8]) -> Option<Fingerprint>;

    /// [`list`](Files::list), and the state that the folder had before it was listed. A platform that learns the
    /// state while it lists (`fstat` on the open folder, before the first name) saves a call.
    ///
    /// # Errors
    /// Why the folder cannot be listed.
    fn list_with_state(&self, path: &[u8]) -> Result<(Vec<Text>, Option<Fingerprint>), FileError> {
        let state = self.fingerprint(path);
        Ok((self.list(path)?, state))
    }

    /// [`read`](Files::read), and the state that the file had before it was read. A platform that learns the state
    /// when it asks for the kind of the file saves a call.
    ///
    /// # Errors
    /// Why the file cannot be read.
    fn read_with_state(&self, path: &[u8], limit: usize) -> Result<(Text, Option<Fingerprint>), FileError> {
        let state = self.fingerprint(path);
        Ok((self.read(path, limit)?, state))
    }

    /// The device of the file `path` and its number there, which are the same for every name of the file; `None`
    /// where nothing has that name or the system cannot tell. Other than a fingerprint this does not depend on when
    /// the file changed.
    fn identity(&self, path: &[u8]) -> Option<(u64, u64)> {
        Some(self.fingerprint(path)?.identity)
    }
}
