//! What a plan may have to know about the system.
#![forbid(unsafe_code)]

use crate::memory::{CText, OutOfMemory, Text, text};
use crate::platform::Reader;

/// One fact about the system.
#[derive(Debug, PartialEq, Eq)]
pub enum Question {
    /// Whether the process has privileges that its user may lack.
    Elevated,
    /// The path of the executable.
    Executable,
    /// The value of a variable.
    Variable(CText, Reader),
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
    /// The same question.
    pub(super) fn copy(&self) -> Result<Self, OutOfMemory> {
        Ok(match self {
            Self::Elevated => Self::Elevated,
            Self::Executable => Self::Executable,
            Self::Variable(name, reader) => Self::Variable(CText::new(name.as_c_str())?, *reader),
            Self::Exists(path) => Self::Exists(text(&[path])?),
            Self::Identity(path) => Self::Identity(text(&[path])?),
            Self::Listing(path) => Self::Listing(text(&[path])?),
            Self::File(path) => Self::File(text(&[path])?),
        })
    }

    /// What orders questions, and equals only for equal ones: the kind, and the name or path.
    pub(super) fn key(&self) -> (Topic, &[u8]) {
        match self {
            Self::Elevated => (Topic::Elevated, b""),
            Self::Executable => (Topic::Executable, b""),
            Self::Variable(name, Reader::Plain) => (Topic::PlainVariable, name.as_c_str().to_bytes()),
            Self::Variable(name, Reader::Secure) => (Topic::SecureVariable, name.as_c_str().to_bytes()),
            Self::Exists(path) => (Topic::Exists, path),
            Self::Identity(path) => (Topic::Identity, path),
            Self::Listing(path) => (Topic::Listing, path),
            Self::File(path) => (Topic::File, path),
        }
    }
}
