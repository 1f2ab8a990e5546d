//! The types of all registry commands and of their parameters: types from `ash`, which is generated from an older
//! registry, and generated ones for the rest. [`entry_points!`](crate::entry_points) finds the command types here.
//!
//! If `ash` has a type under another name (`vkGetPhysicalDeviceFeatures2KHR` is `vkGetPhysicalDeviceFeatures2`), the
//! name here is an alias for it. Generated structures have raw pointers and no lifetimes; enumerations, sets and
//! handles are numbers. The sizes and member offsets of generated structures are checked at compile time, against the
//! C layout on 64-bit processors, 32-bit processors, and 32-bit x86. Member names come from C: `sType` is `s_type`,
//! and bit fields that share a word are one member with the names of all.

macro_rules! generated {
    ($($file:ident)*) => {$(
        #[allow(missing_docs, non_camel_case_types, reason = "named as in the specification, which explains them")]
        mod $file;
        pub use $file::*;
    )*};
}

/// Checks the size of a type and the places of its members, of which a row has three: one for each ABI.
macro_rules! layouts {
    ($name:ident ($($size:literal)*) $($member:ident ($($at:literal)*))*) => {
        const _: () = {
            assert!(size_of::<$name>() == [$($size),*][ABI]);
            $(assert!(core::mem::offset_of!($name, $member) == [$($at),*][ABI]);)*
        };
    };
}

/// Defines a structure's `s_type` value.
macro_rules! tagged {
    ($name:ident $number:literal) => {
        // SAFETY: the structure begins with its type and the rest of the chain.
        unsafe impl vk::TaggedStructure for $name {
            const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw($number);
        }
    };
}

/// The names that the generated files use.
mod needed {
    pub(super) use ash::vk;
    pub(super) use core::ffi::{c_char, c_void};

    /// The row of numbers that this processor has.
    pub(super) const ABI: usize = match (size_of::<usize>(), align_of::<u64>()) {
        (8, _) => 0,
        (_, 8) => 1,
        _ => 2,
    };
}

pub use ash::vk::*;

generated! {
    items_1_gen
    items_2_gen
    items_3_gen
    items_4_gen
    items_5_gen
    items_6_gen
    items_7_gen
    pointers_1_gen
    pointers_2_gen
    pointers_3_gen
}

#[cfg(test)]
mod all_1_gen;
#[cfg(test)]
mod all_2_gen;
#[cfg(test)]
mod tests;
