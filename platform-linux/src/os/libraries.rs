//! The dynamic linker, by `dlopen`, `dlsym` and `dlclose`.

#[cfg(target_env = "gnu")]
use core::ffi::c_char;
use core::ffi::{CStr, c_int, c_void};
use core::num::NonZero;
use core::ptr::NonNull;

use vkload_core::memory::{Text, text};
use vkload_core::platform::elf::{self, Header};
use vkload_core::platform::{FileError, Libraries, Library, LibraryKind, variables, with_c_path};

use super::files::beginning;
use super::state::State;
use crate::PLATFORM;
use crate::policy::IS_FIXED;

pub(crate) struct DynamicLinker;

/// Lazy, because drivers are large and most of their functions are never called. Local, so that
/// drivers that contain copies of the same library do not bind to each other's.
const FLAGS: c_int = libc::RTLD_LAZY | libc::RTLD_LOCAL;

impl Libraries for DynamicLinker {
    fn open(&self, path: &[u8], _: LibraryKind) -> Result<Library, Text> {
        // A path that only an interposer knows has no state; it is opened anyway. A fixed driver is part of
        // the system, as the loader is.
        if !IS_FIXED && let Some(state) = Some(path).filter(|path| path.contains(&b'/')).and_then(State::of) {
            if !state.is_regular_file() {
                // The dynamic linker would wait for the writer of a FIFO.
                return Err(message(b"not a regular file"));
            }
            if header(path, &state).is_some_and(|(header, size)| is_cut_off(header, size)) {
                return Err(message(b"the file ends before the library in it does; reinstall it"));
            }
        }
        // SAFETY: `path` is a valid C string. Running the initialisers of drivers and layers is the
        // purpose of a loader.
        let open = |path: &CStr| unsafe { libc::dlopen(path.as_ptr(), FLAGS) };
        let handle = with_c_path(path, open).map_err(|_| message(b"not a path that a file can have"))?;
        NonNull::new(handle).map(Library).ok_or_else(last_error)
    }

    fn never_opens(&self, path: &[u8]) -> bool {
        !IS_FIXED
            && State::of(path).is_some_and(|state| {
                !state.is_regular_file()
                    || header(path, &state).is_some_and(|(header, size)| {
                        !matches!(header, Header::Library { .. }) || is_cut_off(header, size)
                    })
            })
    }

    fn symbol(&self, library: Library, name: &CStr) -> Option<NonNull<c_void>> {
        // SAFETY: `library` came from `open` and has not been closed; `name` is a valid C string.
        NonNull::new(unsafe { libc::dlsym(library.0.as_ptr(), name.as_ptr()) })
    }

    fn state(&self, name: &[u8], library: Option<Library>) -> Option<NonZero<u64>> {
        if IS_FIXED {
            return None;
        }
        // SAFETY: the caller's library stays open meanwhile.
        let path = library.and_then(|library| unsafe { path_of(library) });
        let path = path.or(Some(name).filter(|name| name.contains(&b'/')))?;
        Some(PLATFORM.files.fingerprint(path)?.digest())
    }

    /// Does nothing if the user wants no library unloaded, so that leak checkers can resolve the
    /// names of what leaked.
    unsafe fn close(&self, library: Library) {
        if PLATFORM.switch(variables::VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING) == Ok(true) {
            return;
        }
        // SAFETY: `library` came from `open` and nothing uses it any more, by the `# Safety` of
        // [`Libraries::close`]. A failure needs no handling: the library then stays loaded.
        unsafe { libc::dlclose(library.0.as_ptr()) };
    }
}

