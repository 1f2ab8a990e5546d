//! How an application's driver is opened: through a linker namespace of its own, if the system
//! creates some for applications, else through the application's.
//!
//! The driver's dependencies are then looked up in its folder first and do not get in anybody
//! else's way. Everything in the application's namespace is available too.

use core::ffi::CStr;

use loader_core::memory::{OutOfMemory, Text, TryGrow, format_into, text};

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
    /// Opens a driver's library.
    ///
    /// # Errors
    /// Why it does not open.
    pub(super) fn open_driver(&self, path: &[u8]) -> Result<Opened, NotReady> {
        let c = c_path(path)?;
        let not_apart = match self.namespace_for(path)? {
            Ok(namespace) => match self.system.open(c.as_c(), Door::Namespace(namespace)) {
                Ok(library) => return Ok(Opened { library, not_apart: None }),
                Err(words) => text(&[b"it does not open in one of its own: ", &words])?,
            },
            Err(reason) => reason,
        };
        match self.system.open(c.as_c(), Door::Linker) {
            Ok(library) => Ok(Opened { library, not_apart: Some(not_apart) }),
            Err(words) => Err(self.why_closed(path, words)?.into()),
        }
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
            let mut larger = loader_core::memory::Vec::new();
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
