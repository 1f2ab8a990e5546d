//! The dynamic linker.

use core::ffi::{CStr, c_void};
use core::num::NonZero;
use core::ptr::NonNull;

use crate::memory::Text;

/// The purpose for which a library is opened. Platforms may search different folders for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LibraryKind {
    Driver,
    Layer,
}

/// The platform's handle of an open library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Library(pub NonNull<c_void>);

// SAFETY: the value is a handle that the dynamic linker accepts from any thread.
unsafe impl Send for Library {}
// SAFETY: the value is a handle that the dynamic linker accepts from any thread.
unsafe impl Sync for Library {}

pub trait Libraries: Sync {
    /// Opens the library `path` (a path, or a bare name for the linker to search), privately and
    /// with lazy binding. Opening the same library again returns the same [`Library`], which must
    /// be closed once more.
    fn open(&self, path: &[u8], kind: LibraryKind) -> Result<Library, Text>;

    /// Returns whether the content of the file `path` rules out that it ever opens, whatever else is
    /// installed: it is not a library for this processor, or it is incomplete.
    fn never_opens(&self, _path: &[u8]) -> bool {
        false
    }

    fn symbol(&self, library: Library, name: &CStr) -> Option<NonNull<c_void>>;

    /// Returns the state of the file that `library` came from when it was opened by `name`; without a
    /// library, of the file at the path `name`. States differ between files, and between different contents
    /// of one file. `None` if the state is unknown (a bare name is not a path), or if the file changed so
    /// recently that a further change might not show.
    fn state(&self, _name: &[u8], _library: Option<Library>) -> Option<NonZero<u64>> {
        None
    }

    /// Undoes one [`open`](Libraries::open) of `library`.
    ///
    /// # Safety
    /// `library` came from [`open`](Libraries::open) of this platform, and is closed at most as
    /// often as it was opened. Nothing uses an address in the library any more unless another
    /// opening keeps it loaded.
    unsafe fn close(&self, library: Library);
}
