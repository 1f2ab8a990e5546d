//! From names and values to locations and values, by the compiler.

use crate::properties::locations::{self, Location};
use crate::properties::plain_gen;
use crate::properties::rows::{Kind, Member, Plain, Structure};

/// A required value, of a member by its name.
#[derive(Clone, Copy)]
pub(super) struct Required {
    pub(super) member: &'static str,
    pub(super) element: u16,
    pub(super) value: Value,
}

/// A value with everything that a limit can be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value {
    Integer(i64),
    Real(f32),
}

/// A location, and the required value there.
#[derive(Clone, Copy)]
pub(crate) struct Limit {
    pub(crate) location: Location,
    pub(crate) scalar: Scalar,
    pub(crate) value: Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    Bits8,
    Bits32,
    Signed32,
    Bits64,
    Real,
    Size,
}

pub(super) const fn is(member: &'static str, value: i64) -> Required {
    Required { member, element: 0, value: Value::Integer(value) }
}

/// Returns a whole number in an array or a structure of `uint32_t`.
pub(super) const fn at(member: &'static str, element: u16, value: i64) -> Required {
    Required { member, element, value: Value::Integer(value) }
}

pub(super) const fn real(member: &'static str, element: u16, value: f32) -> Required {
    Required { member, element, value: Value::Real(value) }
}

/// Values of members, with an element's number for those in an array: whole numbers, and after a semicolon real ones.
macro_rules! values {
    ($($member:ident $($element:literal)? = $value:expr),* $(; $($real:ident $($of:literal)? = $number:expr),*)?) => {
        [
            $($crate::properties::required::build::at(stringify!($member), 0 $(+ $element)?, $value),)*
            $($($crate::properties::required::build::real(stringify!($real), 0 $(+ $of)?, $number),)*)?
        ]
    };
}
pub(super) use values;

/// Finds the members of a structure that has them `base` from the beginning of what `location` is.
#[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
pub(super) const fn limits<const N: usize>(
    structure: &Structure,
    location: Location,
    required: [Required; N],
) -> [Limit; N] {
    let mut found = [Limit { location, scalar: Scalar::Size, value: Value::Integer(0) }; N];
    let mut number = 0;
    while number < N {
        found[number] = limit(structure, location, required[number]);
        number += 1;
    }
    found
}

#[expect(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::panic,
    reason = "evaluated by the compiler"
)]
pub(super) const fn limit(structure: &Structure, location: Location, required: Required) -> Limit {
    let mut number = 0;
    while number < structure.members.len() {
        let member = &structure.members[number];
        if locations::equal(member.name, required.member) {
            let (scalar, size) = scalar(member);
            let at = (structure.offset(number) + size * required.element as usize) as u16;
            let location = match location {
                Location::Limits(begin) => Location::Limits(begin + at),
                Location::Version(version, begin) => Location::Version(version, begin + at),
                Location::Store(begin) => Location::Store(begin + at),
                Location::Nowhere => panic!("the structure is not kept"),
            };
            return Limit { location, scalar, value: required.value };
        }
        number += 1;
    }
    panic!("the structure has no such member")
}

/// Returns how an element of the member is stored. Nested structures have members of `uint32_t`.
const fn scalar(member: &Member) -> (Scalar, usize) {
    match member.kind {
        Kind::F32 => (Scalar::Real, 4),
        Kind::I32 => (Scalar::Signed32, 4),
        Kind::Size => (Scalar::Size, size_of::<usize>()),
        kind => match kind.layout() {
            (1, _) => (Scalar::Bits8, 1),
            (8, _) if !matches!(kind, Kind::Nested(_)) => (Scalar::Bits64, 8),
            _ => (Scalar::Bits32, 4),
        },
    }
}

/// The structure that is a member of the properties of Vulkan 1.0.
pub(super) const LIMITS: &Structure = Plain(plain_gen::PHYSICAL_DEVICE_LIMITS).structure();
