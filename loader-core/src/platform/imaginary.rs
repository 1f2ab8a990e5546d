//! A system that exists only in tests: variables, folders and files in memory, and a call record.

use core::ffi::{CStr, c_void};
use core::ptr::NonNull;
use std::boxed::Box;
use std::collections::BTreeMap;
use std::string::{String, ToString};
use std::sync::{Mutex, MutexGuard};
use std::vec::Vec as StdVec;

use super::{
    Environment, FileError, Files, Fingerprint, Identity, Libraries, Library, LibraryKind, Platform, Reader,
    Waiting,
};
use super::{Level, LogSink};
use crate::memory::{OutOfMemory, Text, TryGrow, Vec, text};

#[derive(Default)]
pub(crate) struct Imaginary(Mutex<World>);

#[derive(Default)]
struct World {
    variables: BTreeMap<String, String>,
    elevated: bool,
    executable: Option<String>,
    blurred: bool,
    lists_what_exists: bool,
    nodes: BTreeMap<String, Node>,
    clock: i64,
    calls: StdVec<String>,
    libraries: BTreeMap<String, Symbols>,
    open: StdVec<Symbols>,
}

pub(crate) type Symbols = fn(&CStr) -> Option<NonNull<c_void>>;

struct Node {
    content: Content,
    number: u64,
    changed: i64,
}

enum Content {
    Folder,
    File(StdVec<u8>),
    /// Another name for the file at this path.
    Link(String),
    /// Fails with this error when read or listed.
    Failing(FileError),
}

impl Imaginary {
    pub(crate) fn new() -> &'static Self {
        Box::leak(Box::default())
    }

    pub(crate) fn platform(&'static self) -> Platform {
        Platform {
            environment: self,
            files: self,
            libraries: self,
            identity: self,
            log: self,
            waiting: self,
            abort: std::process::abort,
            windows: None,
        }
    }

    pub(crate) fn set(&self, variable: &str, value: &str) -> &Self {
        self.world().variables.insert(variable.to_string(), value.to_string());
        self
    }

    pub(crate) fn unset(&self, variable: &str) -> &Self {
        self.world().variables.remove(variable);
        self
    }

    pub(crate) fn elevate(&self) -> &Self {
        self.world().elevated = true;
        self
    }

    pub(crate) fn run(&self, executable: &str) -> &Self {
        self.world().executable = Some(executable.to_string());
        self
    }

    /// Removes the fingerprints of all paths from now on.
    pub(crate) fn blur(&self) -> &Self {
        self.world().blurred = true;
        self
    }

    /// From now on, only folders that exist can be listed, as far as the loader knows.
    pub(crate) fn list_what_exists(&self) -> &Self {
        self.world().lists_what_exists = true;
        self
    }

    pub(crate) fn file(&self, path: &str, content: impl AsRef<[u8]>) -> &Self {
        self.world().put(path, Content::File(content.as_ref().to_vec()));
        self
    }

    pub(crate) fn folder(&self, path: &str) -> &Self {
        self.world().put(path, Content::Folder);
        self
    }

    pub(crate) fn link(&self, path: &str, target: &str) -> &Self {
        self.world().put(path, Content::Link(target.to_string()));
        self
    }

    pub(crate) fn failing(&self, path: &str, error: FileError) -> &Self {
        self.world().put(path, Content::Failing(error));
        self
    }

    pub(crate) fn library(&self, path: &str, symbols: Symbols) -> &Self {
        self.file(path, "").world().libraries.insert(path.to_string(), symbols);
        self
    }

    /// Returns the number of open libraries, each counted as often as it was opened.
    pub(crate) fn open_libraries(&self) -> usize {
        self.world().open.len()
    }

    pub(crate) fn remove(&self, path: &str) -> &Self {
        let mut world = self.world();
        world.nodes.remove(path);
        world.touch(parent(path));
        drop(world);
        self
    }

    /// Returns the calls since the last call of this method: each a name, a blank and its argument.
    pub(crate) fn calls(&self) -> StdVec<String> {
        core::mem::take(&mut self.world().calls)
    }

    fn world(&self) -> MutexGuard<'_, World> {
        self.0.lock().unwrap()
    }

    fn enter(&self, call: &str, about: &[u8]) -> (MutexGuard<'_, World>, String) {
        let about = String::from_utf8_lossy(about).into_owned();
        let mut world = self.world();
        world.calls.push(std::format!("{call} {about}"));
        (world, about)
    }
}

