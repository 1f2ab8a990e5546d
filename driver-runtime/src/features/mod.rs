//! Features: a flat set, and the structures of the registry as views of it.
//!
//! `VkPhysicalDeviceVulkan12Features` and the structures that it gathers have the same features; structures of vendors
//! that share only a member's name have their own.

mod check;
mod rows;
mod structures_1_gen;
mod structures_2_gen;
mod structures_3_gen;
mod structures_4_gen;
mod structures_5_gen;
mod structures_6_gen;
#[cfg(test)]
mod tests;

use ash::vk;
use vkload_core::abi::chain;
use vkload_core::registry::ExtensionSet;

use rows::Structure;

pub use check::Enabled;
pub(crate) use check::{CheckError, check, check_unlisted};
pub use rows::UnlistedFeatures;

/// Every feature as a constant: the name of its member in capitals.
pub mod name {
    pub use super::structures_1_gen::*;
    pub use super::structures_2_gen::*;
    pub use super::structures_3_gen::*;
    pub use super::structures_4_gen::*;
    pub use super::structures_5_gen::*;
    pub use super::structures_6_gen::*;
}

/// The number of features.
pub const COUNT: usize = count();

const WORDS: usize = COUNT.div_ceil(64);

const FILES: [&[Structure]; 6] = [
    structures_1_gen::ROWS,
    structures_2_gen::ROWS,
    structures_3_gen::ROWS,
    structures_4_gen::ROWS,
    structures_5_gen::ROWS,
    structures_6_gen::ROWS,
];

/// Returns the number of features: one more than the highest number in a row.
#[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
const fn count() -> usize {
    let (mut count, mut file) = (0, 0);
    while file < FILES.len() {
        let mut row = 0;
        while row < FILES[file].len() {
            let members = FILES[file][row].members;
            let mut member = 0;
            while member < members.len() {
                let number = members[member].0.0 as usize;
                count = if number < count { count } else { number + 1 };
                member += 1;
            }
            row += 1;
        }
        file += 1;
    }
    count
}

/// A feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feature(u16);

/// A set of features.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features([u64; WORDS]);

impl Features {
    /// None at all.
    pub const NONE: Self = Self([0; WORDS]);

    /// Returns the same set with one feature more.
    #[must_use]
    #[expect(clippy::indexing_slicing, reason = "a feature's number is below the count")]
    pub const fn with(mut self, feature: Feature) -> Self {
        self.0[(feature.0 >> 6) as usize] |= 1 << (feature.0 & 63);
        self
    }

    /// Returns the same set with one feature less.
    #[must_use]
    #[expect(clippy::indexing_slicing, reason = "a feature's number is below the count")]
    pub const fn without(mut self, feature: Feature) -> Self {
        self.0[(feature.0 >> 6) as usize] &= !(1 << (feature.0 & 63));
        self
    }

    /// Returns every feature of the core versions up to 1.`minor`.
    #[must_use]
    #[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
    pub const fn core(minor: u8) -> Self {
        let mut all = Self::NONE;
        let mut file = 0;
        while file < FILES.len() {
            let mut row = 0;
            while row < FILES[file].len() {
                let structure = &FILES[file][row];
                let mut member = 0;
                while structure.is_core(minor) && member < structure.members.len() {
                    all = all.with(structure.members[member].0);
                    member += 1;
                }
                row += 1;
            }
            file += 1;
        }
        all
    }

    /// Returns the same set with the features of the structures that these extensions have, if `wanted` accepts the
    /// member's name.
    #[must_use]
    pub fn with_those_of(mut self, extensions: &ExtensionSet, wanted: impl Fn(&str) -> bool) -> Self {
        let rows = FILES.iter().copied().flatten().filter(|row| row.is_of_extension(extensions));
        for (feature, _) in rows.flat_map(|row| row.members).filter(|(_, member)| wanted(member)) {
            self.insert(*feature);
        }
        self
    }

    /// Adds a feature.
    pub fn insert(&mut self, feature: Feature) {
        *self = self.with(feature);
    }

    /// Returns whether the feature is in the set.
    pub fn contains(&self, feature: Feature) -> bool {
        self.value(feature) != 0
    }

    fn value(&self, feature: Feature) -> vk::Bool32 {
        let word = self.0.get(usize::from(feature.0 >> 6)).copied().unwrap_or(0);
        (word >> (feature.0 & 63)) as u32 & 1
    }

    /// Writes the set into `VkPhysicalDeviceFeatures2` and the structures chained to it: members that the structure's
    /// version and extensions do not have are left unchanged.
    ///
    /// # Safety
    /// `out` begins a pNext chain of structures that may be written.
    pub unsafe fn write(
        &self,
        out: *mut vk::PhysicalDeviceFeatures2<'_>,
        core_minor: u32,
        extensions: &ExtensionSet,
    ) {
        // SAFETY: the caller vouches for the chain.
        unsafe { self.write_and(out, core_minor, extensions, |_| {}) };
    }

    /// Does the same as [`Features::write`], and passes unlisted structures to `more`.
    ///
    /// # Safety
    /// As there.
    pub(crate) unsafe fn write_and(
        &self,
        out: *mut vk::PhysicalDeviceFeatures2<'_>,
        core_minor: u32,
        extensions: &ExtensionSet,
        more: impl Fn(*mut vk::BaseOutStructure<'static>),
    ) {
        // SAFETY: the caller vouches for the chain.
        for structure in unsafe { chain::pointers(out.cast()) } {
            // SAFETY: the chain may be written, and each structure has the type in its `sType`.
            unsafe {
                let Some(row) = row((*structure).s_type) else {
                    let next = (*structure).p_next;
                    more(structure);
                    (*structure).p_next = next;
                    continue;
                };
                if row.is_of(core_minor, extensions) {
                    let members = members(structure.cast());
                    for (index, (feature, _)) in row.members.iter().enumerate() {
                        members.add(index).write(self.value(*feature));
                    }
                }
            }
        }
    }
}

/// Returns the feature for this member of a structure, by their names in the specification.
pub(crate) fn find(structure: &str, member: &str) -> Option<Feature> {
    let row = FILES.iter().copied().flatten().find(|row| row.name == structure)?;
    row.members.iter().find(|(_, name)| *name == member).map(|(feature, _)| *feature)
}

/// Returns whether a structure of this name has features.
pub(crate) fn is_structure(name: &str) -> bool {
    FILES.iter().copied().flatten().any(|row| row.name == name)
}

fn row(s_type: vk::StructureType) -> Option<&'static Structure> {
    FILES.iter().copied().flatten().find(|row| row.s_type == s_type.as_raw())
}

/// Returns the address of a feature structure's first member.
fn members(structure: *mut u8) -> *mut vk::Bool32 {
    structure.wrapping_add(size_of::<vk::BaseOutStructure<'_>>()).cast()
}
