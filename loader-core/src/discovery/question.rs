//! What a plan may have to know about the system.
#![forbid(unsafe_code)]

use core::ffi::CStr;

use crate::memory::{OutOfMemory, Text, text};
use crate::platform::Reader;

/// One fact about the system. The order puts those first that cost least to look up again.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Question {
    /// Whether the process has privileges that its user may lack.
    Elevated,
    /// The path of the executable.
    Executable,
    /// The value of a variable.
    Variable(VariableName, Reader),
    /// Whether a path names anything.
    Exists(Text),
    /// Which file a path names, however it is spelled.
    Identity(Text),
    /// The names in a folder.
    Listing(Text),
    /// The content of a file.
    File(Text),
}

/// The name of a variable of the process.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct VariableName(Text);

impl VariableName {
    /// The variable called `name`.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn new(name: &CStr) -> Result<Self, OutOfMemory> {
        Ok(Self(text(&[name.to_bytes_with_nul()])?))
    }

    /// The name.
    #[must_use]
    pub fn as_c_str(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.0).unwrap_or(c"")
    }
}
