//! The positions of structure members, computed at compile time.

use ash::vk;
use vkload_core::registry::{ExtensionId, ExtensionKind, ExtensionSet};

use super::files::FILES;
use super::rows::{NOT_CORE, Structure, layout};

/// A structure without names.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    s_type: i32,
    core: u8,
    extensions: &'static [ExtensionId],
    pub(crate) location: Location,
    /// Bytes from the first member to the end of the last.
    pub(crate) length: u16,
    /// The bytes of the members, including the padding at their end.
    pub(crate) size: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    /// In the limits of Vulkan 1.0, this many bytes from the first member.
    Limits(u16),
    /// In the properties of this minor version of Vulkan 1.
    Version(u8, u16),
    /// In the [`Store`](super::Store).
    Store(u16),
    /// Nowhere: the structure has arrays of the caller's.
    Nowhere,
}

impl Row {
    /// Returns whether a device with this version and these extensions has the structure. Instance-extension
    /// structures are available to every query.
    pub(crate) fn is_of(&self, core_minor: u32, extensions: &ExtensionSet) -> bool {
        let mut provided = self.extensions.iter();
        (self.core != NOT_CORE && u32::from(self.core) <= core_minor)
            || provided.any(|id| extensions.contains(*id) || id.kind() == ExtensionKind::Instance)
    }
}

pub(crate) fn row(s_type: vk::StructureType) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.s_type == s_type.as_raw())
}

#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const COUNT: usize = {
    let (mut count, mut file) = (0, 0);
    while file < FILES.len() {
        count += FILES[file].len();
        file += 1;
    }
    count
};

/// All structures, file after file.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const ALL: [&Structure; COUNT] = {
    let (mut all, mut at, mut file) = ([&FILES[0][0]; COUNT], 0, 0);
    while file < FILES.len() {
        let mut number = 0;
        while number < FILES[file].len() {
            all[at] = &FILES[file][number];
            (at, number) = (at + 1, number + 1);
        }
        file += 1;
    }
    all
};

static ROWS: [Row; COUNT] = TABLE.0;

/// How many words of eight bytes the store has.
#[expect(clippy::integer_division, reason = "the size is a multiple of eight")]
pub(super) const WORDS: usize = TABLE.1 / 8;

const TABLE: ([Row; COUNT], usize) = table();

#[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
const fn table() -> ([Row; COUNT], usize) {
    let blank = Row { s_type: 0, core: 0, extensions: &[], location: Location::Nowhere, length: 0, size: 0 };
    let (mut rows, mut end, mut at) = ([blank; COUNT], 0usize, 0);
    while at < COUNT {
        let structure = ALL[at];
        let (size, _) = layout(structure.members);
        let location = location(structure, end);
        if let Location::Store(_) = location {
            end += size.next_multiple_of(8);
        }
        rows[at] = Row {
            s_type: structure.s_type,
            core: structure.core,
            extensions: structure.extensions,
            location,
            length: structure.length() as u16,
            size: size as u16,
        };
        at += 1;
    }
    (rows, end)
}

/// Returns a structure's location in a store that is full up to `end`.
const fn location(structure: &Structure, end: usize) -> Location {
    match structure.within {
        _ if structure.has_arrays() => Location::Nowhere,
        Some((version, first)) => Location::Version(version, gathered(version).offset(first as usize) as u16),
        None => Location::Store(end as u16),
    }
}

/// The structure that gathers the properties of a version.
#[expect(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::panic,
    reason = "evaluated by the compiler"
)]
const fn gathered(version: u8) -> &'static Structure {
    let mut at = 0;
    while at < COUNT {
        if is_gathering(ALL[at].name) && matches!(ALL[at].within, Some((own, 0)) if own == version) {
            return ALL[at];
        }
        at += 1;
    }
    panic!("no structure gathers the properties of this version")
}

const fn is_gathering(name: &str) -> bool {
    starts_with(name.as_bytes(), b"VkPhysicalDeviceVulkan1")
}

#[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
const fn starts_with(name: &[u8], beginning: &[u8]) -> bool {
    let mut at = 0;
    while at < beginning.len() {
        if at >= name.len() || name[at] != beginning[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// Returns the location of the structure with this name, at compile time.
#[expect(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::panic,
    reason = "evaluated by the compiler"
)]
pub(super) const fn find(name: &str) -> (&'static Structure, Location) {
    let mut at = 0;
    while at < COUNT {
        if equal(ALL[at].name, name) {
            return (ALL[at], version_or(ALL[at], TABLE.0[at].location));
        }
        at += 1;
    }
    panic!("no structure has this name")
}

/// Returns the location of a structure. The Vulkan 1.4 structure contains arrays, but the members before them
/// have their own location.
const fn version_or(structure: &Structure, location: Location) -> Location {
    match structure.within {
        Some((version, 0)) if is_gathering(structure.name) => Location::Version(version, 0),
        _ => location,
    }
}

pub(super) const fn equal(one: &str, other: &str) -> bool {
    one.len() == other.len() && starts_with(one.as_bytes(), other.as_bytes())
}