impl World {
    fn put(&mut self, path: &str, content: Content) {
        let folder = parent(path);
        if !folder.is_empty() && !self.nodes.contains_key(folder) {
            self.put(folder, Content::Folder);
        }
        self.clock += 1;
        let (changed, fresh) = (self.clock, self.clock.unsigned_abs());
        let number = self.nodes.get(path).map(|node| node.number);
        self.nodes.insert(path.to_string(), Node { content, number: number.unwrap_or(fresh), changed });
        if number.is_none() {
            self.touch(folder);
        }
    }

    fn touch(&mut self, path: &str) {
        self.clock += 1;
        if let Some(node) = self.nodes.get_mut(path) {
            node.changed = self.clock;
        }
    }

    fn node(&self, path: &str) -> Result<&Node, FileError> {
        match self.nodes.get(path) {
            Some(Node { content: Content::Link(target), .. }) => self.node(target),
            Some(node) => Ok(node),
            None => Err(FileError::NotFound),
        }
    }
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

impl Environment for Imaginary {
    fn variable(&self, name: &CStr, reader: Reader) -> Result<Option<Text>, OutOfMemory> {
        let (world, name) = self.enter("variable", name.to_bytes());
        let hidden = reader == Reader::Secure && world.elevated;
        let value = world.variables.get(&name).filter(|_| !hidden);
        value.map(|value| text(&[value.as_bytes()])).transpose()
    }
}

impl Files for Imaginary {
    fn list(&self, path: &[u8]) -> Result<Vec<Text>, FileError> {
        let (world, path) = self.enter("list", path);
        match &world.node(&path)?.content {
            Content::Folder => {}
            Content::Failing(error) => return Err(*error),
            _ => return Err(FileError::Other(20)),
        }
        let mut names = Vec::new();
        // In reverse order, so that no code relies on the order.
        for inside in world.nodes.keys().rev().filter(|inside| parent(inside) == path) {
            names.try_push(text(&[inside.rsplit('/').next().unwrap().as_bytes()])?)?;
        }
        Ok(names)
    }

    fn read(&self, path: &[u8], limit: usize) -> Result<Text, FileError> {
        let (world, path) = self.enter("read", path);
        match &world.node(&path)?.content {
            Content::File(content) if content.len() > limit => Err(FileError::TooLarge),
            Content::File(content) => Ok(text(&[content])?),
            Content::Failing(error) => Err(*error),
            _ => Err(FileError::NotAFile),
        }
    }

    fn exists(&self, path: &[u8]) -> bool {
        let (world, path) = self.enter("exists", path);
        world.node(&path).is_ok()
    }

    fn lists_what_exists(&self) -> bool {
        self.world().lists_what_exists
    }

    fn fingerprint(&self, path: &[u8]) -> Option<Fingerprint> {
        let (world, path) = self.enter("fingerprint", path);
        let node = world.node(&path).ok().filter(|_| !world.blurred)?;
        Some(Fingerprint { identity: (1, node.number), size: 0, changed: (node.changed, node.changed) })
    }
}

impl Identity for Imaginary {
    fn elevated(&self) -> bool {
        self.world().elevated
    }

    fn executable(&self) -> Result<Option<Text>, OutOfMemory> {
        let (world, _) = self.enter("executable", b"");
        world.executable.as_ref().map(|path| text(&[path.as_bytes()])).transpose()
    }
}

impl Libraries for Imaginary {
    fn open(&self, path: &[u8], _: LibraryKind) -> Result<Library, Text> {
        let (mut world, path) = self.enter("open", path);
        let symbols = *world.libraries.get(&path).ok_or(Vec::new())?;
        world.open.push(symbols);
        Ok(Library(NonNull::new(symbols as *mut c_void).unwrap()))
    }

    fn symbol(&self, library: Library, name: &CStr) -> Option<NonNull<c_void>> {
        // SAFETY: `open` created the library from a function of this type.
        let symbols = unsafe { core::mem::transmute::<*mut c_void, Symbols>(library.0.as_ptr()) };
        symbols(name)
    }

    unsafe fn close(&self, library: Library) {
        let mut world = self.world();
        let index = world.open.iter().position(|open| *open as *mut c_void == library.0.as_ptr()).unwrap();
        world.open.swap_remove(index);
    }
}

impl LogSink for Imaginary {
    fn write(&self, _: Level, _: &[u8]) {}
}

impl Waiting for Imaginary {
    fn wait(&self, _: u32) {}

    fn thread(&self) -> usize {
        core::ptr::from_ref(self).addr()
    }
}

/// The threads of this process, which wait by letting others run.
pub(crate) struct Threads;

impl Waiting for Threads {
    fn wait(&self, _: u32) {
        std::thread::yield_now();
    }

    fn thread(&self) -> usize {
        std::thread_local!(static LOCAL: usize = const { 0 });
        LOCAL.with(|local| core::ptr::from_ref(local).addr())
    }
}
