//! Recorded answers about the system.
#![forbid(unsafe_code)]

use super::question::Question;
use crate::memory::{OutOfMemory, Text, Vec};
use crate::platform::{FileError, Fingerprint, Platform};

/// The answer to a [`Question`].
#[derive(Debug, PartialEq, Eq)]
pub enum Answer {
    /// To `Elevated` and `Exists`.
    Truth(bool),
    /// To `Executable` and `Variable`: its value, or `None` where it is unset or unknown.
    Value(Option<Text>),
    /// To `Identity`: device and number of the file, or `None` where that is not known.
    Identity(Option<(u64, u64)>),
    /// To `Listing`: the names, and the state of the folder before they were read.
    Names(Result<Vec<Text>, FileError>, Option<Fingerprint>),
    /// To `File`: the content, and the state of the file before it was read.
    Content(Result<Text, FileError>, Option<Fingerprint>),
}

/// A question and its answer.
#[derive(Debug, PartialEq, Eq)]
pub struct Record {
    /// What was asked.
    pub question: Question,
    /// What the platform said.
    pub answer: Answer,
}

/// Everything that was asked about the system, and the answers: all that a plan is made from.
///
/// A snapshot can be kept to answer the next call ([`Snapshot::still_true`]), shown, saved and replayed.
#[derive(Debug, Default)]
pub struct Snapshot {
    /// Sorted by question, each question once.
    records: Vec<Record>,
}

impl Snapshot {
    /// A snapshot that knows nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self { records: Vec::new() }
    }

    /// Every question with its answer.
    #[must_use]
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Asks `platform` and records the answers.
    ///
    /// # Errors
    /// [`OutOfMemory`]; the snapshot then holds what it held before, and perhaps a part of the new answers.
    pub fn ask(&mut self, platform: &Platform, questions: Vec<Question>) -> Result<(), OutOfMemory> {
        let _ = (platform, questions);
        Err(OutOfMemory)
    }

    /// Whether everything in the snapshot is certainly still as it was recorded.
    ///
    /// This reads variables again and looks at the state of files and folders, without opening one: it costs a call
    /// of the environment for each variable and one of the file system for each path. What cannot be told without
    /// reading it again counts as changed.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn still_true(&self, platform: &Platform) -> Result<bool, OutOfMemory> {
        let _ = platform;
        Ok(false)
    }
}
