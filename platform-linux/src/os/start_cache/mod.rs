//! The file that one start of a program leaves for the next one, in the user's cache folder, and the facts
//! that it depends on.
//!
//! Nothing here opens a device node or reads a device's configuration, so a suspended device stays suspended.

mod circumstances;
mod devices;
mod environment;
mod file;
mod identity;
mod lines;
mod process;
mod search;
#[cfg(test)]
mod starting;

use vkload_core::memory::{OutOfMemory, Text, TryGrow, Vec, text};
use vkload_core::platform::{CacheFault, Identity, Library, Moment, StartCache, Variable, hash, variables};

use super::identity::Process;
use crate::PLATFORM;
use circumstances::Facts;
use file::CacheFile;

/// The cache of this process's user.
pub(crate) static USER_CACHE: UserCache = UserCache { root: b"" };

/// A user's cache.
pub(crate) struct UserCache {
    /// A prefix for the paths of the system's own files. Empty except in tests.
    root: &'static [u8],
}

impl StartCache for UserCache {
    fn circumstances(&self) -> Result<Text, CacheFault> {
        let program = program()?;
        let ids = ids()?;
        let home = absolute(variables::HOME, b"")?.unwrap_or_default();
        let environment = environment::digest(environment::variables());
        let library_path = environment::library_path();
        Facts { root: self.root, program: &program, ids: &ids, environment, home: &home, library_path }
            .lines()
    }

    fn load(&self) -> Result<Text, CacheFault> {
        file()?.load()
    }

    fn keep(&self, content: &[u8]) -> Result<(), CacheFault> {
        file()?.keep(content)
    }

    fn forget(&self) {
        if let Ok(file) = file() {
            file.forget();
        }
    }

    fn file_of(&self, library: Library, name: &[u8]) -> Option<Text> {
        match name.iter().position(|byte| *byte == b'/') {
            Some(0) => text(&[name]).ok(),
            Some(_) => None,
            None => search::file_of(self.root, library, environment::library_path()),
        }
    }

    fn moment(&self) -> Moment {
        // SAFETY: `getpid` has no preconditions.
        let process = unsafe { libc::getpid() }.cast_unsigned();
        Moment { seconds: super::state::seconds(), process }
    }

    fn identity(&self, path: &[u8]) -> Option<Text> {
        text(&[&hash::hex(identity::of(path, libc::S_IFREG).ok()??)]).ok()
    }
}

/// Returns the path of the program.
fn program() -> Result<Text, CacheFault> {
    Process.executable().map_err(out_of_memory)?.ok_or(CacheFault::NotFound)
}

/// Returns the location of the program's file, in `$XDG_CACHE_HOME/vkload` or in `$HOME/.cache/vkload`.
fn file() -> Result<CacheFile, CacheFault> {
    let program = program()?;
    let folders = [(variables::XDG_CACHE_HOME, b"/vkload".as_slice()), (variables::HOME, b"/.cache/vkload")];
    for (variable, rest) in folders {
        if let Some(folder) = absolute(variable, rest)? {
            return CacheFile::of(folder, &program).map_err(out_of_memory);
        }
    }
    Err(CacheFault::NoFolder)
}

fn out_of_memory(_: OutOfMemory) -> CacheFault {
    CacheFault::OutOfMemory
}

/// Returns the absolute path in a variable, followed by `rest`. Elevated processes get none.
fn absolute(variable: Variable, rest: &[u8]) -> Result<Option<Text>, CacheFault> {
    let value = PLATFORM.variable(variable).map_err(out_of_memory)?;
    let Some(mut path) = value.filter(|value| value.starts_with(b"/")) else { return Ok(None) };
    path.try_extend(rest).map_err(out_of_memory)?;
    Ok(Some(path))
}

/// Returns the user, the group, and the supplementary groups, which the kernel keeps in order.
fn ids() -> Result<Vec<libc::gid_t>, CacheFault> {
    // SAFETY: these calls have no preconditions. With a count of 0 nothing is written.
    let (user, group, count) =
        unsafe { (libc::geteuid(), libc::getegid(), libc::getgroups(0, core::ptr::null_mut())) };
    let mut ids = Vec::new();
    ids.try_resize(usize::try_from(count).unwrap_or(0).saturating_add(2), user).map_err(out_of_memory)?;
    if let Some((second, groups)) = ids.get_mut(1..).and_then(<[_]>::split_first_mut) {
        *second = group;
        // SAFETY: the array holds `count` groups. If the number has changed since, the result differs.
        if unsafe { libc::getgroups(count.max(0), groups.as_mut_ptr()) } != count {
            return Err(CacheFault::Changed);
        }
    }
    Ok(ids)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        match USER_CACHE.circumstances() {
            Err(CacheFault::Changed) => std::eprintln!("skipped: a file of the system changed just now"),
            again => assert_eq!(again.unwrap().as_slice(), first.as_slice()),
        }
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
