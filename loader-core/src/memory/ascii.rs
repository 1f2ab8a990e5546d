//! Comparing and trimming ASCII text, and reading numbers. The functions of `core` are copied to each place
//! that uses them, at some 200 bytes each; the library contains these only once.

/// Returns whether both texts are equal, ignoring the case of ASCII letters.
#[inline(never)]
pub fn is_same_in_any_case(one: &[u8], other: &[u8]) -> bool {
    one.eq_ignore_ascii_case(other)
}

/// Returns a number of at most 32 bits in digits of this base, without a sign.
#[inline(never)]
pub fn number(digits: &[u8], base: u32) -> Option<u32> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0u32, |number, digit| {
        number.checked_mul(base)?.checked_add(char::from(*digit).to_digit(base)?)
    })
}

/// Returns the digits of a hexadecimal number that begins with `0x`.
pub fn hexadecimal_digits(text: &[u8]) -> Option<&[u8]> {
    text.strip_prefix(b"0x").or_else(|| text.strip_prefix(b"0X"))
}

/// Returns the text without the blanks around it.
#[inline(never)]
pub fn trimmed(text: &[u8]) -> &[u8] {
    text.trim_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_digits_and_nothing_else() {
        assert_eq!(number(b"4294967295", 10), Some(u32::MAX));
        assert_eq!(number(b"fFffFfff", 16), Some(u32::MAX));
        assert_eq!(number(b"007", 10), Some(7));
        for (text, base) in
            [("4294967296", 10), ("100000000", 16), ("", 10), ("+1", 10), ("-1", 16), ("1f", 10), ("1 ", 10)]
        {
            assert_eq!(number(text.as_bytes(), base), None, "{text}");
        }
    }
}
