//! What drivers' answers depend on, as text.

use core::ffi::CStr;
use core::mem::MaybeUninit;

use loader_core::memory::{Text, Vec, sort_by, text};
use loader_core::platform::{CacheFault, FileError, Files};

use super::super::files::FileSystem;
use super::lines::Lines;
use super::{devices, identity, out_of_memory};

/// Where drivers of Mesa and NVIDIA read what to do for which program: files, and folders of files.
const SETTINGS: [&[u8]; 4] = [b"/etc/drirc", b"/usr/share/drirc.d", b"/etc/drirc.d", b"/etc/nvidia"];
const SETTINGS_AT_HOME: [&[u8]; 2] = [b"/.drirc", b"/.nv/nvidia-application-profiles-rc"];

/// What the process itself knows.
pub(super) struct Facts<'a> {
    /// What the paths of the system's own files begin with. Empty but in tests.
    pub(super) root: &'a [u8],
    /// The path of the program.
    pub(super) program: &'a [u8],
    pub(super) user: libc::uid_t,
    pub(super) group: libc::gid_t,
    /// The supplementary groups, in order.
    pub(super) groups: &'a [libc::gid_t],
    /// The digest of the environment.
    pub(super) environment: [u64; 2],
    /// The user's folder.
    pub(super) home: Option<&'a [u8]>,
}

impl Facts<'_> {
    /// These facts and those of the system. Each line begins with its subject:
    ///
    /// - `program`: path and identity
    /// - `user`: user, group and supplementary groups
    /// - `kernel`: release, version, machine and host
    /// - `environment`: digest
    /// - `file`: path and identity of a file outside of drivers: the dynamic linker's cache, settings of drivers
    /// - `node`, `device`, `pci`, `functions`, `nvidia`: see [`devices`]
    pub(super) fn lines(&self) -> Result<Text, CacheFault> {
        let mut lines = Lines::new();
        lines.line(b"program");
        lines.word(self.program);
        lines.hash(identity::of_file(self.program)?.ok_or(CacheFault::NotFound)?);
        lines.line(b"user");
        for id in [self.user, self.group].iter().chain(self.groups) {
            lines.number(b' ', u64::from(*id), 10);
        }
        kernel(&mut lines)?;
        lines.line(b"environment");
        for half in self.environment {
            lines.hash(half);
        }
        #[cfg(target_env = "gnu")]
        files(&mut lines, self.root, super::search::LINKER_CACHE)?;
        for path in SETTINGS {
            files(&mut lines, self.root, path)?;
        }
        for path in SETTINGS_AT_HOME {
            if let Some(home) = self.home {
                files(&mut lines, home, path)?;
            }
        }
        devices::describe(&mut lines, self.root)?;
        lines.finish()
    }
}

/// Adds a line for the file `path`, or one for each file in the folder `path`.
fn files(lines: &mut Lines, root: &[u8], path: &[u8]) -> Result<(), CacheFault> {
    let path = text(&[root, path]).map_err(out_of_memory)?;
    if file(lines, &path)? {
        return Ok(());
    }
    for name in names(lines, &path) {
        file(lines, &text(&[&path, b"/", &name]).map_err(out_of_memory)?)?;
    }
    Ok(())
}

fn file(lines: &mut Lines, path: &[u8]) -> Result<bool, CacheFault> {
    let Some(identity) = identity::of_file(path)? else { return Ok(false) };
    lines.line(b"file");
    lines.word(path);
    lines.hash(identity);
    Ok(true)
}

/// The names in a folder in order, none if there is no such folder.
pub(super) fn names(lines: &mut Lines, folder: &[u8]) -> Vec<Text> {
    let found = match FileSystem.list(folder) {
        // It is a file.
        Err(FileError::Other(libc::ENOTDIR)) => Ok(Vec::new()),
        other => other,
    };
    let mut names = lines.there(found).unwrap_or_default();
    sort_by(&mut names, |one, other| one.as_slice().cmp(other));
    names
}

fn kernel(lines: &mut Lines) -> Result<(), CacheFault> {
    let mut names = MaybeUninit::<libc::utsname>::uninit();
    // SAFETY: the structure is writable.
    if unsafe { libc::uname(names.as_mut_ptr()) } != 0 {
        return Err(CacheFault::System(super::super::errno()));
    }
    // SAFETY: `uname` returned 0, so it has filled the structure.
    let names = unsafe { names.assume_init() };
    lines.line(b"kernel");
    for name in [&names.release, &names.version, &names.machine, &names.nodename] {
        // SAFETY: each name ends with NUL.
        lines.word(unsafe { CStr::from_ptr(name.as_ptr()) }.to_bytes());
    }
    Ok(())
}
