//! The file that one start of a program leaves for the next one.

use core::fmt;

use crate::memory::Text;
use crate::platform::Library;

/// The size in bytes of the largest file that is read or written.
pub const LARGEST_CACHE: usize = 1024 * 1024;

/// Why no file from an earlier start exists, or why this start leaves none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheFault {
    /// No variable names a folder for caches, or the folder belongs to another user.
    NoFolder,
    /// The file does not exist yet, or the program's own file is gone.
    NotFound,
    /// It is a link, has a second name, or is not a regular file; or its folder is a link or not a folder.
    NotAFile,
    /// It, or its folder, belongs to another user.
    NotOwn,
    /// Other users have permission to write it or its folder.
    WritableByOthers,
    /// It is larger than [`LARGEST_CACHE`].
    TooLarge,
    /// It changed while it was read; or a fact that drivers' results depend on changed so recently that a
    /// further change might not show.
    Changed,
    /// The process has few file descriptors left, or a limit on its memory.
    Scarce,
    /// The system's error number.
    System(i32),
    /// Out of memory.
    OutOfMemory,
}

/// The time and the process of an observation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// Seconds since 1970, by a clock that may be set.
    pub seconds: u32,
    /// The number of the process. A later process may have the same one.
    pub process: u32,
}

/// Keeps a file for each program between its starts, and describes the circumstances that drivers' results
/// depend on.
///
/// No method is called in an elevated process. None loads a driver or opens a device, so a suspended device stays suspended.
pub trait StartCache: Sync {
    /// Describes everything that affects drivers' results for this process, except the drivers' own files:
    /// the program, the user, the environment, the process's limits and sandbox, the kernel, the device nodes
    /// and the devices behind them. One fact per line, in an order that stays the same while the facts do.
    /// Values that may be secret are digested.
    ///
    /// # Errors
    /// Why the description could not be compared by a later process. [`CacheFault::Scarce`] if drivers may
    /// fail for lack of a resource that the next process may have.
    fn circumstances(&self) -> Result<Text, CacheFault>;

    /// Returns the file that was kept for this program, read once it is certain that only this user can have
    /// written it.
    ///
    /// # Errors
    /// The reason why it is not read.
    fn load(&self) -> Result<Text, CacheFault>;

    /// Replaces this program's file. A process that reads it meanwhile gets either file, complete.
    ///
    /// # Errors
    /// Why the file is not kept; the last file is then unchanged.
    fn keep(&self, content: &[u8]) -> Result<(), CacheFault>;

    /// Removes this program's file, if it exists.
    fn forget(&self);

    /// Returns the path of the file that an open library came from. `None` if the path is unknown, or if the
    /// next process may find another file by the same name without a change in
    /// [`circumstances`](StartCache::circumstances).
    fn file_of(&self, library: Library, name: &[u8]) -> Option<Text>;

    /// Returns the current time and this process.
    fn moment(&self) -> Moment;

    /// Returns the identity of a library's file in one word: it differs if the file is another one, or has
    /// other contents. `None` if the file does not exist, or changed so recently that a further change might
    /// not show.
    fn identity(&self, path: &[u8]) -> Option<Text>;
}

/// Displays the reason in a few words, with a remedy.
impl fmt::Display for CacheFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoFolder => "neither XDG_CACHE_HOME nor HOME names a folder",
            Self::NotFound => "this program has not left a file yet",
            Self::NotAFile => "the file is a link or not a regular file; remove it",
            Self::NotOwn => "the file or its folder belongs to another user",
            Self::WritableByOthers => {
                "other users have permission to write the file or its folder; `chmod go-w` takes it away"
            }
            Self::TooLarge => "the file is too large",
            Self::Changed => "the file changed while it was read",
            Self::OutOfMemory => "out of memory",
            Self::Scarce => {
                "drivers may fail for lack of file descriptors or memory in this process; raise its limits (`ulimit -n -v -d`)"
            }
            Self::System(number) => return write!(f, "system error {}", number.unsigned_abs()),
        })
    }
}
