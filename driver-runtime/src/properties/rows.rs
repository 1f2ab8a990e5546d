//! The row format of the generated structure tables, and the positions of a structure's members.

use vkload_core::registry::ExtensionId;

use super::enumerations_gen;
use super::plain_gen;

/// A structure of the registry.
#[derive(Debug)]
pub struct Structure {
    /// Its name, as `VkPhysicalDeviceLimits`.
    pub name: &'static str,
    /// Its members in order, without `sType` and `pNext`.
    pub members: &'static [Member],
    pub(super) s_type: i32,
    /// The minor version of Vulkan 1 that has the structure, or [`NOT_CORE`].
    pub(super) core: u8,
    pub(super) extensions: &'static [ExtensionId],
    /// The version whose properties have all members, and the index of the first among them.
    pub(super) within: Option<(u8, u8)>,
}

/// The core version of a structure that only extensions have.
pub(super) const NOT_CORE: u8 = u8::MAX;

/// A member of a structure.
#[derive(Debug)]
pub struct Member {
    /// Its name, as `maxImageDimension2D`.
    pub name: &'static str,
    /// The member's type; for an array, the element type.
    pub kind: Kind,
    /// The number of elements, or 0 for a member that is not an array.
    pub length: u16,
    /// The bound that a required value sets, if the registry states one.
    pub bound: Option<Bound>,
}

/// The type of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// `VkBool32`
    Bool,
    /// `uint8_t`
    U8,
    /// `char`, in arrays that have a text ended by NUL.
    Char,
    /// `int32_t`
    I32,
    /// `uint32_t`
    U32,
    /// `int64_t`
    I64,
    /// `uint64_t` and `VkDeviceSize`
    U64,
    /// `float`
    F32,
    /// `size_t`
    Size,
    /// An enumeration.
    Enum(Names),
    /// Flags of 32 bits.
    Flags(Names),
    /// Flags of 64 bits.
    Flags64(Names),
    /// Another structure.
    Nested(Plain),
    /// A pointer to an array that the caller brings; the member before it has the number of its elements.
    Array,
}

/// How a value that the specification requires bounds the values of devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Bound {
    /// A device may have more.
    Most,
    /// A device may have less.
    Least,
    /// A device may have more bits.
    Bits,
    /// A device may have a wider range.
    Range,
    /// A device may have any other value; the value describes the device.
    Exact,
}

/// An enumeration of the registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Names(pub(super) u8);

impl Names {
    /// Returns the names with their values, in the registry's order.
    pub fn values(self) -> &'static [(&'static str, i64)] {
        enumerations_gen::ALL.get(usize::from(self.0)).copied().unwrap_or_default()
    }
}

/// A structure that is a member of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plain(pub(super) u8);

impl Plain {
    /// The structure.
    #[must_use]
    #[expect(
        clippy::indexing_slicing,
        reason = "only generated files make the number, and the compiler checks it"
    )]
    pub const fn structure(self) -> &'static Structure {
        &plain_gen::STRUCTURES[self.0 as usize]
    }
}

impl Kind {
    /// Returns size and alignment in bytes.
    pub(crate) const fn layout(self) -> (usize, usize) {
        match self {
            Self::U8 | Self::Char => (1, 1),
            Self::Bool | Self::I32 | Self::U32 | Self::F32 | Self::Enum(_) | Self::Flags(_) => (4, 4),
            Self::I64 | Self::U64 | Self::Flags64(_) => (8, align_of::<u64>()),
            Self::Size | Self::Array => (size_of::<usize>(), align_of::<usize>()),
            Self::Nested(plain) => layout(plain.structure().members),
        }
    }
}

impl Structure {
    /// Returns a member's offset in bytes from the first member.
    pub const fn offset(&self, member: usize) -> usize {
        offset(self.members, member)
    }

    /// Returns the value of `sType`, if the structure can appear in a chain.
    pub const fn structure_type(&self) -> Option<i32> {
        if self.s_type == 0 { None } else { Some(self.s_type) }
    }

    /// Returns bytes from the first member to the end of the last.
    pub(super) const fn length(&self) -> usize {
        offset(self.members, self.members.len())
    }

    pub(super) const fn has_arrays(&self) -> bool {
        let mut at = 0;
        while let Some((member, next)) = step(self.members, at) {
            if matches!(member.kind, Kind::Array) {
                return true;
            }
            at = next;
        }
        false
    }
}

