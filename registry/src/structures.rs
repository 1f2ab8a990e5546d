//! The sizes of structures, for copying pNext chains.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::panic,
    reason = "evaluated by the compiler, which reports a failure as an error"
)]

use super::structures_gen::ROWS;

pub(super) struct Structure {
    pub(super) s_type: i32,
    /// Bytes on 64-bit processors, on 32-bit ones, and on 32-bit ones that align `u64` to 4 bytes.
    pub(super) sizes: [u16; 3],
}

/// The structures of the generated file: `TYPE NAME 64-BIT 32-BIT;`, a third size if it differs.
macro_rules! structures {
    ($($s_type:literal $name:ident $wide:literal $narrow:literal $($packed:literal)?;)*) => {
        pub(super) const ROWS: &[$crate::structures::Structure] = &[$(
            $crate::structures::Structure {
                s_type: $s_type,
                sizes: [$wide, $narrow, [$($packed,)? $narrow][0]],
            },
        )*];
    };
}
pub(super) use structures;

/// The index of the target's size among a structure's sizes.
const ABI: usize = match (size_of::<usize>(), align_of::<u64>()) {
    (8, 8) => 0,
    (4, 8) => 1,
    (4, 4) => 2,
    _ => panic!("the generator knows no such ABI"),
};

static TYPES: [i32; ROWS.len()] = types();

static SIZES: [u16; ROWS.len()] = sizes();

/// Returns the C size in bytes of the structure with this `VkStructureType`; `None` for one that the
/// registry does not allow in the pNext chain of a `VkDeviceCreateInfo`.
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
