//! The search result in words.
#![forbid(unsafe_code)]

use core::fmt;

use vkload_core::memory::{Arc, Escaped};

use super::found::{Candidate, Found, LayerLibrary, LibraryDecision};
use super::library_error::{LibraryError, Search};

/// How many libraries are named in one message.
const MOST_NAMED: usize = 4;

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (folder, result) in &self.folders {
            writeln!(f, "{}: {result}", Escaped(&folder.path))?;
        }
        for candidate in &self.candidates {
            let path = Escaped(&candidate.file.path);
            match &candidate.decision {
                LibraryDecision::Used(_) | LibraryDecision::Known => {
                    for layer in self.layers_at(&candidate.file.path) {
                        writeln!(f, "{path}: {}", Escaped(layer))?;
                    }
                }
                LibraryDecision::Refused(refusal) => writeln!(f, "{path}: not used: {refusal}")?,
            }
        }
        Ok(())
    }
}

impl Found {
    pub fn layers_at(&self, path: &[u8]) -> impl Iterator<Item = &[u8]> {
        let is_there = move |library: &&Arc<LayerLibrary>| path == library.path.as_c_str().to_bytes();
        self.libraries
            .iter()
            .filter(is_there)
            .flat_map(|library| &library.layers)
            .map(|layer| layer.name().to_bytes())
    }

    fn refused(&self) -> impl Iterator<Item = (&Candidate, &LibraryError)> {
        self.candidates.iter().filter_map(|candidate| match &candidate.decision {
            LibraryDecision::Refused(refusal) if !refusal.is_usual() => Some((candidate, refusal)),
            _ => None,
        })
    }
}

/// The reason why no layer with this name was found: names the libraries that should have it,
/// judging by their names, else all unused ones. The alternate form omits the latter, for readers
/// who have seen them already.
pub struct Missed<'a> {
    pub found: &'a Found,
    pub name: &'a [u8],
}

impl fmt::Display for Missed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no library has it")?;
        let listed =
            self.found.listed().filter_map(|layer| vkload_core::abi::name::in_array(&layer.layer_name));
        if let Some(other) = listed.map(core::ffi::CStr::to_bytes).find(|other| alike(other, self.name)) {
            return write!(f, "; there is {}, whose name is written differently", Escaped(other));
        }
        let resembles = |(candidate, _): &(&Candidate, &LibraryError)| alike(&candidate.file.name, self.name);
        let mut named = self.found.refused().filter(resembles).take(MOST_NAMED).peekable();
        if named.peek().is_some() {
            return named.try_for_each(|(candidate, refusal)| {
                write!(f, "; {}: {refusal}", Escaped(&candidate.file.path))
            });
        }
        let named = if f.alternate() { 0 } else { MOST_NAMED };
        for (candidate, refusal) in self.found.refused().take(named) {
            write!(f, "; not used is {}: {refusal}", Escaped(&candidate.file.path))?;
        }
        let unsearched = |result: &Search| !matches!(result, Search::Done { .. } | Search::Absent);
        for (folder, result) in self.found.folders.iter().filter(|(_, result)| unsearched(result)) {
            write!(f, "; {}: {result}", Escaped(&folder.path))?;
        }
        f.write_str(
            "; put the layer's libVkLayer*.so into the package's libraries, or its name out of the list",
        )
    }
}

/// Returns whether both names, of layers or of their libraries, have the same letters and digits,
/// apart from a prefix meaning "layer".
fn alike(one: &[u8], other: &[u8]) -> bool {
    letters(one).eq(letters(other))
}

fn letters(name: &[u8]) -> impl Iterator<Item = u8> {
    let name = name.strip_suffix(b".so").unwrap_or(name);
    let name = name.strip_prefix(b"lib").unwrap_or(name);
    let name =
        [&b"VK_LAYER"[..], b"VkLayer"].iter().find_map(|prefix| name.strip_prefix(*prefix)).unwrap_or(name);
    name.iter().filter(|byte| byte.is_ascii_alphanumeric()).map(u8::to_ascii_lowercase)
}
