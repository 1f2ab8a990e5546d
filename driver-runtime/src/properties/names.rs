//! The form in which the generated files state enumerations and other names.

macro_rules! enumerations {
    ($($number:literal $constant:ident $enumeration:literal { $($name:literal $value:literal)* };)*) => {
        $(
            #[doc = concat!("`", $enumeration, "`")]
            pub(super) const $constant: u8 = $number;
        )*

        /// The names and values of each.
        pub(super) static ALL: [&[(&str, i64)]; [$($number),*].len()] = [$(&[$(($name, $value)),*]),*];
    };
}
pub(super) use enumerations;

macro_rules! aliases {
    ($($name:literal $of:literal;)*) => {
        pub(super) static ALIASES: &[(&str, &str)] = &[$(($name, $of)),*];
    };
}
pub(super) use aliases;
