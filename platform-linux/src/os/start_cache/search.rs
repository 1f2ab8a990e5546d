//! Finds the file that the dynamic linker has opened for a bare name, and whether it would find the same one
//! again.

use core::ffi::{c_int, c_void};
use core::ptr::NonNull;

use vkload_core::memory::{Text, text};
use vkload_core::platform::{Files, Library};

use super::super::files::FileSystem;
use super::super::libraries::path_of;
use super::lines::any_part;

/// Returns the path of an open library that was looked up by a bare name, if only a change that shows in the
/// circumstances can lead to another file: it is in a folder of `LD_LIBRARY_PATH` or in the dynamic linker's
/// list, and no other folder is searched before.
pub(super) fn file_of(root: &[u8], library: Library, library_path: &[u8]) -> Option<Text> {
    // SAFETY: callers pass a library that stays open meanwhile.
    let path = unsafe { path_of(library) }?;
    if folders(library_path).any(is_unclear) || searches_own_folders() {
        return None;
    }
    let folder = path.get(..path.iter().rposition(|byte| *byte == b'/')?)?;
    let is_known = folders(library_path).any(|searched| searched == folder) || is_listed(root, path);
    is_known.then(|| text(&[path]).ok())?
}

/// Returns the folders in `library_path`.
pub(super) fn folders(library_path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_set = !library_path.is_empty();
    library_path.split(|byte| matches!(byte, b':' | b';')).filter(move |_| is_set)
}

/// The subfolders that glibc's dynamic linker prefers, depending on the processor. Before 2.37 these are
/// `tls` and the names of processors and of their features, alone and nested.
const SUBFOLDERS: &[u8] =
    b"glibc-hwcaps tls x86_64 haswell xeon_phi avx512_1 sse2 i386 i486 i586 i686 vfp neon atomics aarch64 v6l v7l v8l";

/// Returns whether a folder's own state does not determine the result of a search in it: the folder may
/// depend on the location of the program, or have subfolders for some processors.
fn is_unclear(folder: &[u8]) -> bool {
    let mut is_there =
        |name: &[u8]| text(&[folder, b"/", name]).map_or(true, |subfolder| FileSystem.exists(&subfolder));
    !folder.starts_with(b"/") || any_part(SUBFOLDERS, b' ', &mut is_there)
}

/// Returns whether the dynamic linker's list has this path.
fn is_listed(root: &[u8], path: &[u8]) -> bool {
    /// The list has some 100 bytes for each library of the system.
    const LARGEST_LIST: usize = 16 << 20;
    let read = |list: Text| FileSystem.read(&list, LARGEST_LIST).ok();
    let list = text(&[root, b"/etc/ld.so.cache"]).ok().and_then(read);
    let Some((list, listed)) = list.zip(text(&[b"\0", path, b"\0"]).ok()) else { return false };
    // SAFETY: both are readable for their lengths.
    let found =
        unsafe { libc::memmem(list.as_ptr().cast(), list.len(), listed.as_ptr().cast(), listed.len()) };
    !found.is_null()
}

/// One entry of a dynamic section.
#[repr(C)]
struct Entry {
    tag: usize,
    value: usize,
}

/// Returns whether the dynamic linker may search folders named in the program or in a library before its
/// list, when this loader opens a library. That is so with `DT_RUNPATH` in the file that contains the
/// loader, or with `DT_RPATH` in any loaded file, since any of them may have loaded the loader.
fn searches_own_folders() -> bool {
    // SAFETY: the function has the type that the call demands, and expects no data.
    unsafe { libc::dl_iterate_phdr(Some(names_folders), core::ptr::null_mut()) != 0 }
}

unsafe extern "C" fn names_folders(info: *mut libc::dl_phdr_info, _: usize, _: *mut c_void) -> c_int {
    const DT_RPATH: usize = 15;
    const DT_RUNPATH: usize = 29;
    let here = (names_folders as *const ()).addr();
    // SAFETY: `dl_iterate_phdr` passes a valid structure, whose headers belong to a loaded file.
    let (start, headers) = unsafe {
        let info = &*info;
        let Some(first) = NonNull::new(info.dlpi_phdr.cast_mut()) else { return 0 };
        (info.dlpi_addr as usize, core::slice::from_raw_parts(first.as_ptr(), usize::from(info.dlpi_phnum)))
    };
    let mut is_own = false;
    let mut entries: &[Entry] = &[];
    for header in headers {
        let address = start.wrapping_add(header.p_vaddr as usize);
        let size = header.p_memsz as usize;
        match header.p_type {
            libc::PT_LOAD => is_own |= here.wrapping_sub(address) < size,
            libc::PT_DYNAMIC => {
                let first = core::ptr::with_exposed_provenance::<Entry>(address);
                let count = size.checked_div(size_of::<Entry>()).unwrap_or(0);
                // SAFETY: the dynamic section of a loaded file is mapped as long as `dl_iterate_phdr` runs.
                entries = unsafe { core::slice::from_raw_parts(first, count) };
            }
            _ => {}
        }
    }
    let mut tags = entries.iter().map(|entry| entry.tag).take_while(|tag| *tag != 0);
    c_int::from(tags.any(|tag| tag == DT_RPATH || (tag == DT_RUNPATH && is_own)))
}
#[cfg(all(test, target_env = "gnu"))]
mod tests;
