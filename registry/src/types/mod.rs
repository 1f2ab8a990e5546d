//! The types of all registry commands and of their parameters: types from `ash`, which is generated from an older
//! registry, and generated ones for the rest.
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

/// Structures, each with its size, and the offset of each member: three numbers, one for each ABI. A tagged structure begins
/// with its type and the rest of the chain, which the row does not list.
macro_rules! structures {
    ($(
        $name:ident $(tagged $number:literal $mutability:tt)? ($($size:literal)*) {
            $($member:ident: $type:ty [$($at:literal)*],)*
        };
    )*) => {$(
        #[doc = concat!("`Vk", stringify!($name), "`")]
        #[derive(Clone, Copy)]
        #[repr(C)]
        pub struct $name {
            $(
                pub s_type: vk::StructureType,
                pub p_next: *$mutability c_void,
            )?
            $(pub $member: $type,)*
        }

        const _: () = {
            assert!(size_of::<$name>() == [$($size),*][ABI]);
            $(assert!(core::mem::offset_of!($name, $member) == [$($at),*][ABI]);)*
        };

        $(
            // SAFETY: the structure begins with its type and the rest of the chain.
            unsafe impl vk::TaggedStructure for $name {
                const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw($number);
            }
        )?
    )*};
}

/// Unions, each with its size for each ABI.
macro_rules! unions {
    ($($name:ident ($($size:literal)*) { $($member:ident: $type:ty,)* };)*) => {$(
        #[doc = concat!("`Vk", stringify!($name), "`")]
        #[derive(Clone, Copy)]
        #[repr(C)]
        pub union $name {
            $(pub $member: $type,)*
        }

        const _: () = assert!(size_of::<$name>() == [$($size),*][ABI]);
    )*};
}

/// Enumerations, sets and other handles, with the constants of each.
macro_rules! numbers {
    ($($name:ident($type:ty) { $($constant:ident = $value:expr,)* };)*) => {$(
        #[doc = concat!("`Vk", stringify!($name), "`")]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[repr(transparent)]
        pub struct $name(pub $type);

        impl $name {
            $(pub const $constant: Self = Self($value);)*
        }
    )*};
}

macro_rules! handles {
    ($($name:ident;)*) => {$(
        #[doc = concat!("`Vk", stringify!($name), "`")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(transparent)]
        pub struct $name(pub *mut c_void);
    )*};
}

/// Pointers to commands. A row has the parameters and the result, or the pointer of which it is another name.
macro_rules! pointers {
    ($($name:ident $(= $($same:ident)::+)? $(($($parameter:ident: $type:ty,)*) $(-> $result:ty)?)?;)*) => {$(
        #[doc = concat!("`", stringify!($name), "`")]
        pub type $name =
            $($($same)::+)? $(unsafe extern "system" fn($($parameter: $type),*) $(-> $result)?)?;
    )*};
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
    handles_1_gen
    numbers_1_gen
    pointers_1_gen
    structures_1_gen
    unions_1_gen
}
