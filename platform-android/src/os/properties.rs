//! The system's properties.

use core::ffi::{CStr, c_char, c_void};
use core::ptr::NonNull;

use vkload_core::memory::{OutOfMemory, Text, text};

use crate::late;
use crate::system::{PROPERTY_VALUE_MAX, PropertyValue};

/// Takes the current value of a property: the data passed to [`ReadProperty`], the name, the value
/// and a serial number.
type TakeValue = unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char, u32);
type FindProperty = unsafe extern "C" fn(*const c_char) -> Option<NonNull<c_void>>;
type ReadProperty = unsafe extern "C" fn(NonNull<c_void>, TakeValue, *mut c_void);

late! {
    find_property: FindProperty = c"__system_property_find" in c"libc.so";
    // Since API level 26.
    read_property: ReadProperty = c"__system_property_read_callback" in c"libc.so";
}

/// Returns the value, empty if not set.
pub(super) fn value(name: &CStr) -> PropertyValue {
    let mut value = [0u8; PROPERTY_VALUE_MAX];
    // SAFETY: the name is a C string, and `value` is large enough for any value with its NUL.
    unsafe { libc::__system_property_get(name.as_ptr(), value.as_mut_ptr().cast()) };
    CStr::from_bytes_until_nul(&value)
        .map_or(PropertyValue::empty(), |value| PropertyValue::new(value.to_bytes()))
}

/// Returns the value, however long. If it cannot be read that way, every value fits into
/// [`value`]'s buffer.
pub(super) fn whole_value(name: &CStr) -> Result<Text, OutOfMemory> {
    let (Some(find), Some(read)) = (find_property(), read_property()) else {
        return text(&[value(name).as_bytes()]);
    };
    let mut taken = Ok(Text::new());
    // SAFETY: the name is a C string. A property once found stays valid, and `take` gets a pointer
    // to `taken`, of the type that it writes.
    unsafe {
        if let Some(property) = find(name.as_ptr()) {
            read(property, take, (&raw mut taken).cast());
        }
    }
    taken
}

/// # Safety
/// `taken` leads to a `Result<Text, OutOfMemory>` that no other code uses, and `value` is a valid C
/// string.
unsafe extern "C" fn take(taken: *mut c_void, _: *const c_char, value: *const c_char, _: u32) {
    // SAFETY: by this function's `# Safety` `taken` is a valid result that no other code uses, and
    // `value` a valid C string.
    unsafe { *taken.cast::<Result<Text, OutOfMemory>>() = text(&[CStr::from_ptr(value).to_bytes()]) };
}
