//! The circumstances that drivers' results depend on, as text.

use core::ffi::CStr;
use core::mem::MaybeUninit;

use vkload_core::memory::Text;
use vkload_core::platform::CacheFault;

use super::super::errno;
use super::lines::{Lines, any_part};
use super::{devices, identity, process, search};

/// Files, and folders of files, that do not belong to drivers: the list that glibc's dynamic linker searches,
/// and the application profiles of the Mesa and NVIDIA drivers.
const FILES: &[u8] = b"/etc/ld.so.cache /etc/drirc /usr/share/drirc.d /etc/nvidia";
/// The same in the user's folder.
const FILES_AT_HOME: &[u8] = b"/.drirc /.nv/nvidia-application-profiles-rc";

/// Facts that the process itself knows.
pub(super) struct Facts<'a> {
    /// A prefix for the file paths below. Empty except in tests.
    pub(super) root: &'a [u8],
    /// The path of the program.
    pub(super) program: &'a [u8],
    /// The user, the group and the supplementary groups in order.
    pub(super) ids: &'a [libc::gid_t],
    /// The digest of the environment.
    pub(super) environment: [u64; 2],
    /// The user's folder.
    pub(super) home: &'a [u8],
    /// The value of `LD_LIBRARY_PATH`.
    pub(super) library_path: &'a [u8],
}

impl Facts<'_> {
    /// Adds these facts and facts about the system. Each line begins with its subject:
    ///
    /// - `program`: path and identity
    /// - `user`: user, group and supplementary groups
    /// - `limits`, `rights`, `label`, `group`, `namespaces`: see [`process`]
    /// - `kernel`: release, version, machine and host
    /// - `environment`: digest
    /// - `file`: path and identity of one of [`FILES`]
    /// - `folder`: path and state of a folder in `LD_LIBRARY_PATH`
    /// - `node`, `device`, `pci`, `functions`, `nvidia`: see [`devices`]
    pub(super) fn lines(&self) -> Result<Text, CacheFault> {
        let mut lines = Lines::new(self.root);
        if !file(&mut lines, b"program", self.program) {
            lines.fail(CacheFault::NotFound);
        }
        lines.line(b"user");
        for id in self.ids {
            lines.number(b' ', *id);
        }
        process::describe(&mut lines);
        kernel(&mut lines);
        lines.line(b"environment");
        for half in self.environment {
            lines.hash(half);
        }
        for (folder, paths) in [(b"".as_slice(), FILES), (self.home, FILES_AT_HOME)] {
            any_part(paths, b' ', &mut |path: &[u8]| {
                files(&mut lines, folder, path);
                false
            });
        }
        search::describe(&mut lines, self.library_path);
        devices::describe(&mut lines);
        lines.finish()
    }
}

/// Adds a line for the file `path` of `folder`, or one for each file in it if it is a folder.
fn files(lines: &mut Lines<'_>, folder: &[u8], path: &[u8]) {
    if file(lines, b"file", &lines.path(&[folder, path])) {
        return;
    }
    for name in &lines.names(&[folder, path]) {
        file(lines, b"file", &lines.path(&[folder, path, b"/", name]));
    }
}

/// Adds a line with the path and the identity of a file, if the file exists.
fn file(lines: &mut Lines<'_>, subject: &[u8], path: &[u8]) -> bool {
    match identity::of_file(path) {
        Ok(None) => return false,
        Ok(Some(identity)) => {
            lines.line(subject);
            lines.word(path);
            lines.hash(identity);
        }
        Err(fault) => lines.fail(fault),
    }
    true
}

fn kernel(lines: &mut Lines<'_>) {
    let mut names = MaybeUninit::<libc::utsname>::uninit();
    // SAFETY: the structure is writable.
    if unsafe { libc::uname(names.as_mut_ptr()) } != 0 {
        return lines.fail(CacheFault::System(errno()));
    }
    // SAFETY: `uname` returned 0, so it has filled the structure.
    let names = unsafe { names.assume_init_ref() };
    lines.line(b"kernel");
    for name in [&names.release, &names.version, &names.machine, &names.nodename] {
        // SAFETY: each name is NUL-terminated.
        lines.word(unsafe { CStr::from_ptr(name.as_ptr()) }.to_bytes());
    }
}

#[cfg(test)]
mod tests;
