//! The form in which the generated files state enumerations.

macro_rules! enumerations {
    ($($constant:ident $enumeration:literal { $($name:literal $value:expr;)* })*) => {$(
        #[doc = concat!("`", $enumeration, "`")]
        pub(super) static $constant: &[(&str, i64)] = &[$(($name, $value)),*];
    )*};
}
pub(super) use enumerations;
