//! The circumstances that drivers' results depend on, as text.

use vkload_core::memory::Text;
use vkload_core::platform::CacheFault;

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
    /// - `kernel`: release and version, and the name of the machine
    /// - `environment`: digest
    /// - `file`: path and identity of one of [`FILES`]
    /// - `folder`: path and identity of a folder in `LD_LIBRARY_PATH`
    /// - `node`, `device`, `pci`, `functions`, `nvidia`: see [`devices`]
    pub(super) fn lines(&self) -> Result<Text, CacheFault> {
        let mut lines = Lines::new(self.root);
        if !known(&mut lines, b"program", self.program, libc::S_IFREG) {
            lines.fail(CacheFault::NotFound);
        }
        lines.line(b"user");
        for id in self.ids {
            lines.number(' ', *id);
        }
        process::describe(&mut lines);
        for path in [b"/proc/version".as_slice(), b"/proc/sys/kernel/hostname"] {
            lines.content(b"kernel", &lines.read(&[path]), usize::MAX, usize::MAX);
        }
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
        for folder in search::folders(self.library_path) {
            known(&mut lines, b"folder", folder, libc::S_IFDIR);
        }
        devices::describe(&mut lines);
        lines.finish()
    }
}

/// Adds a line for the file `path` of `folder`, or one for each file in it if it is a folder.
fn files(lines: &mut Lines<'_>, folder: &[u8], path: &[u8]) {
    if known(lines, b"file", &lines.path(&[folder, path]), libc::S_IFREG) {
        return;
    }
    for name in &lines.names(&[folder, path]) {
        known(lines, b"file", &lines.path(&[folder, path, b"/", name]), libc::S_IFREG);
    }
}

/// Adds a line with the path and the identity of a file or folder, if one of this kind exists.
fn known(lines: &mut Lines<'_>, subject: &[u8], path: &[u8], kind: libc::mode_t) -> bool {
    match identity::of(path, kind) {
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

#[cfg(test)]
mod tests;
