//! Text in the form that C expects.

use core::ffi::CStr;

use super::{OutOfMemory, Text, text};

/// A C string in memory of the process. Unlike with its bytes alone, its end need not be searched for.
#[derive(Debug, PartialEq, Eq)]
pub struct CText(Text);

impl CText {
    /// A copy of `string`.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn new(string: &CStr) -> Result<Self, OutOfMemory> {
        Ok(Self(text(&[string.to_bytes_with_nul()])?))
    }

    /// The string.
    #[must_use]
    pub fn as_c_str(&self) -> &CStr {
        // SAFETY: `new` copied the bytes of a C string with its NUL, and nothing changes them.
        unsafe { CStr::from_bytes_with_nul_unchecked(&self.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_the_same_string() {
        assert_eq!(CText::new(c"HOME").unwrap().as_c_str(), c"HOME");
        assert_eq!(CText::new(c"").unwrap().as_c_str(), c"");
    }
}
