//! Comparing and trimming ASCII text. Core's functions for it are copied wherever they are used, some 200 bytes each time; these are
//! once in the library.

/// Whether both texts are the same but for the case of ASCII letters.
#[inline(never)]
pub fn is_same_in_any_case(one: &[u8], other: &[u8]) -> bool {
    one.eq_ignore_ascii_case(other)
}

/// The text without the blanks around it.
#[inline(never)]
pub fn trimmed(text: &[u8]) -> &[u8] {
    text.trim_ascii()
}
