//! The Vulkan loaders in the memory of a process, and whether one of them has taken another's place.
//!
//! A loader refers to its own functions by name unless it was linked with `-Bsymbolic`. The dynamic linker looks such a name up in the
//! program and the libraries that it is linked with before it looks at the loader itself, so it may bind the name to another loader.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::elf;
use super::files::below;
use crate::lossless;

/// A Vulkan loader in the memory of a process.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct MappedLoader {
    pub(crate) path: String,
    pub(crate) functions: Binding,
}

/// The files that a loader's own function names resolve to.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "bound")]
pub(crate) enum Binding {
    #[default]
    Own,
    /// At least one of them to another loader.
    Other { path: String },
    /// It refers to them by name, and the memory of the process cannot be read.
    Unknown,
}

/// A file that is mapped into the memory of a process.
struct Mapping<'a> {
    range: std::ops::Range<u64>,
    offset: u64,
    /// The device and the inode, which are the same if a file is mapped by another name.
    identity: (&'a str, &'a str),
    path: &'a str,
}

/// Returns the loaders among the files of `/proc/PID/maps`, in its order. `folder` is `/proc/PID`, and `memory` its `mem`,
/// if it could be opened.
pub(crate) fn mapped_loaders(maps: &str, folder: &Path, memory: Option<&File>) -> Vec<MappedLoader> {
    let read =
        |address, bytes: &mut [u8]| memory.is_some_and(|memory| memory.read_exact_at(bytes, address).is_ok());
    loaders(maps, &folder.join("root"), &read)
}

fn loaders(maps: &str, root: &Path, read: Read<'_>) -> Vec<MappedLoader> {
    let mappings: Vec<Mapping<'_>> = maps.lines().filter_map(mapping).collect();
    let mut loaders: Vec<(&Mapping<'_>, Vec<Binding>)> = Vec::new();
    for first in mappings.iter().filter(|it| it.offset == 0 && may_be_loader(it.path)) {
        let file = below(root, &lossless::path(first.path));
        let known = loaders.iter().position(|(other, _)| other.identity == first.identity);
        if known.is_none() && !elf::is_loader(&file) {
            continue;
        }
        let binding = binding(&mappings, first, &file, read);
        match known.and_then(|index| loaders.get_mut(index)) {
            // Namespaces of the dynamic linker have a copy each.
            Some((_, bindings)) => bindings.push(binding),
            None => loaders.push((first, vec![binding])),
        }
    }
    let is_loader = |path: &str| loaders.iter().any(|(first, _)| first.path == path);
    let settled = |(first, bindings): &(&Mapping<'_>, Vec<Binding>)| {
        let other = bindings.iter().find(|it| matches!(it, Binding::Other { path } if is_loader(path)));
        let unknown = bindings.iter().all(|it| *it == Binding::Unknown);
        let functions = other.cloned().unwrap_or(if unknown { Binding::Unknown } else { Binding::Own });
        MappedLoader { path: first.path.to_owned(), functions }
    };
    loaders.iter().map(settled).collect()
}

/// Reads memory of the process, and returns whether it can.
type Read<'a> = &'a dyn Fn(u64, &mut [u8]) -> bool;

/// Returns the file to which the function references of one copy of `file` resolve. The copy's memory begins with `first`. Its content is
/// not trusted.
fn binding(mappings: &[Mapping<'_>], first: &Mapping<'_>, file: &Path, read: Read<'_>) -> Binding {
    let (width, addresses) = elf::own_references(file, b"vk");
    for address in addresses {
        let mut bytes = [0; 8];
        let Some(word) = bytes.get_mut(..width) else { continue };
        if !read(first.range.start.wrapping_add(address), word) {
            return Binding::Unknown;
        }
        let address = if cfg!(target_endian = "little") {
            u64::from_le_bytes(bytes)
        } else {
            u64::from_be_bytes(bytes) >> (64 - 8 * width)
        };
        let there = mappings.iter().find(|mapping| mapping.range.contains(&address));
        let Some(there) = there.filter(|there| there.identity != first.identity) else { continue };
        // The first mapped name of a file is reported.
        let named = mappings.iter().find(|mapping| mapping.identity == there.identity).unwrap_or(there);
        return Binding::Other { path: named.path.to_owned() };
    }
    Binding::Own
}

/// A loader for use inside an application, which is meant to be above another one, has names of its own, and its file begins so.
const ABOVE: &str = "libvkload";

fn may_be_loader(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.contains(".so") && name.to_ascii_lowercase().contains("vulkan") && !name.starts_with(ABOVE)
}

/// Reads a line such as `7f00-7f10 r-xp 00000000 08:01 42   /usr/lib/libvulkan.so.1`.
fn mapping(line: &str) -> Option<Mapping<'_>> {
    let path = line.find('/').and_then(|at| line.get(at..))?;
    let mut fields = line.split_ascii_whitespace();
    let number = |digits| u64::from_str_radix(digits, 16).ok();
    let (from, to) = fields.next()?.split_once('-')?;
    let offset = number(fields.nth(1)?)?;
    let identity = (fields.next()?, fields.next()?);
    // The kernel adds this to the name of a file that is gone, as after an update.
    let path = path.strip_suffix(" (deleted)").unwrap_or(path);
    Some(Mapping { range: number(from)?..number(to)?, offset, identity, path })
}
