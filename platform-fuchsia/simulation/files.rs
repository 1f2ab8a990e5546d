//! Files: the namespace of the process, and the loader service's folder of manifests.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CStr, c_int};
use std::sync::{Arc, MutexGuard};

use crate::{Descriptor, ErrorNumber, FileState, FileSystem};

use super::memory::Content;
use super::{Failure, Simulation, World};

/// The service's manifests among the files. No path of the namespace leads there.
pub(crate) const MANIFESTS: &str = "manifests";

/// The first descriptor, high enough that none can pass for one of this machine.
const FIRST: Descriptor = 1000;

#[derive(Default)]
pub(crate) struct Tree {
    files: BTreeMap<String, Arc<Content>>,
    open: BTreeMap<Descriptor, Open>,
    last: Descriptor,
}

struct Open {
    path: String,
    read: usize,
}

impl Tree {
    pub(crate) fn add(&mut self, path: &str, content: Arc<Content>) {
        self.files.insert(path.to_owned(), content);
    }

    pub(crate) fn content(&self, path: &str) -> Option<Arc<Content>> {
        self.files.get(path).cloned()
    }

    pub(crate) fn open(&mut self, path: &str) -> Option<Descriptor> {
        self.has(path).then(|| {
            self.last += 1;
            self.open.insert(FIRST + self.last, Open { path: path.to_owned(), read: 0 });
            FIRST + self.last
        })
    }

    pub(crate) fn path(&self, file: Descriptor) -> Option<&str> {
        self.open.get(&file).map(|open| open.path.as_str())
    }

    pub(crate) fn open_paths(&self) -> Vec<String> {
        self.open.values().map(|open| open.path.clone()).collect()
    }

    /// Closes a file, and panics if it is not open: that is a mistake of the caller.
    pub(crate) fn close(&mut self, file: Descriptor) {
        assert!(self.open.remove(&file).is_some(), "descriptor {file} is closed twice");
    }

    fn has(&self, path: &str) -> bool {
        self.files.contains_key(path) || path == MANIFESTS || self.names(path).next().is_some()
    }

    /// Returns the full path of `path`, relative to the folder `at`.
    fn resolve(&self, at: Descriptor, path: &CStr) -> Result<String, ErrorNumber> {
        let path = path.to_str().map_err(|_| ErrorNumber(libc::ENOENT))?;
        let full = match (at, path) {
            (libc::AT_FDCWD, path) => path.to_owned(),
            (at, path) => {
                let folder = self.path(at).ok_or(ErrorNumber(libc::EBADF))?;
                if path == "." { folder.to_owned() } else { format!("{folder}/{path}") }
            }
        };
        if self.has(&full) { Ok(full) } else { Err(ErrorNumber(libc::ENOENT)) }
    }

    /// Returns the first component of every path below a folder.
    fn names<'a>(&'a self, folder: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        let folder = format!("{}/", folder.trim_end_matches('/'));
        let below = self.files.keys().filter_map(move |path| path.strip_prefix(&folder));
        below.map(|path| path.split('/').next().unwrap_or_default())
    }
}

impl Simulation {
    fn enter_file(&self, call: &str, about: &[u8]) -> Result<MutexGuard<'_, World>, ErrorNumber> {
        self.enter(call, about).map_err(Failure::of_files)
    }
}

impl FileSystem for Simulation {
    fn open(&self, at: Descriptor, path: &CStr, flags: c_int) -> Result<Descriptor, ErrorNumber> {
        let mut world = self.enter_file("openat", path.to_bytes())?;
        let path = world.tree.resolve(at, path)?;
        if flags & libc::O_DIRECTORY != 0 && world.tree.content(&path).is_some() {
            return Err(ErrorNumber(libc::ENOTDIR));
        }
        world.tree.open(&path).ok_or(ErrorNumber(libc::ENOENT))
    }

    fn access(&self, at: Descriptor, path: &CStr) -> Result<(), ErrorNumber> {
        self.enter_file("faccessat", path.to_bytes())?.tree.resolve(at, path).map(drop)
    }

    fn state(&self, file: Descriptor) -> Result<FileState, ErrorNumber> {
        let world = self.enter_file("fstat", b"")?;
        let path = world.tree.path(file).ok_or(ErrorNumber(libc::EBADF))?;
        let content = world.tree.content(path);
        let index = world.tree.files.keys().position(|other| other == path).unwrap_or(usize::MAX);
        Ok(FileState {
            is_file: content.is_some(),
            size: content.map_or(0, |content| content.bytes.len() as u64),
            identity: (1, index as u64),
            changed: 1,
        })
    }

    fn read(&self, file: Descriptor, room: &mut [u8]) -> Result<usize, ErrorNumber> {
        let mut world = self.enter_file("read", b"")?;
        let path = world.tree.path(file).ok_or(ErrorNumber(libc::EBADF))?;
        let content = world.tree.content(path).ok_or(ErrorNumber(libc::EISDIR))?;
        let open = world.tree.open.get_mut(&file).ok_or(ErrorNumber(libc::EBADF))?;
        // Never everything at once, so that readers must continue.
        let rest = &content.bytes[open.read..];
        let got = rest.len().min(room.len()).min(rest.len() / 2 + 1);
        room[..got].copy_from_slice(&rest[..got]);
        open.read += got;
        Ok(got)
    }

    fn list(&self, folder: Descriptor, take: &mut dyn FnMut(&[u8])) -> Result<(), ErrorNumber> {
        let begun = self.enter_file("fdopendir", b"").map(|world| {
            let path = world.tree.path(folder).unwrap_or_default();
            world.tree.names(path).map(str::to_owned).collect::<BTreeSet<_>>()
        });
        FileSystem::close(self, folder);
        take(b".");
        for name in begun? {
            drop(self.enter_file("readdir", b"")?);
            take(name.as_bytes());
        }
        Ok(())
    }

    fn close(&self, file: Descriptor) {
        self.world().tree.close(file);
    }
}
