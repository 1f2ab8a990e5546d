//! The dynamic linker, by `dlopen`, `dlsym`, `dlclose` and `dladdr`.

use core::ffi::{CStr, c_int, c_void};
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use loader_core::memory::{OutOfMemory, Text, text};
use loader_core::platform::{Libraries, Library, LibraryKind};

use crate::c_path::with_c_path;

/// The dynamic linker of this process.
pub(crate) struct DynamicLinker;

/// Lazy, because drivers are large and most of their functions are never called; local, so that drivers that
/// contain copies of the same library do not bind to each other's.
const FLAGS: c_int = libc::RTLD_LAZY | libc::RTLD_LOCAL;

impl Libraries for DynamicLinker {
    fn open(&self, path: &[u8], _: LibraryKind) -> Result<Library, Text> {
        // SAFETY: the path is a valid C string. Running the initialisers of drivers and layers is what a loader is
        // for.
        let open = |path: &CStr| unsafe { libc::dlopen(path.as_ptr(), FLAGS) };
        let handle = with_c_path(path, open).map_err(|_| message(b"not a path that a file can have"))?;
        NonNull::new(handle).map(Library).ok_or_else(last_error)
    }

    fn symbol(&self, library: Library, name: &CStr) -> Option<NonNull<c_void>> {
        // SAFETY: `library` came from `open` and has not been closed; `name` is a valid C string.
        NonNull::new(unsafe { libc::dlsym(library.0.as_ptr(), name.as_ptr()) })
    }

    unsafe fn close(&self, library: Library) {
        // SAFETY: `library` came from `open`; the caller vouches that nothing uses it any more. There is nothing to
        // do where this fails: the library then stays loaded.
        unsafe { libc::dlclose(library.0.as_ptr()) };
    }

    fn path_of(&self, address: NonNull<c_void>) -> Result<Option<Text>, OutOfMemory> {
        let mut info = MaybeUninit::<libc::Dl_info>::uninit();
        // SAFETY: the address is only compared with the ranges of loaded libraries; `info` is writable.
        if unsafe { libc::dladdr(address.as_ptr(), info.as_mut_ptr()) } == 0 {
            return Ok(None);
        }
        // SAFETY: dladdr filled it, since it did not return 0.
        let info = unsafe { info.assume_init() };
        if info.dli_fname.is_null() {
            return Ok(None);
        }
        // SAFETY: the name is a valid C string for as long as the library is loaded, which the caller holds open.
        let path = unsafe { CStr::from_ptr(info.dli_fname) };
        text(&[path.to_bytes()]).map(Some)
    }
}

/// The dynamic linker's words for the failure that just happened in this thread.
fn last_error() -> Text {
    // SAFETY: returns NULL or a C string that is valid until the next call of the dynamic linker in this thread.
    let words = unsafe { libc::dlerror() };
    if words.is_null() {
        return message(b"the dynamic linker gave no reason");
    }
    // SAFETY: see above.
    message(unsafe { CStr::from_ptr(words) }.to_bytes())
}

/// A copy of `words`, or no words where memory is short.
fn message(words: &[u8]) -> Text {
    text(&[words]).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_opens_and_its_functions_are_found() {
        let libc = DynamicLinker.open(b"libc.so.6", LibraryKind::Driver).unwrap();
        let puts = DynamicLinker.symbol(libc, c"puts").unwrap();
        assert!(DynamicLinker.symbol(libc, c"vkload_is_not_here").is_none());
        assert!(DynamicLinker.path_of(puts).unwrap().unwrap().ends_with(b"/libc.so.6"));
        // SAFETY: the address is not used any more.
        unsafe { DynamicLinker.close(libc) };
    }

    #[test]
    fn the_linker_says_why_a_library_does_not_open() {
        let words = |path: &[u8]| {
            let text = DynamicLinker.open(path, LibraryKind::Driver).unwrap_err();
            std::string::String::from_utf8(text.to_vec()).unwrap()
        };
        assert!(words(b"/nowhere/libgone.so").contains("/nowhere/libgone.so"));
        assert!(words(b"/etc/passwd").contains("invalid ELF header"));
        assert!(!words(b"a\0b").is_empty());
        assert!(!words(&[b'a'; 5000]).is_empty());
    }
}
