//! Opens libraries through the dynamic linker or from the loader service.

use core::ffi::{CStr, c_void};
use core::ptr::NonNull;

use vkload_core::memory::Text;
use vkload_core::platform::{Libraries, Library, LibraryKind};

use crate::fuchsia::Fuchsia;

impl Libraries for Fuchsia {
    fn open(&self, path: &[u8], kind: LibraryKind) -> Result<Library, Text> {
        let opened = match kind {
            LibraryKind::Driver => self.open_driver(path),
            LibraryKind::Layer => self.open_plain(path, Text::new()),
        };
        opened.map(Library)
    }

    fn symbol(&self, library: Library, name: &CStr) -> Option<NonNull<c_void>> {
        self.system.symbol(library.0, name)
    }

    unsafe fn close(&self, library: Library) {
        if !self.keeps(library.0) {
            // SAFETY: `library` came from `open` and nothing uses it any more, by the `# Safety` of
            // [`Libraries::close`].
            unsafe { self.system.close_library(library.0) };
        }
    }
}
