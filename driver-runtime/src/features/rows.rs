//! The form in which the generated files state features.

use ash::vk;
use vkload_core::registry::{ExtensionId, ExtensionSet};

use super::Feature;

/// A structure of features that the registry does not list, of an extension that it does not list either: for
/// [`Driver::MORE_FEATURES`](crate::Driver::MORE_FEATURES). All its members are a `VkBool32`.
#[derive(Clone, Copy)]
pub struct UnlistedFeatures {
    s_type: vk::StructureType,
    name: &'static str,
    members: &'static [&'static str],
}

impl UnlistedFeatures {
    /// Describes the structure `T` by its name, for messages, and the names of its members, in order.
    ///
    /// # Panics
    /// If the structure does not have this many members: in a constant, an error of the build. Otherwise a driver that
    /// writes the structure would write behind the memory that the runtime has for it.
    #[must_use]
    pub const fn of<T: vk::TaggedStructure>(name: &'static str, members: &'static [&'static str]) -> Self {
        let words = size_of::<T>().div_ceil(size_of::<u64>());
        assert!(words_of(members.len()) == words, "the structure has other members");
        Self { s_type: T::STRUCTURE_TYPE, name, members }
    }

    pub(super) const fn len(&self) -> usize {
        self.members.len()
    }
}

/// Returns the size of a structure with this many features, in words of eight bytes.
const fn words_of(members: usize) -> usize {
    let members = size_of::<vk::Bool32>().saturating_mul(members);
    size_of::<vk::BaseOutStructure<'_>>().saturating_add(members).div_ceil(size_of::<u64>())
}

#[derive(Clone, Copy)]
pub(super) enum Row {
    Listed(&'static Structure),
    /// One of the driver's, with the number of members in the ones before it.
    Unlisted(&'static UnlistedFeatures, usize),
}

impl Row {
    pub(super) fn s_type(self) -> i32 {
        match self {
            Self::Listed(row) => row.s_type,
            Self::Unlisted(row, _) => row.s_type.as_raw(),
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Listed(row) => row.name,
            Self::Unlisted(row, _) => row.name,
        }
    }

    /// Returns how many members the structure has.
    pub(super) fn len(self) -> usize {
        match self {
            Self::Listed(row) => row.members.len(),
            Self::Unlisted(row, _) => row.members.len(),
        }
    }

    /// Returns the size of the structure in words of eight bytes.
    pub(super) fn words(self) -> usize {
        words_of(self.len())
    }

    pub(super) fn member(self, index: usize) -> &'static str {
        let name = match self {
            Self::Listed(row) => row.members.get(index).map(|(_, name)| *name),
            Self::Unlisted(row, _) => row.members.get(index).copied(),
        };
        name.unwrap_or_default()
    }
}

/// Returns the driver's structure of this type, with the number of members before it.
pub(super) fn unlisted(list: &'static [UnlistedFeatures], s_type: vk::StructureType) -> Option<Row> {
    let at = list.iter().position(|row| row.s_type == s_type)?;
    let before = list.iter().take(at).map(|row| row.members.len()).fold(0, usize::saturating_add);
    list.get(at).map(|row| Row::Unlisted(row, before))
}

pub(super) struct Structure {
    pub(super) s_type: i32,
    pub(super) name: &'static str,
    /// The minor version of Vulkan 1 that has the structure, or [`NOT_CORE`].
    core: u8,
    extensions: &'static [ExtensionId],
    /// In the order of the members behind the structure's header, each a `VkBool32`.
    pub(super) members: &'static [(Feature, &'static str)],
}

/// The core version of a structure that only extensions have.
const NOT_CORE: u8 = u8::MAX;

impl Structure {
    #[expect(clippy::indexing_slicing, reason = "there is always a first")]
    pub(super) const fn new(
        s_type: i32,
        name: &'static str,
        core: &[u8],
        extensions: &'static [ExtensionId],
        members: &'static [(Feature, &'static str)],
    ) -> Self {
        let core = if core.is_empty() { NOT_CORE } else { core[0] };
        Self { s_type, name, core, extensions, members }
    }

    /// Returns whether a core version up to 1.`minor` has the structure.
    pub(super) const fn is_core(&self, minor: u8) -> bool {
        self.core != NOT_CORE && self.core <= minor
    }

    /// Returns whether a device of this version and these extensions has the structure.
    pub(super) fn is_of(&self, core_minor: u32, extensions: &ExtensionSet) -> bool {
        (self.core != NOT_CORE && u32::from(self.core) <= core_minor) || self.is_of_extension(extensions)
    }

    /// Returns whether one of these extensions has the structure.
    pub(super) fn is_of_extension(&self, extensions: &ExtensionSet) -> bool {
        self.extensions.iter().any(|extension| extensions.contains(*extension))
    }
}

/// Structures with their members. The first structure with a feature gives it a number, and the constant of this name.
macro_rules! rows {
    ($(
        $s_type:literal $name:literal $(core $core:literal)? $(by $extension:ident)*
        has $($constant:ident $(= $number:literal)? $member:literal,)*;
    )*) => {
        $($($(
            #[doc = concat!("`", $member, "`")]
            pub const $constant: crate::features::Feature = crate::features::Feature($number);
        )?)*)*

        pub(super) static ROWS: &[crate::features::rows::Structure] = &[$(
            crate::features::rows::Structure::new(
                $s_type,
                $name,
                &[$($core)?],
                &[$(vkload_core::registry::extension::$extension),*],
                &[$((crate::features::name::$constant, $member)),*],
            ),
        )*];
    };
}
pub(super) use rows;
