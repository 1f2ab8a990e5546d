//! Text in the form that C expects.

use core::ffi::CStr;

use super::{OutOfMemory, Text, text};

/// A C string in memory of the process, which also knows its length.
#[derive(Debug, PartialEq, Eq)]
pub struct CText(Text);

impl CText {
    pub fn new(string: &CStr) -> Result<Self, OutOfMemory> {
        Ok(Self(text(&[string.to_bytes_with_nul()])?))
    }

    /// Returns a copy of `bytes`, which end before their first NUL.
    pub fn of_bytes(bytes: &[u8]) -> Result<Self, OutOfMemory> {
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        Ok(Self(text(&[bytes.get(..end).unwrap_or_default(), &[0]])?))
    }

    pub fn as_c_str(&self) -> &CStr {
        // SAFETY: both constructors end the bytes with the only NUL in them, and nothing changes them.
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
