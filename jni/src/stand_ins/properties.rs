//! `libcutils.so`, `cutils/properties.h`: the system's properties, from the C library.

use core::ffi::{CStr, c_char, c_int};

/// `PROPERTY_VALUE_MAX`: bytes of a value with the NUL behind it.
const VALUE_MAX: usize = 92;

const WORDS: &[(&[u8], bool)] = &[
    (b"0", false),
    (b"n", false),
    (b"no", false),
    (b"off", false),
    (b"false", false),
    (b"1", true),
    (b"y", true),
    (b"yes", true),
    (b"on", true),
    (b"true", true),
];

#[link(name = "c")]
unsafe extern "C" {
    fn __system_property_get(name: *const c_char, value: *mut c_char) -> c_int;
    fn __system_property_set(name: *const c_char, value: *const c_char) -> c_int;
}

/// Writes a property, or the default if it is not set or empty. Returns the length.
///
/// # Safety
/// The key is a C string, the default NULL or a C string, and the value holds [`VALUE_MAX`] bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn property_get(
    key: *const c_char,
    value: *mut c_char,
    default: *const c_char,
) -> c_int {
    // SAFETY: by this function's `# Safety`.
    let length = unsafe { __system_property_get(key, value) };
    if length > 0 || default.is_null() {
        return length;
    }
    // SAFETY: by this function's `# Safety` the default is a C string; NULL was handled above.
    let bytes = unsafe { CStr::from_ptr(default) }.to_bytes();
    let length = bytes.len().min(VALUE_MAX.saturating_sub(1));
    // SAFETY: the value holds `VALUE_MAX` bytes, and the default has at least `length`. They may
    // overlap.
    unsafe {
        value.copy_from(default, length);
        value.add(length).write(0);
    }
    c_int::try_from(length).unwrap_or(0)
}

/// Sets a property, if the system lets the application do so. Returns 0 on success.
///
/// # Safety
/// Both are C strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn property_set(key: *const c_char, value: *const c_char) -> c_int {
    // SAFETY: by this function's `# Safety`.
    unsafe { __system_property_set(key, value) }
}

/// Returns a truth value, or the default if the property is not set or has another value.
///
/// # Safety
/// The key is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn property_get_bool(key: *const c_char, default: i8) -> i8 {
    // SAFETY: by this function's `# Safety`.
    let found = unsafe { with_value(key, |value| WORDS.iter().find(|(word, _)| *word == value)) };
    found.map_or(default, |(_, truth)| i8::from(*truth))
}

/// Returns a number, or the default if the property is not set or not a number of 64 bits.
///
/// # Safety
/// The key is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn property_get_int64(key: *const c_char, default: i64) -> i64 {
    // SAFETY: by this function's `# Safety`.
    unsafe { with_value(key, number) }.unwrap_or(default)
}

/// Returns a number, or the default if the property is not set or not a number of 32 bits.
///
/// # Safety
/// The key is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn property_get_int32(key: *const c_char, default: i32) -> i32 {
    // SAFETY: by this function's `# Safety`.
    let number = unsafe { with_value(key, number) };
    number.and_then(|number| i32::try_from(number).ok()).unwrap_or(default)
}

/// # Safety
/// The key is a C string.
unsafe fn with_value<T>(key: *const c_char, read: impl FnOnce(&[u8]) -> T) -> T {
    let mut value = [0; VALUE_MAX];
    // SAFETY: by this function's `# Safety` the key is a C string, and the C library writes at most
    // `VALUE_MAX` bytes.
    let length = unsafe { __system_property_get(key, value.as_mut_ptr().cast()) };
    read(value.get(..usize::try_from(length).unwrap_or(0)).unwrap_or_default())
}

/// Returns a number as C writes it: decimal, hexadecimal after `0x`, octal after `0`.
fn number(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let (base, digits) = match digits {
        [b'0', b'x' | b'X', rest @ ..] => (16, rest),
        [b'0', rest @ ..] if !rest.is_empty() => (8, rest),
        _ => (10, digits),
    };
    if digits.is_empty() {
        return None;
    }
    let mut number = 0_i64;
    for digit in digits {
        let digit = i64::from(char::from(*digit).to_digit(base)?);
        let larger = number.checked_mul(base.into())?;
        number = if negative { larger.checked_sub(digit)? } else { larger.checked_add(digit)? };
    }
    Some(number)
}
