//! The layers of the process: every library that may have some, with the outcome.

use core::ffi::CStr;

use ash::vk;
use vkload_core::log::{Level, Topic};
use vkload_core::memory::{Arc, CText, Escaped, OrOutOfMemory, OutOfMemory, Text, TryGrow, Vec, text};

use super::folders::{self, File, Folder, Origin};
use super::introspection::{self, Layer};
use super::library_error::{LibraryError, Search};
use crate::host::Host;
use crate::system::{OpenMethod, System};

pub struct Found {
    /// The folders that were searched or left out, in order.
    pub folders: Vec<(Folder, Search)>,
    /// Every library that may have layers, in the order of discovery.
    pub candidates: Vec<Candidate>,
    pub libraries: Vec<Arc<LayerLibrary>>,
}

pub struct Candidate {
    pub file: File,
    pub decision: LibraryDecision,
}

#[derive(Debug, PartialEq, Eq)]
pub enum LibraryDecision {
    Used(usize),
    /// It was found earlier, before the process was forked.
    Known,
    Refused(LibraryError),
}

pub struct LayerLibrary {
    pub path: CText,
    pub method: OpenMethod,
    pub origin: Origin,
    pub layers: Vec<Layer>,
    file: Text,
}

impl Found {
    pub const fn nothing() -> Self {
        Self { folders: Vec::new(), candidates: Vec::new(), libraries: Vec::new() }
    }

    pub fn search(&mut self, host: &Host, folders: Vec<Folder>) -> Result<(), OutOfMemory> {
        for folder in folders {
            let mut each = |file, by_name| self.consider(host.system, file, by_name);
            let result = folders::search(&folder, host.system, &mut each)?;
            self.folders.try_push((folder, result))?;
        }
        self.log(host);
        Ok(())
    }

    pub fn listed(&self) -> impl Iterator<Item = &vk::LayerProperties> {
        let libraries = self.libraries.iter().filter(|library| !library.origin.is_of_device());
        libraries.flat_map(|library| &library.layers).map(|layer| &layer.properties)
    }

    /// Returns the layer with this name that applications can use: the first one.
    ///
    /// # Errors
    /// `ERROR_LAYER_NOT_PRESENT`
    pub fn layer(&self, name: &CStr) -> Result<&Layer, vk::Result> {
        let found = self.find_layer(name.to_bytes()).and_then(|(library, index)| library.layers.get(index));
        found.ok_or(vk::Result::ERROR_LAYER_NOT_PRESENT)
    }

    /// Returns the library with this layer that applications can use, and the layer's position in
    /// it.
    pub fn find_layer(&self, name: &[u8]) -> Option<(&Arc<LayerLibrary>, usize)> {
        let mut libraries = self.libraries.iter().filter(|library| !library.origin.is_of_device());
        libraries.find_map(|library| {
            let index = library.layers.iter().position(|layer| layer.name().to_bytes() == name)?;
            Some((library, index))
        })
    }

    fn consider(
        &mut self,
        system: &dyn System,
        file: File,
        by_name: Option<LibraryError>,
    ) -> Result<(), OutOfMemory> {
        let early = match by_name {
            Some(refusal) => Some(LibraryDecision::Refused(refusal)),
            None => self.earlier(&file)?,
        };
        let decision = match early {
            Some(decision) => decision,
            None => match look_into(system, &file) {
                Ok(library) => {
                    let layers = library.layers.len();
                    self.libraries.try_push(Arc::try_new(library)?)?;
                    LibraryDecision::Used(layers)
                }
                Err(OrOutOfMemory::Failed(refusal)) => LibraryDecision::Refused(refusal),
                Err(OrOutOfMemory::OutOfMemory) => return Err(OutOfMemory),
            },
        };
        self.candidates.try_push(Candidate { file, decision })
    }

    /// Returns the decision if a library with the same file name was found earlier.
    fn earlier(&self, file: &File) -> Result<Option<LibraryDecision>, OutOfMemory> {
        let Some(library) = self.libraries.iter().find(|library| library.file == file.name) else {
            return Ok(None);
        };
        let path = library.path.as_c_str().to_bytes();
        let seen = self.candidates.iter().any(|candidate| candidate.file.path == file.path);
        Ok(Some(if path == file.path.as_slice() && !seen {
            LibraryDecision::Known
        } else {
            LibraryDecision::Refused(LibraryError::Duplicate { of: text(&[path])? })
        }))
    }

    fn log(&self, host: &Host) {
        for (folder, result) in &self.folders {
            let level = match result {
                Search::Unreadable(_) | Search::Archive(_) => Level::Warning,
                Search::Done { .. } | Search::Absent | Search::AbsentInArchive | Search::NotDebuggable => {
                    Level::Debug
                }
            };
            host.log(level, Topic::Layer, format_args!("layers: {}: {result}", Escaped(&folder.path)));
        }
        for candidate in &self.candidates {
            let path = Escaped(&candidate.file.path);
            match &candidate.decision {
                LibraryDecision::Used(layers) => {
                    vkload_core::log!(host, Info, Layer: "{path}: layers in it: {layers}");
                }
                LibraryDecision::Known => {
                    vkload_core::log!(host, Debug, Layer: "{path}: known from before the fork");
                }
                LibraryDecision::Refused(refusal) => {
                    let level = if refusal.is_usual() { Level::Debug } else { Level::Warning };
                    host.log(
                        level,
                        Topic::Layer,
                        format_args!("{path}: no layers of it are used: {refusal}"),
                    );
                }
            }
        }
    }
}

fn look_into(system: &dyn System, file: &File) -> Result<LayerLibrary, OrOutOfMemory<LibraryError>> {
    if let Some(refusal) = file.refused_by_archive(system) {
        return Err(refusal.into());
    }
    let path = CText::of_bytes(&file.path)?;
    let method = file.method(system);
    let library = match system.open(path.as_c_str(), method) {
        Ok(library) => library,
        Err(error) => {
            return Err(file.refused_by_header(system).unwrap_or(LibraryError::DoesNotOpen { error }).into());
        }
    };
    let exports = |name: &CStr| system.symbol(library, name);
    // SAFETY: the file's name marks it as a layer library, whose exports have the types that their
    // names stand for.
    let layers = unsafe { introspection::layers_of(&exports) };
    // SAFETY: `layers_of` copied everything and has returned, so no code uses an address in the
    // library.
    unsafe { system.close(library) };
    let file_name = text(&[&file.name])?;
    Ok(LayerLibrary { path, method, origin: file.origin, layers: layers?, file: file_name })
}