/// Returns the member at an index, and the next index.
#[expect(clippy::indexing_slicing, reason = "the index is below the length")]
const fn step(members: &[Member], at: usize) -> Option<(&Member, usize)> {
    if at < members.len() { Some((&members[at], at.saturating_add(1))) } else { None }
}

/// Returns the offset of the member with this number. The number after the last member gives the end.
#[expect(
    clippy::arithmetic_side_effects,
    reason = "sizes of structures of the registry, in which alignments are not 0"
)]
const fn offset(members: &[Member], number: usize) -> usize {
    let (mut end, mut at) = (0usize, 0);
    while let Some((member, next)) = step(members, at) {
        let (size, align) = member.kind.layout();
        let begin = end.next_multiple_of(align);
        if at == number {
            return begin;
        }
        let count = if member.length == 0 { 1 } else { member.length as usize };
        end = begin + size * count;
        at = next;
    }
    end
}

/// Returns size and alignment of a structure without a header.
pub(crate) const fn layout(members: &[Member]) -> (usize, usize) {
    let (mut align, mut at) = (1, 0);
    while let Some((member, next)) = step(members, at) {
        let (_, own) = member.kind.layout();
        if own > align {
            align = own;
        }
        at = next;
    }
    (offset(members, members.len()).next_multiple_of(align), align)
}

/// Structures that can appear in a chain.
macro_rules! structures {
    ($(
        $s_type:literal $structure:literal $(core $core:literal)? $(by $extension:ident)* $(within $version:literal at $first:literal)?
        has $($kind:ident $(($of:ident))? $(*$length:literal)? $member:literal $($bound:ident)?,)*;
    )*) => {
        pub(super) const STRUCTURES: &[crate::properties::rows::Structure] = &[$(
            crate::properties::rows::Structure {
                name: $structure,
                members: crate::properties::rows::members![$($kind $(($of))? $(*$length)? $member $($bound)?,)*],
                s_type: $s_type,
                core: crate::properties::rows::or!([$($core)?] crate::properties::rows::NOT_CORE),
                extensions: &[$(vkload_core::registry::extension::$extension),*],
                within: crate::properties::rows::or!([$(Some(($version, $first)))?] None),
            },
        )*];
    };
}
pub(super) use structures;

/// Structures that are members of others or are used alone.
macro_rules! plain {
    ($(
        $number:literal $constant:ident $structure:literal
        has $($kind:ident $(($of:ident))? $(*$length:literal)? $member:literal $($bound:ident)?,)*;
    )*) => {
        $(
            #[allow(dead_code, reason = "some are no members of others")]
            pub(super) const $constant: u8 = $number;
        )*
        pub(super) const STRUCTURES: &[crate::properties::rows::Structure] = &[$(
            crate::properties::rows::Structure {
                name: $structure,
                members: crate::properties::rows::members![$($kind $(($of))? $(*$length)? $member $($bound)?,)*],
                s_type: 0,
                core: crate::properties::rows::NOT_CORE,
                extensions: &[],
                within: None,
            },
        )*];
    };
}
pub(super) use plain;

macro_rules! members {
    ($($kind:ident $(($of:ident))? $(*$length:literal)? $member:literal $($bound:ident)?,)*) => {
        &[$(crate::properties::rows::Member {
            name: $member,
            kind: crate::properties::rows::kind!($kind $(($of))?),
            length: crate::properties::rows::or!([$($length)?] 0),
            bound: crate::properties::rows::or!([$(Some(crate::properties::rows::Bound::$bound))?] None),
        }),*]
    };
}
pub(super) use members;

macro_rules! kind {
    (Nested($of:ident)) => {
        crate::properties::rows::Kind::Nested(crate::properties::rows::Plain(
            crate::properties::plain_gen::$of,
        ))
    };
    ($kind:ident($of:ident)) => {
        crate::properties::rows::Kind::$kind(crate::properties::rows::Names(
            crate::properties::enumerations_gen::$of,
        ))
    };
    ($kind:ident) => {
        crate::properties::rows::Kind::$kind
    };
}
pub(super) use kind;

/// Expands to the tokens in brackets, or otherwise to the tokens after them.
macro_rules! or {
    ([] $else:expr) => {
        $else
    };
    ([$value:expr] $else:expr) => {
        $value
    };
}
pub(super) use or;
