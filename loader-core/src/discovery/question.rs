//! What a plan may have to know about the system.
#![forbid(unsafe_code)]

use core::ffi::CStr;

use crate::memory::{OutOfMemory, Text, text};
use crate::platform::Reader;

/// One fact about the system.
#[derive(Debug, PartialEq, Eq)]
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

/// The kinds of questions. Those come first that cost least to ask again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Topic {
    Elevated,
    PlainVariable,
    SecureVariable,
    Executable,
    Exists,
    Identity,
    Listing,
    File,
}

impl Question {
    /// What orders questions, and equals only for equal ones: the kind, and the name or path.
    pub(super) fn key(&self) -> (Topic, &[u8]) {
        match self {
            Self::Elevated => (Topic::Elevated, b""),
            Self::Executable => (Topic::Executable, b""),
            Self::Variable(name, Reader::Plain) => (Topic::PlainVariable, name.bytes()),
            Self::Variable(name, Reader::Secure) => (Topic::SecureVariable, name.bytes()),
            Self::Exists(path) => (Topic::Exists, path),
            Self::Identity(path) => (Topic::Identity, path),
            Self::Listing(path) => (Topic::Listing, path),
            Self::File(path) => (Topic::File, path),
        }
    }
}

/// The name of a variable of the process, with a NUL at its end and none before it.
#[derive(Debug, PartialEq, Eq)]
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

    /// The name without the NUL at its end.
    fn bytes(&self) -> &[u8] {
        self.0.split_last().map_or(b"", |(_, name)| name)
    }
}