/// Returns the absolute path that the dynamic linker has opened a library by.
///
/// # Safety
/// The library is open for as long as the result is used.
#[cfg(target_env = "gnu")]
pub(super) unsafe fn path_of<'a>(library: Library) -> Option<&'a [u8]> {
    #[repr(C)]
    struct LinkMap {
        difference: usize,
        name: *const c_char,
    }
    let mut map: *const LinkMap = core::ptr::null();
    // SAFETY: by this function's `# Safety` the library is open; the call writes a pointer.
    let result =
        unsafe { libc::dlinfo(library.0.as_ptr(), libc::RTLD_DI_LINKMAP, (&raw mut map).cast::<c_void>()) };
    if result != 0 {
        return None;
    }
    // SAFETY: `dlinfo` returned 0, so this is the map of a library that stays open.
    let name = unsafe { map.as_ref() }.map(|map| map.name).filter(|name| !name.is_null())?;
    // SAFETY: the name is a valid C string as long as the library is open.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    name.starts_with(b"/").then_some(name)
}

/// Other C libraries do not report it, and may find a new file in any folder that they search.
#[cfg(not(target_env = "gnu"))]
pub(super) unsafe fn path_of<'a>(_: Library) -> Option<&'a [u8]> {
    None
}

fn header(path: &[u8], state: &State) -> Option<(Header, u64)> {
    /// Enough for the header and more segments than libraries have.
    const BEGINNING: usize = 4096;
    let (beginning, size) = beginning(path, state, BEGINNING)?;
    let read_at = |offset: u64, bytes: &mut [u8]| {
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        let there = beginning.get(offset..).and_then(|there| there.get(..bytes.len()));
        bytes.copy_from_slice(there.ok_or(FileError::Other(0))?);
        Ok(())
    };
    elf::header(&read_at).ok().map(|header| (header, size))
}

/// Returns whether the file ends before its last segment does, for example after an interrupted installation.
/// The dynamic linker maps such a file all the same, and the process dies of a bus error when it reads that
/// part.
fn is_cut_off(header: Header, size: u64) -> bool {
    matches!(header, Header::Library { end, .. } if end > size)
}

/// Returns the dynamic linker's message about the failure that just happened in this thread.
fn last_error() -> Text {
    // SAFETY: `dlerror` has no preconditions. It returns NULL or a C string that is valid until
    // this thread's next call of the dynamic linker.
    let words = unsafe { libc::dlerror() };
    if words.is_null() {
        return message(b"the dynamic linker gave no reason");
    }
    // SAFETY: `dlerror` returned a C string, and this thread has not called the linker since.
    message(unsafe { CStr::from_ptr(words) }.to_bytes())
}

fn message(words: &[u8]) -> Text {
    text(&[words]).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_is_cut_off_is_refused_and_a_whole_one_is_not() {
        // An emulator shows its own state for the link.
        let path = std::env::current_exe().unwrap().into_os_string().into_encoded_bytes();
        let whole = std::fs::read("/proc/self/exe").unwrap();
        let state = State::of(&path).unwrap();
        assert!(header(&path, &state).is_some_and(|(header, size)| !is_cut_off(header, size)));
        let folder = std::env::temp_dir().join(std::format!("vkload-cut-off-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("libcut.so");
        std::fs::write(&path, &whole[..4096]).unwrap();
        let error = DynamicLinker.open(path.to_str().unwrap().as_bytes(), LibraryKind::Driver).unwrap_err();
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(error.starts_with(b"the file ends before"), "{}", error.escape_ascii());
    }

    #[test]
    fn a_library_opens_and_its_functions_are_found() {
        let libc = DynamicLinker.open(b"libc.so.6", LibraryKind::Driver).unwrap();
        assert!(DynamicLinker.symbol(libc, c"puts").is_some());
        assert!(DynamicLinker.symbol(libc, c"vkload_is_not_here").is_none());
        // SAFETY: `open` returned the library, and the address is not used any more.
        unsafe { DynamicLinker.close(libc) };
    }

    #[test]
    fn a_fifo_is_not_a_library_and_does_not_block() {
        let folder = tempfile::tempdir().unwrap();
        let path = std::ffi::CString::new(folder.path().join("libfifo.so").to_str().unwrap()).unwrap();
        // SAFETY: the path is a C string.
        assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
        let error = DynamicLinker.open(path.as_bytes(), LibraryKind::Driver).unwrap_err();
        assert_eq!(error.as_slice(), b"not a regular file");
        assert!(DynamicLinker.never_opens(path.as_bytes()));
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
