//! How an application's driver is opened: through a linker namespace of its own, if the system
//! creates some for applications, else through the application's.
//!
//! In its own, the driver's dependencies are looked up in its folder first and do not get in anybody
//! else's way. Everything in the application's namespace is available too. Without one, the other
//! libraries of a package are opened first.

use core::ffi::CStr;

use loader_core::memory::{OutOfMemory, Text, TryGrow, Vec, format_into, text};

use super::Apk;
use super::c_path::c_path;
use super::drivers::{NotReady, Refusal};
use crate::layers::{OnDisk, elf};
use crate::system::{Door, Library, Namespace, NamespaceRequest};

/// The namespace name in the linker's messages.
const NAME: &CStr = c"vkload-driver";

/// An opened library.
pub(super) struct Opened {
    pub(super) library: Library,
    /// Why it is in the application's namespace; `None` if it has its own.
    pub(super) not_apart: Option<Text>,
}

impl Apk {
    /// Opens a driver's library. If it comes from a package, nothing but its libraries is in its
    /// folder.
    ///
    /// # Errors
    /// Why it does not open.
    pub(super) fn open_driver(&self, path: &[u8], from_package: bool) -> Result<Opened, NotReady> {
        let c = c_path(path)?;
        let not_apart = match self.namespace_for(path)? {
            Ok(namespace) => match self.system.open(c.as_c(), Door::Namespace(namespace)) {
                Ok(library) => return Ok(Opened { library, not_apart: None }),
                Err(words) => text(&[b"it does not open in one of its own: ", &words])?,
            },
            Err(reason) => reason,
        };
        let mut result = self.system.open(c.as_c(), Door::Linker);
        if result.is_err() && from_package {
            result = self.open_after_neighbours(path, c.as_c())?;
        }
        match result {
            Ok(library) => Ok(Opened { library, not_apart: Some(not_apart) }),
            Err(words) => Err(self.why_closed(path, words)?.into()),
        }
    }

    /// Opens a library after the others of its folder. The linker does not look there for what a
    /// library needs, but finds what is open by its name. They are opened until none more opens,
    /// since they may need each other, and stay open with the driver.
    fn open_after_neighbours(&self, path: &[u8], c: &CStr) -> Result<Result<Library, Text>, OutOfMemory> {
        let mut waiting = self.neighbours(path)?;
        let mut open = Vec::new();
        loop {
            let before = open.len();
            let mut rest = Vec::new();
            for neighbour in waiting {
                match self.system.open(c_path(&neighbour)?.as_c(), Door::Linker) {
                    Ok(library) => open.try_push(library)?,
                    Err(_) => rest.try_push(neighbour)?,
                }
            }
            waiting = rest;
            if open.len() == before || waiting.is_empty() {
                break;
            }
        }
        let result = self.system.open(c, Door::Linker);
        if result.is_err() {
            for library in open.iter().rev() {
                // SAFETY: the library was opened here, and nobody has an address in it.
                unsafe { self.system.close(*library) };
            }
        }
        Ok(result)
    }

    /// The paths of the other libraries in the folder of this one.
    fn neighbours(&self, path: &[u8]) -> Result<Vec<Text>, OutOfMemory> {
        let mut found = Vec::new();
        let slash = path.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
        let (folder, own) = path.split_at_checked(slash).unwrap_or_default();
        let Ok(names) = self.system.list(c_path(folder)?.as_c()) else { return Ok(found) };
        for name in names.iter().filter(|name| name.ends_with(b".so") && own.get(1..) != Some(name)) {
            found.try_push(text(&[folder, b"/", name])?)?;
        }
        Ok(found)
    }

    /// The namespace for a library, or why there is none. There is one per folder: the system never
    /// takes one back.
    fn namespace_for(&self, path: &[u8]) -> Result<Result<Namespace, Text>, OutOfMemory> {
        let slash = path.iter().rposition(|byte| *byte == b'/');
        let Some(folder) = slash.and_then(|slash| path.get(..slash)) else {
            return Ok(Err(text(&[b"it is named without a folder, in which that would look"])?));
        };
        let known = {
            let state = self.state.lock(self.system);
            state.namespaces.iter().find(|(of, _)| of.as_slice() == folder).map(|(_, namespace)| *namespace)
        };
        if let Some(namespace) = known {
            return Ok(Ok(namespace));
        }
        let c = c_path(folder)?;
        let made =
            self.system.namespace(&NamespaceRequest { name: NAME, folder: c.as_c(), permitted: c.as_c() });
        if let Ok(namespace) = made {
            // One thread at a time configures: nobody else changes the list meanwhile.
            let mut larger = Vec::new();
            let mut state = self.state.lock(self.system);
            core::mem::swap(&mut larger, &mut state.namespaces);
            drop(state);
            let noted = text(&[folder]).and_then(|folder| larger.try_push((folder, namespace)));
            self.state.lock(self.system).namespaces = larger;
            noted?;
        }
        Ok(made)
    }

    /// Why a library does not open: according to its header, or else in the linker's words.
    fn why_closed(&self, path: &[u8], words: Text) -> Result<Refusal, OutOfMemory> {
        let path = c_path(path)?;
        let file = OnDisk { system: self.system, path: path.as_c() };
        let Some(reason) = elf::reason(&file, 0, self.system.page_size()) else {
            return Ok(Refusal::DoesNotOpen(words));
        };
        let mut said = Text::new();
        format_into(&mut said, format_args!("{reason}"));
        Ok(Refusal::Header(said))
    }
}
