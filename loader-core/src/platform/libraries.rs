//! The dynamic linker.

use core::ffi::{CStr, c_void};
use core::ptr::NonNull;

use crate::memory::Text;

/// What a library is opened as. Platforms may look in different places for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LibraryKind {
    /// A driver.
    Driver,
    /// A layer.
    Layer,
}

/// An open library, as the platform names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Library(pub NonNull<c_void>);

// SAFETY: the value is a name for the dynamic linker, which may be used from any thread.
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}

/// The dynamic linker.
pub trait Libraries: Sync {
    /// Opens the library `path` (a path, or a bare name for the linker to search), privately and with lazy
    /// binding. Opening the same library again gives the same [`Library`], to be closed once more.
    ///
    /// # Errors
    /// The system's words for what went wrong.
    fn open(&self, path: &[u8], kind: LibraryKind) -> Result<Library, Text>;

    /// Whether the file `path` itself tells that it never opens, whatever else is installed: it is no library for this processor, or
    /// not all of one.
    fn never_opens(&self, _path: &[u8]) -> bool {
        false
    }

    /// The address of the exported `name`.
    fn symbol(&self, library: Library, name: &CStr) -> Option<NonNull<c_void>>;

    /// Gives back one opening of `library`.
    ///
    /// # Safety
    /// Nothing uses an address in the library any more unless it was opened once more elsewhere.
    unsafe fn close(&self, library: Library);
}
