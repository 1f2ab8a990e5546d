//! The sizes of structures in pNext chains, and the queries that fill them.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::panic,
    reason = "evaluated by the compiler, which reports a failure as an error"
)]

use super::structures_gen::ROWS;

/// A structure as the generated file states it.
pub(super) struct Structure {
    /// Its `VkStructureType`.
    pub(super) s_type: i32,
    pub(super) filled_by: Option<DeviceQuery>,
    /// Bytes on 64-bit processors, on 32-bit ones, and on 32-bit ones that align `u64` to 4 bytes.
    pub(super) sizes: [u16; 3],
}

/// A query for a physical device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DeviceQuery {
    /// `vkGetPhysicalDeviceProperties` and its successor
    Properties,
    /// `vkGetPhysicalDeviceFeatures` and its successor
    Features,
    /// `vkGetPhysicalDeviceMemoryProperties` and its successor
    Memory,
    /// `vkGetPhysicalDeviceQueueFamilyProperties` and its successor
    QueueFamilies,
    /// `vkGetPhysicalDeviceFormatProperties` and its successor
    Format,
    /// `vkGetPhysicalDeviceToolProperties`
    Tools,
}

impl DeviceQuery {
    /// Returns whether its commands fill a counted array.
    #[must_use]
    pub const fn is_counted(self) -> bool {
        matches!(self, Self::QueueFamilies | Self::Tools)
    }
}

/// A letter of the generated file.
macro_rules! filled_by {
    (P) => {
        Some($crate::structures::DeviceQuery::Properties)
    };
    (F) => {
        Some($crate::structures::DeviceQuery::Features)
    };
    (Q) => {
        Some($crate::structures::DeviceQuery::QueueFamilies)
    };
    (T) => {
        Some($crate::structures::DeviceQuery::Format)
    };
    (N) => {
        None
    };
}

/// The structures of the generated file: `TYPE NAME QUERY 64-BIT 32-BIT;`, a third size if it differs.
macro_rules! structures {
    ($($s_type:literal $name:ident $query:ident $wide:literal $narrow:literal $($packed:literal)?;)*) => {
        pub(super) const ROWS: &[$crate::structures::Structure] = &[$(
            $crate::structures::Structure {
                s_type: $s_type,
                filled_by: $crate::structures::filled_by!($query),
                sizes: [$wide, $narrow, [$($packed,)? $narrow][0]],
            },
        )*];
    };
}
pub(super) use {filled_by, structures};

/// The index of the target's size among a structure's sizes.
const ABI: usize = match (size_of::<usize>(), align_of::<u64>()) {
    (8, 8) => 0,
    (4, 8) => 1,
    (4, 4) => 2,
    _ => panic!("the generator knows no such ABI"),
};

/// The types, ascending.
static TYPES: [i32; ROWS.len()] = types();

/// The size in bytes of the structure with the type at the same index.
static SIZES: [u16; ROWS.len()] = sizes();

/// The query that fills the structure with the type at the same index.
static FILLED_BY: [Option<DeviceQuery>; ROWS.len()] = queries();

/// Returns the structures without pointers that `query` fills in a pNext chain: their `VkStructureType`, ascending, and
/// their C size in bytes. None for memory: only budgets may be in that chain, which change from call to call.
pub fn structures_filled_by(query: DeviceQuery) -> impl Iterator<Item = (i32, usize)> {
    let rows = TYPES.iter().zip(&SIZES).zip(&FILLED_BY);
    rows.filter(move |(_, filled_by)| **filled_by == Some(query))
        .map(|((s_type, size), _)| (*s_type, usize::from(*size)))
}

/// Returns the C size in bytes of the structure with this `VkStructureType`; `None` for one that the
/// registry allows neither in the pNext chain of a `VkDeviceCreateInfo` nor in that of a [`DeviceQuery`].
pub fn structure_size(s_type: i32) -> Option<usize> {
    let index = TYPES.binary_search(&s_type).ok()?;
    SIZES.get(index).copied().map(usize::from)
}

const fn types() -> [i32; ROWS.len()] {
    let mut types = [0; ROWS.len()];
    let mut row = 0;
    while row < ROWS.len() {
        types[row] = ROWS[row].s_type;
        assert!(row == 0 || types[row - 1] < types[row], "the generated rows must ascend");
        row += 1;
    }
    types
}

const fn sizes() -> [u16; ROWS.len()] {
    let mut sizes = [0; ROWS.len()];
    let mut row = 0;
    while row < ROWS.len() {
        sizes[row] = ROWS[row].sizes[ABI];
        row += 1;
    }
    sizes
}

const fn queries() -> [Option<DeviceQuery>; ROWS.len()] {
    let mut queries = [None; ROWS.len()];
    let mut row = 0;
    while row < ROWS.len() {
        queries[row] = ROWS[row].filled_by;
        row += 1;
    }
    queries
}
