//! The facts about the system that a plan may need.
#![forbid(unsafe_code)]

use crate::memory::{CText, OutOfMemory, Text, text};
use crate::platform::Reader;

#[derive(Debug, PartialEq, Eq)]
pub enum Question {
    /// Whether the process has privileges that its user may lack.
    Elevated,
    Executable,
    Variable(CText, Reader),
    Exists(Text),
    /// The identity of the file at a path, however the path is spelled.
    Identity(Text),
    Listing(Text),
    File(Text),
}

/// The kinds of questions. Variables come first, since they cost least to ask again; the rest is in
/// search order, so that new answers come after the known ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Topic {
    Elevated,
    PlainVariable,
    SecureVariable,
    Executable,
    Listing,
    File,
    Identity,
    Exists,
}

impl Question {
    pub(super) fn of((topic, _, name): Key<'_>) -> Result<Self, OutOfMemory> {
        Ok(match topic {
            Topic::Elevated => Self::Elevated,
            Topic::Executable => Self::Executable,
            Topic::PlainVariable => Self::Variable(CText::of_bytes(name)?, Reader::Plain),
            Topic::SecureVariable => Self::Variable(CText::of_bytes(name)?, Reader::Secure),
            Topic::Exists => Self::Exists(text(&[name])?),
            Topic::Identity => Self::Identity(text(&[name])?),
            Topic::Listing => Self::Listing(text(&[name])?),
            Topic::File => Self::File(text(&[name])?),
        })
    }

    pub(super) fn copy(&self) -> Result<Self, OutOfMemory> {
        Self::of(self.key())
    }

    pub(super) fn key(&self) -> Key<'_> {
        match self {
            Self::Elevated => key(Topic::Elevated, b""),
            Self::Executable => key(Topic::Executable, b""),
            Self::Variable(name, Reader::Plain) => key(Topic::PlainVariable, name.as_c_str().to_bytes()),
            Self::Variable(name, Reader::Secure) => key(Topic::SecureVariable, name.as_c_str().to_bytes()),
            Self::Exists(path) => key(Topic::Exists, path),
            Self::Identity(path) => key(Topic::Identity, path),
            Self::Listing(path) => key(Topic::Listing, path),
            Self::File(path) => key(Topic::File, path),
        }
    }
}

/// The kind of a question, and the length and the bytes of its name or path: few names have the
/// same length, so the bytes are seldom compared.
pub(super) type Key<'a> = (Topic, usize, &'a [u8]);

pub(super) const fn key(topic: Topic, name: &[u8]) -> Key<'_> {
    (topic, name.len(), name)
}
