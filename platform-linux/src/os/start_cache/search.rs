//! Finds the file that the dynamic linker has opened for a bare name, and whether it would find the same one
//! again.

#[cfg(target_env = "gnu")]
use vkload_core::memory::Callback;
use vkload_core::memory::Text;
#[cfg(target_env = "gnu")]
use vkload_core::memory::text;
#[cfg(target_env = "gnu")]
use vkload_core::platform::Files;
use vkload_core::platform::Library;

#[cfg(target_env = "gnu")]
use super::super::files::FileSystem;
#[cfg(target_env = "gnu")]
use super::super::libraries::path_of;
#[cfg(target_env = "gnu")]
use super::identity::of_folder;
#[cfg(target_env = "gnu")]
use super::lines::{Lines, any_part};

/// Adds a line for each folder in `library_path`, which the dynamic linker searches before its list: its path and its state.
#[cfg(target_env = "gnu")]
pub(super) fn describe(lines: &mut Lines<'_>, library_path: &[u8]) {
    any_folder(library_path, &mut |folder: &[u8]| {
        match of_folder(folder) {
            Ok(None) => {}
            Ok(Some(identity)) => {
                lines.line(b"folder");
                lines.word(folder);
                lines.hash(identity);
            }
            Err(fault) => lines.fail(fault),
        }
        false
    });
}

/// Returns the path of an open library that was looked up by a bare name, if only a change that shows in the
/// circumstances can lead to another file: it is in a folder of `LD_LIBRARY_PATH` or in the dynamic linker's
/// list, and no other folder is searched before.
#[cfg(target_env = "gnu")]
pub(super) fn file_of(root: &[u8], library: Library, library_path: &[u8]) -> Option<Text> {
    // SAFETY: callers pass a library that stays open meanwhile.
    let path = unsafe { path_of(library) }?;
    if any_folder(library_path, &mut is_unclear) || glibc::searches_own_folders() {
        return None;
    }
    let folder = path.get(..path.iter().rposition(|byte| *byte == b'/')?)?;
    let is_known =
        any_folder(library_path, &mut |searched: &[u8]| searched == folder) || is_listed(root, path);
    if is_known { text(&[path]).ok() } else { None }
}

/// Returns whether `is` accepts a folder in `library_path`.
#[cfg(target_env = "gnu")]
fn any_folder(library_path: &[u8], is: &mut dyn for<'a> Callback<&'a [u8], bool>) -> bool {
    !library_path.is_empty()
        && library_path.split(|byte| matches!(byte, b':' | b';')).any(|folder| is.call(folder))
}

/// The subfolders that glibc's dynamic linker prefers, depending on the processor. Before 2.37 these are
/// `tls` and the names of processors and of their features, alone and nested. The kernel's name for the
/// processor is one more.
#[cfg(target_env = "gnu")]
const SUBFOLDERS: &[u8] =
    b"glibc-hwcaps tls x86_64 haswell xeon_phi avx512_1 sse2 i386 i486 i586 i686 vfp neon atomics";

/// Returns whether a folder's own state does not determine the result of a search in it: the folder may
/// depend on the location of the program, or have subfolders for some processors.
#[cfg(target_env = "gnu")]
fn is_unclear(folder: &[u8]) -> bool {
    let is_there =
        |name: &[u8]| text(&[folder, b"/", name]).map_or(true, |subfolder| FileSystem.exists(&subfolder));
    let is_processor_there = || glibc::processor().is_some_and(is_there);
    !folder.starts_with(b"/")
        || any_part(SUBFOLDERS, b' ', &mut |name: &[u8]| is_there(name))
        || is_processor_there()
}

/// Returns whether the dynamic linker's list has this path.
#[cfg(target_env = "gnu")]
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

/// No library is known by such a folder.
#[cfg(not(target_env = "gnu"))]
pub(super) fn describe(_: &mut super::lines::Lines<'_>, _: &[u8]) {}

/// With other C libraries a name may lead to a new file in any folder of the search.
#[cfg(not(target_env = "gnu"))]
pub(super) fn file_of(_: &[u8], _: Library, _: &[u8]) -> Option<Text> {
    None
}

#[cfg(target_env = "gnu")]
mod glibc {
    use core::ffi::{CStr, c_char, c_int, c_void};
    use core::ptr::NonNull;

    /// One entry of a dynamic section.
    #[repr(C)]
    struct Entry {
        tag: usize,
        value: usize,
    }

    /// Returns the kernel's name for the processor.
    pub(super) fn processor() -> Option<&'static [u8]> {
        // SAFETY: `getauxval` only reads the auxiliary vector; a missing entry reads as 0.
        let name = unsafe { libc::getauxval(libc::AT_PLATFORM) } as usize;
        let name = core::ptr::with_exposed_provenance::<c_char>(name);
        // SAFETY: the kernel has put the name, a C string, into the memory of the process, where it stays.
        (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) }.to_bytes())
    }

    /// Returns whether the dynamic linker may search folders named in the program or in a library before its
    /// list, when this loader opens a library. That is so with `DT_RUNPATH` in the file that contains the
    /// loader, or with `DT_RPATH` in any loaded file, since any of them may have loaded the loader.
    pub(super) fn searches_own_folders() -> bool {
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
            (
                info.dlpi_addr as usize,
                core::slice::from_raw_parts(first.as_ptr(), usize::from(info.dlpi_phnum)),
            )
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
}

#[cfg(all(test, target_env = "gnu"))]
mod tests;
