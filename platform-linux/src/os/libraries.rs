//! The dynamic linker, by `dlopen`, `dlsym` and `dlclose`.

use core::ffi::{CStr, c_int, c_void};
use core::ptr::NonNull;

use loader_core::memory::{Text, text};
use loader_core::platform::{Libraries, Library, LibraryKind, variables};

use crate::PLATFORM;
use crate::c_path::with_c_path;

/// The dynamic linker of this process.
pub(crate) struct DynamicLinker;

/// Lazy, because drivers are large and most of their functions are never called. Local, so that
/// drivers that contain copies of the same library do not bind to each other's.
const FLAGS: c_int = libc::RTLD_LAZY | libc::RTLD_LOCAL;

impl Libraries for DynamicLinker {
    fn open(&self, path: &[u8], _: LibraryKind) -> Result<Library, Text> {
        if path.contains(&b'/') && segments(path).flatten().is_some_and(|(end, size)| end > size) {
            return Err(message(b"the file ends before the library in it does; install it anew"));
        }
        // SAFETY: `path` is a valid C string. Running the initialisers of drivers and layers is the
        // purpose of a loader.
        let open = |path: &CStr| unsafe { libc::dlopen(path.as_ptr(), FLAGS) };
        let handle = with_c_path(path, open).map_err(|_| message(b"not a path that a file can have"))?;
        NonNull::new(handle).map(Library).ok_or_else(last_error)
    }

    fn never_opens(&self, path: &[u8]) -> bool {
        segments(path).is_some_and(|segments| segments.is_none_or(|(end, size)| end > size))
    }

    fn symbol(&self, library: Library, name: &CStr) -> Option<NonNull<c_void>> {
        // SAFETY: `library` came from `open` and has not been closed; `name` is a valid C string.
        NonNull::new(unsafe { libc::dlsym(library.0.as_ptr(), name.as_ptr()) })
    }

    /// Does nothing if the user wants no library unloaded, so that leak checkers can resolve the
    /// names of what leaked.
    unsafe fn close(&self, library: Library) {
        let unloading = variables::VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING;
        let stays = PLATFORM.environment.variable(unloading.name, unloading.reader);
        if stays.ok().flatten().is_some_and(|value| !value.is_empty() && value.as_slice() != b"0") {
            return;
        }
        // SAFETY: `library` came from `open` and nothing uses it any more, by the `# Safety` of
        // [`Libraries::close`]. A failure needs no handling: the library then stays loaded.
        unsafe { libc::dlclose(library.0.as_ptr()) };
    }
}

/// The end of the library's last segment and the size of its file. `Some(None)` if it is no library
/// for this processor; `None` if it is not a regular file. The segment ends beyond the file if an
/// installation was interrupted: the dynamic linker maps such a file anyway, and the process dies
/// of a bus error on reading there.
fn segments(path: &[u8]) -> Option<Option<(usize, usize)>> {
    /// Room for the header and more segments than any library has.
    const BEGINNING: usize = 4096;
    let (bytes, size) = super::files::beginning(path, BEGINNING)?;
    Some(segments_end(&bytes).map(|end| (end, size)))
}

/// The number of this processor in libraries (`e_machine`), if known here.
const MACHINE: Option<usize> = match () {
    () if cfg!(target_arch = "x86") => Some(3),
    () if cfg!(target_arch = "arm") => Some(40),
    () if cfg!(target_arch = "x86_64") => Some(62),
    () if cfg!(target_arch = "aarch64") => Some(183),
    () if cfg!(target_arch = "riscv64") => Some(243),
    () => None,
};

/// The end of the last segment of the library that begins with `bytes`; `None` if it is not for
/// this processor.
fn segments_end(bytes: &[u8]) -> Option<usize> {
    const WIDE: bool = size_of::<usize>() == 8;
    /// Header offsets of the table's position, the size of its entries and their number.
    const TABLE: (usize, usize, usize) = if WIDE { (32, 54, 56) } else { (28, 42, 44) };
    /// Entry offsets of the segment's position and its size in the file.
    const SEGMENT: (usize, usize) = if WIDE { (8, 32) } else { (4, 16) };
    let class = if WIDE { 2 } else { 1 };
    let half = |at: usize| Some(usize::from(u16::from_ne_bytes(bytes.get(at..)?.first_chunk().copied()?)));
    let word = |at: usize| Some(usize::from_ne_bytes(bytes.get(at..)?.first_chunk().copied()?));
    if bytes.get(..5)? != [0x7f, b'E', b'L', b'F', class] || MACHINE.is_some_and(|own| half(18) != Some(own))
    {
        return None;
    }
    let (table, entry, count) = (word(TABLE.0)?, half(TABLE.1)?, half(TABLE.2)?);
    let mut end = 0usize;
    for index in 0..count {
        let at = table.checked_add(index.checked_mul(entry)?)?;
        end = end.max(word(at.checked_add(SEGMENT.0)?)?.checked_add(word(at.checked_add(SEGMENT.1)?)?)?);
    }
    Some(end)
}

/// The dynamic linker's message about the failure that just happened in this thread.
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

/// A copy of `words`, or an empty text if memory runs out.
fn message(words: &[u8]) -> Text {
    text(&[words]).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_is_cut_off_is_refused_and_a_whole_one_is_not() {
        let whole = std::fs::read("/proc/self/exe").unwrap();
        assert!(segments_end(&whole[..4096]).is_some_and(|end| end > 4096 && end <= whole.len()));
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
