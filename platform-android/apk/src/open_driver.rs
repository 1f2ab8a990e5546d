//! Opens an application's driver: through its own linker namespace, if the system creates some for
//! applications, else through the application's.
//!
//! In its own namespace, the driver's dependencies are looked up in its folder first and do not
//! affect other libraries. Everything in the application's namespace is available too. Without one,
//! the other libraries of a package are opened first.

use core::ffi::CStr;

use vkload_core::memory::{CText, OrOutOfMemory, OutOfMemory, Text, TryGrow, Vec, format_into, text};

use super::Apk;
use super::drivers::DriverError;
use super::others::Others;
use super::system::NamespaceRequest;
use platform_android::layers::{OnDisk, elf};
use platform_android::system::{Library, Namespace, OpenMethod};

/// The namespace name in the linker's messages.
const NAME: &CStr = c"vkload-driver";

pub(super) struct Opened {
    pub(super) library: Library,
    pub(super) not_apart: Option<Text>,
    pub(super) others: Option<Others>,
}

impl Apk {
    /// Opens a driver's library. If it comes from a package, nothing but its libraries is in its
    /// folder.
    pub(super) fn open_driver(
        &'static self,
        path: &[u8],
        from_package: bool,
    ) -> Result<Opened, OrOutOfMemory<DriverError>> {
        let c = CText::of_bytes(path)?;
        let not_apart = match self.namespace_for(path)? {
            Ok(namespace) => match self.system.open(c.as_c_str(), OpenMethod::Namespace(namespace)) {
                Ok(library) => return Ok(Opened { library, not_apart: None, others: None }),
                Err(words) => text(&[b"it does not open in one of its own: ", &words])?,
            },
            Err(reason) => reason,
        };
        let mut others = None;
        let mut result = self.system.open(c.as_c_str(), OpenMethod::Linker);
        if result.is_err() {
            others = Some(self.open_others(path, from_package)?);
            result = self.system.open(c.as_c_str(), OpenMethod::Linker);
        }
        match result {
            Ok(library) => Ok(Opened { library, not_apart: Some(not_apart), others }),
            Err(words) => Err(self.why_closed(path, words)?.into()),
        }
    }

    /// Opens the libraries that a library may need: stand-ins for the system's libraries, and the
    /// others of its package. The linker does not search the package for dependencies, but finds
    /// open libraries by their names.
    fn open_others(&'static self, path: &[u8], from_package: bool) -> Result<Others, OutOfMemory> {
        let neighbours = if from_package { self.neighbours(path)? } else { Vec::new() };
        let mut others = Others::new(self.system);
        others.open_stand_ins(&neighbours)?;
        others.open_neighbours(neighbours)?;
        Ok(others)
    }

    fn neighbours(&self, path: &[u8]) -> Result<Vec<Text>, OutOfMemory> {
        let mut found = Vec::new();
        let slash = path.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
        let (folder, own) = path.split_at_checked(slash).unwrap_or_default();
        let Ok(names) = self.system.list(CText::of_bytes(folder)?.as_c_str()) else { return Ok(found) };
        for name in names.iter().filter(|name| name.ends_with(b".so") && own.get(1..) != Some(name)) {
            found.try_push(text(&[folder, b"/", name])?)?;
        }
        Ok(found)
    }

    /// Returns the namespace for a library, or why it has none. Each folder has one namespace: the
    /// system never frees one.
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
        let c = CText::of_bytes(folder)?;
        let made = self.system.namespace(&NamespaceRequest {
            name: NAME,
            folder: c.as_c_str(),
            permitted: c.as_c_str(),
        });
        if let Ok(namespace) = made {
            // Only one thread at a time configures, so the list does not change meanwhile.
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

    /// Returns why a library does not open: according to its header, or else in the linker's words.
    fn why_closed(&self, path: &[u8], words: Text) -> Result<DriverError, OutOfMemory> {
        let path = CText::of_bytes(path)?;
        let file = OnDisk { system: self.system, path: path.as_c_str() };
        let Some(reason) = elf::reason(&file, 0, self.system.page_size()) else {
            return Ok(DriverError::DoesNotOpen(words));
        };
        let mut said = Text::new();
        format_into(&mut said, format_args!("{reason}"));
        Ok(DriverError::Header(said))
    }
}
