//! The file system, as far as the loader needs it. Paths are bytes without a NUL.

use core::num::NonZero;

use super::hash::mixed;
use crate::memory::{OutOfMemory, Text, Vec};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileError {
    NotFound,
    Denied,
    /// It is not a regular file (a folder, a FIFO, a device).
    NotAFile,
    /// It is larger than the loader's limit.
    TooLarge,
    /// Any other failure, with the system's error number.
    Other(i32),
    OutOfMemory,
}

impl From<OutOfMemory> for FileError {
    fn from(_: OutOfMemory) -> Self {
        Self::OutOfMemory
    }
}

/// Identifies a state of a file or folder without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fingerprint {
    /// The device that holds it, and its number there.
    pub identity: (u64, u64),
    pub size: u64,
    /// The last changes of its content and of its attributes, in nanoseconds since 1970.
    pub changed: (i64, i64),
}

impl Fingerprint {
    /// Returns eight bytes that differ between states: always if one of the numbers differs, and otherwise
    /// except with a probability of 1 in 2^64. A snapshot has many of them.
    pub fn digest(&self) -> NonZero<u64> {
        let Self { identity, size, changed } = *self;
        let numbers = [identity.0, identity.1, size, changed.0.cast_unsigned(), changed.1.cast_unsigned()];
        let digest = numbers.into_iter().fold(0, mixed);
        NonZero::new(digest).unwrap_or(NonZero::<u64>::MAX)
    }
}

pub trait Files: Sync {
    /// Returns the names in the folder `path`, in the system's order, without `.` and `..`.
    fn list(&self, path: &[u8]) -> Result<Vec<Text>, FileError>;

    /// Returns the content of the regular file `path`, if it is at most `limit` bytes long.
    ///
    /// # Errors
    /// Why it cannot be read. Anything but a regular file is refused without being opened (opening
    /// a FIFO waits for a writer); if the kind is unknown, it is read.
    fn read(&self, path: &[u8], limit: usize) -> Result<Text, FileError>;

    fn exists(&self, path: &[u8]) -> bool;

    /// Returns the state of `path`, or `None` if nothing has that name or its states cannot be
    /// distinguished reliably (it changed so recently that a further change might not show).
    fn fingerprint(&self, path: &[u8]) -> Option<Fingerprint>;

    /// Returns whether every folder that [`list`](Files::list) can list also [exists](Files::exists): not if a
    /// program has replaced the function that lists.
    fn lists_what_exists(&self) -> bool {
        false
    }

    /// Does the same as [`list`](Files::list), and returns the state of the folder before the listing. A
    /// platform that gets the state while listing (`fstat` on the open folder, before the first name) saves a
    /// call.
    fn list_with_state(&self, path: &[u8]) -> Result<(Vec<Text>, Option<Fingerprint>), FileError> {
        let state = self.fingerprint(path);
        Ok((self.list(path)?, state))
    }

    /// Does the same as [`read`](Files::read), and returns the state of the file before the read. A platform
    /// that gets the state when it checks the file's kind saves a call.
    fn read_with_state(&self, path: &[u8], limit: usize) -> Result<(Text, Option<Fingerprint>), FileError> {
        let state = self.fingerprint(path);
        Ok((self.read(path, limit)?, state))
    }

    /// Returns the device of the file `path` and its number there, the same for every name of the file;
    /// `None` if the file does not exist or the system cannot say. Unlike a fingerprint, this does not depend
    /// on when the file changed.
    fn identity(&self, path: &[u8]) -> Option<(u64, u64)> {
        Some(self.fingerprint(path)?.identity)
    }
}

/// The file system of a system without files.
pub struct NoFiles;

impl Files for NoFiles {
    fn list(&self, _: &[u8]) -> Result<Vec<Text>, FileError> {
        Err(FileError::NotFound)
    }

    fn read(&self, _: &[u8], _: usize) -> Result<Text, FileError> {
        Err(FileError::NotFound)
    }

    fn exists(&self, _: &[u8]) -> bool {
        false
    }

    fn fingerprint(&self, _: &[u8]) -> Option<Fingerprint> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digests_of_two_states_differ_if_a_number_does() {
        let state = Fingerprint { identity: (1, 2), size: 2, changed: (-1, -1) };
        let others = [
            Fingerprint { identity: (2, 2), ..state },
            Fingerprint { identity: (1, 3), ..state },
            Fingerprint { size: 3, ..state },
            Fingerprint { changed: (0, -1), ..state },
            Fingerprint { changed: (-1, 0), ..state },
            Fingerprint { identity: (2, 1), ..state },
            Fingerprint { changed: (7, 7), ..state },
        ];
        assert_eq!(state.digest(), Fingerprint { ..state }.digest());
        for other in others {
            assert_ne!(state.digest(), other.digest(), "{other:?}");
        }
    }
}
