//! Properties: the registry's structures that describe devices, and the storage of their values.
//!
//! `VkPhysicalDeviceVulkan12Properties` and the structures that it gathers have the same properties, which are kept once, in the
//! [`Description`](crate::Description). Everything else, the properties of extensions, is kept in a [`Store`]
//! of one block. The names are linked only into drivers that call [`structure`] or functions built on it.

mod aliases_gen;
mod enumerations_gen;
mod files;
mod locations;
mod names;
mod plain_gen;
mod required;
mod rows;
mod structures_1_gen;
mod structures_2_gen;
mod structures_3_gen;

use core::mem::MaybeUninit;

use files::FILES;
pub(crate) use locations::{Location, Row, row};
pub(crate) use required::{Limit, Scalar, Value, rows as resolve};
#[cfg(test)]
pub(crate) use rows::layout;
pub use rows::{Bound, Kind, Member, Names, Plain, Structure};

/// The properties of extensions. Each structure's members have their own location. The store starts with the
/// minimum values that the specification requires.
#[derive(Clone)]
#[repr(transparent)]
pub(crate) struct Store(MaybeUninit<[u64; locations::WORDS]>);

impl Default for Store {
    fn default() -> Self {
        Self(MaybeUninit::new(required::INITIAL))
    }
}

impl Store {
    pub(crate) fn begin(&self) -> *const u8 {
        self.0.as_ptr().cast()
    }

    pub(crate) fn begin_mut(&mut self) -> *mut u8 {
        self.0.as_mut_ptr().cast()
    }
}

/// The tags of authors with which names of values end.
const TAGS: [&str; 18] = [
    "KHR", "EXT", "NV", "AMD", "AMDX", "ARM", "ANDROID", "FUCHSIA", "GOOGLE", "HUAWEI", "IMG", "INTEL",
    "LUNARG", "MESA", "NVX", "QCOM", "SEC", "VALVE",
];

/// Returns a name without the tag of its author.
fn untagged(name: &str) -> &str {
    let tagged = name.rsplit_once('_').filter(|(_, tag)| TAGS.contains(tag));
    tagged.map_or(name, |(first, _)| first)
}

/// Returns the value with this name in an enumeration or set of flags. Names that differ only in the author's
/// tag have the same value, for example `VK_SHADER_STAGE_MESH_BIT_NV` and `VK_SHADER_STAGE_MESH_BIT_EXT`.
pub fn value(known: &[(&str, i64)], name: &str) -> Option<i64> {
    let same = known.iter().find(|(other, _)| *other == name);
    let alias = || known.iter().find(|(other, _)| untagged(other) == untagged(name));
    same.or_else(alias).map(|(_, value)| *value)
}

/// Returns the structure of this name or of a newer one, if it describes properties of devices, or is a member of
/// such a structure: `VkPhysicalDeviceLimits`, `VkPhysicalDeviceIDPropertiesKHR`.
pub fn structure(name: &str) -> Option<&'static Structure> {
    let name = canonical(name);
    let all = FILES.iter().copied().flatten().chain(plain_gen::STRUCTURES);
    all.into_iter().find(|structure| structure.name == name)
}

/// Returns all of these structures.
pub fn structures() -> impl Iterator<Item = &'static Structure> {
    FILES.iter().copied().flatten().chain(plain_gen::STRUCTURES)
}

/// Returns the first name of a structure of features or properties that has several.
pub(crate) fn canonical(name: &str) -> &str {
    let index = aliases_gen::ALIASES.binary_search_by_key(&name, |(alias, _)| alias);
    index.ok().and_then(|index| aliases_gen::ALIASES.get(index)).map_or(name, |(_, first)| first)
}

/// Returns the formats by name.
pub fn format_names() -> &'static [(&'static str, i64)] {
    Names(enumerations_gen::FORMAT).values()
}

/// Returns the layouts of images by name.
pub fn image_layout_names() -> &'static [(&'static str, i64)] {
    Names(enumerations_gen::IMAGE_LAYOUT).values()
}
