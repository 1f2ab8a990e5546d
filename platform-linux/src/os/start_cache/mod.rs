//! What one start of a program leaves for the next one: a file in the user's cache folder, and the facts that it depends on.
//!
//! Nothing here opens a device node or reads a device's configuration: a device that sleeps goes on sleeping.

mod circumstances;
mod devices;
mod environment;
mod file;
mod hash;
mod identity;
mod lines;
mod search;

use core::ffi::CStr;

use loader_core::memory::{OutOfMemory, Text, TryGrow, Vec, text};
use loader_core::platform::{CacheFault, Environment, Identity, Library, Reader, StartCache};

use super::environment::ProcessEnvironment;
use super::identity::{Process, is_secure};
use circumstances::Facts;
use file::Place;

/// The cache of this process's user.
pub(crate) static USER_CACHE: UserCache = UserCache { root: b"", elevated: is_secure };

/// A user's cache.
pub(crate) struct UserCache {
    /// What the paths of the system's own files begin with. Empty but in tests.
    root: &'static [u8],
    /// Whether the process has more privileges than its user.
    elevated: fn() -> bool,
}

impl StartCache for UserCache {
    fn circumstances(&self) -> Result<Text, CacheFault> {
        let program = self.program()?;
        let groups = groups()?;
        let home = absolute(&ProcessEnvironment, c"HOME")?;
        // SAFETY: these calls have no preconditions and cannot fail.
        let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
        let facts = Facts {
            root: self.root,
            program: &program,
            user,
            group,
            groups: &groups,
            environment: environment::digest(environment::variables()),
            home: home.as_deref(),
        };
        facts.lines()
    }

    fn load(&self) -> Result<Text, CacheFault> {
        self.place()?.load()
    }

    fn keep(&self, content: &[u8]) -> Result<(), CacheFault> {
        self.place()?.keep(content)
    }

    fn forget(&self) {
        if let Ok(place) = self.place() {
            place.forget();
        }
    }

    fn file_of(&self, library: Library, name: &[u8]) -> Option<Text> {
        match name.iter().position(|byte| *byte == b'/') {
            Some(0) => text(&[name]).ok(),
            Some(_) => None,
            None => search::file_of(self.root, library),
        }
    }

    fn identity(&self, path: &[u8]) -> Option<Text> {
        text(&[&hash::hex(identity::of_file(path).ok()??)]).ok()
    }
}

impl UserCache {
    /// The path of the program, unless the process is elevated.
    fn program(&self) -> Result<Text, CacheFault> {
        if (self.elevated)() {
            return Err(CacheFault::Elevated);
        }
        Process.executable().map_err(out_of_memory)?.ok_or(CacheFault::NotFound)
    }

    fn place(&self) -> Result<Place, CacheFault> {
        Place::of(&ProcessEnvironment, &self.program()?)
    }
}

fn out_of_memory(_: OutOfMemory) -> CacheFault {
    CacheFault::OutOfMemory
}

/// The value of a variable that names a folder, if it is an absolute path. Elevated processes get none.
fn absolute(environment: &dyn Environment, name: &CStr) -> Result<Option<Text>, CacheFault> {
    let value = environment.variable(name, Reader::Secure).map_err(out_of_memory)?;
    Ok(value.filter(|value| value.starts_with(b"/")))
}

/// The supplementary groups of the process, which the kernel keeps in order.
fn groups() -> Result<Vec<libc::gid_t>, CacheFault> {
    let mut groups = Vec::new();
    // SAFETY: with a count of 0 nothing is written.
    let count = unsafe { libc::getgroups(0, core::ptr::null_mut()) };
    groups.try_resize(usize::try_from(count).unwrap_or(0), 0).map_err(out_of_memory)?;
    // SAFETY: the vector has `count` groups to write to. If there are more by now, the call fails.
    let count = unsafe { libc::getgroups(count.max(0), groups.as_mut_ptr()) };
    // Another thread changed them just now.
    groups.truncate(usize::try_from(count).map_err(|_| CacheFault::Changed)?);
    Ok(groups)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_elevated_process_neither_reads_nor_leaves_anything() {
        let elevated = UserCache { root: b"", elevated: || true };
        assert_eq!(elevated.load(), Err(CacheFault::Elevated));
        assert_eq!(elevated.keep(b"x"), Err(CacheFault::Elevated));
        assert_eq!(elevated.circumstances(), Err(CacheFault::Elevated));
        elevated.forget();
    }

    #[test]
    fn this_process_has_circumstances_and_they_stay() {
        let first = USER_CACHE.circumstances();
        if first == Err(CacheFault::Changed) || first == Err(CacheFault::NotFound) {
            std::eprintln!("skipped: a file of the system changed just now");
            return;
        }
        let first = first.unwrap();
        assert!(first.starts_with(b"program /"));
        assert!(first.ends_with(b"\n"));
        assert_eq!(USER_CACHE.circumstances().unwrap().as_slice(), first.as_slice());
    }

    #[test]
    fn a_library_named_by_an_absolute_path_came_from_there_and_a_relative_one_from_anywhere() {
        let library = Library(core::ptr::NonNull::dangling());
        let file_of = |name: &[u8]| USER_CACHE.file_of(library, name).map(|path| path.to_vec());
        assert_eq!(file_of(b"/opt/libx.so").as_deref(), Some(b"/opt/libx.so".as_slice()));
        assert_eq!(file_of(b"./libx.so"), None);
        assert_eq!(file_of(b"a/libx.so"), None);
    }
}
