//! Recorded answers about the system.
#![forbid(unsafe_code)]

use core::num::NonZero;

use super::question::{Key, Question};
use crate::manifest::SIZE_LIMIT;
use crate::memory::{OutOfMemory, Text, TryGrow, Vec, last_to_front, sort_by, text};
use crate::platform::{FileError, Fingerprint, Platform};

#[derive(Debug, PartialEq, Eq)]
pub enum Answer {
    /// To `Elevated` and `Exists`.
    Truth(bool),
    /// To `Executable` and `Variable`: its value, or `None` if it is unset or unknown.
    Value(Option<Text>),
    /// To `Identity`: device and number of the file, or `None` if unknown.
    Identity(Option<(u64, u64)>),
    /// To `Listing`: the names, and the digest of the folder's state before they were read.
    Names(Result<Vec<Text>, FileError>, Option<NonZero<u64>>),
    /// To `File`: the content, and the digest of the file's state before it was read.
    Content(Result<Text, FileError>, Option<NonZero<u64>>),
}

#[derive(Debug, PartialEq, Eq)]
pub struct Record {
    pub question: Question,
    pub answer: Answer,
}

/// All questions about the system and their answers: everything that a plan is made from.
///
/// A snapshot can be kept to answer the next call ([`Snapshot::still_true`]), shown, saved and replayed.
#[derive(Debug, Default)]
pub struct Snapshot {
    /// Sorted by question, each question once.
    records: Vec<Record>,
    /// The records that only a plan of explicit layers needs, sorted as well.
    optional: Vec<Record>,
}

/// The settings files in folders whose parents do not exist either, by their numbers in the snapshot.
#[derive(Clone, Copy, Debug, Default)]
pub struct Absent(u64);

impl Snapshot {
    pub const fn new() -> Self {
        Self { records: Vec::new(), optional: Vec::new() }
    }

    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Asks `platform` and records the answers.
    pub fn ask(&mut self, platform: &Platform, questions: Vec<Question>) -> Result<(), OutOfMemory> {
        let asked = self.ask_each(platform, questions);
        sort(&mut self.records);
        self.records.dedup_by(|later, earlier| later.question == earlier.question);
        asked
    }

    fn ask_each(&mut self, platform: &Platform, questions: Vec<Question>) -> Result<(), OutOfMemory> {
        for question in questions {
            let answer = answer(platform, &question)?;
            self.records.try_push(Record { question, answer })?;
        }
        Ok(())
    }

    pub fn record(&mut self, record: Record) -> Result<(), OutOfMemory> {
        match index_of(&self.records, record.question.key()) {
            Ok(_) => Ok(()),
            Err(index) => {
                self.records.try_push(record)?;
                last_to_front(self.records.get_mut(index..).unwrap_or_default());
                Ok(())
            }
        }
    }

    /// Copies the snapshot without its optional records, so that the copy can grow without asking the same
    /// questions again.
    pub fn copy(&self) -> Result<Self, OutOfMemory> {
        let mut records = Vec::new();
        records.try_fit(self.records.len())?;
        for record in &self.records {
            records.try_push(Record { question: record.question.copy()?, answer: record.answer.copy()? })?;
        }
        Ok(Self { records, optional: Vec::new() })
    }

    /// Frees the names in folders and the contents of files, which may be large; their states stay. For a
    /// snapshot that is no longer planned from.
    pub(crate) fn forget_contents(&mut self) {
        for record in self.records.iter_mut().chain(&mut self.optional) {
            match &mut record.answer {
                Answer::Content(Ok(content), _) => *content = Text::new(),
                Answer::Names(Ok(names), _) => *names = Vec::new(),
                _ => (),
            }
        }
    }

    /// Adds records of questions that the snapshot does not have yet; those after the first `needed` ones are
    /// optional. It stays as long as the process, so it takes only the memory that they need.
    pub(super) fn add(
        &mut self,
        mut all: impl Iterator<Item = Record>,
        needed: usize,
    ) -> Result<(), OutOfMemory> {
        for (list, count) in [(&mut self.records, needed), (&mut self.optional, usize::MAX)] {
            let records = all.by_ref().take(count);
            list.try_fit(records.size_hint().0)?;
            for record in records {
                list.try_push(record)?;
            }
            sort(list);
        }
        Ok(())
    }

    /// Returns whether everything in the snapshot is certainly still true.
    ///
    /// This reads variables again, checks the state of files and folders without opening them, and
    /// tries to list folders that could not be listed: one call of the platform for each variable
    /// and each path. Anything that cannot be checked without reading it again counts as changed.
    pub fn still_true(&self, platform: &Platform) -> Result<bool, OutOfMemory> {
        self.still_true_for(true, platform, &|_| false)
    }

    /// Does the same, without the optional records unless `all`, and without folders that are known to be
    /// `absent`.
    pub(crate) fn still_true_for(
        &self,
        all: bool,
        platform: &Platform,
        absent: &dyn Fn(&[u8]) -> bool,
    ) -> Result<bool, OutOfMemory> {
        let optional = if all { self.optional.as_slice() } else { &[] };
        for record in self.records.iter().chain(optional) {
            let is_absent = matches!((&record.question, &record.answer),
                (Question::Listing(path), Answer::Names(Err(FileError::NotFound), _)) if absent(path));
            if !is_absent && !record.still_true(platform)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Does the same as [`Snapshot::still_true`] for the answers behind the settings, and returns the folders
    /// that it found to be absent; `None` if something has changed.
    ///
    /// The folder of a settings file is next to the folders of all manifests, so that a look at its parent
    /// saves a look at each of them.
    pub(crate) fn still_absent(&self, platform: &Platform) -> Result<Option<Absent>, OutOfMemory> {
        let (mut absent, mut bit) = (0, 1u64);
        let may_skip = platform.files.lists_what_exists();
        for record in &self.records {
            if let (Question::Exists(path), Answer::Truth(false)) = (&record.question, &record.answer)
                && may_skip
                && above_settings(path).is_some_and(|parent| !platform.files.exists(parent))
            {
                absent |= bit;
            } else if !record.still_true(platform)? {
                return Ok(None);
            }
            bit = bit.wrapping_shl(1);
        }
        Ok(Some(Absent(absent)))
    }

    pub(crate) fn lacks(&self, absent: Absent, path: &[u8]) -> bool {
        let mut rest = absent.0;
        while rest != 0 {
            let record = self.records.get(rest.trailing_zeros() as usize);
            rest &= rest.wrapping_sub(1);
            if let Some(Record { question: Question::Exists(file), .. }) = record
                && let Some(parent) = above_settings(file)
                && path.get(parent.len()) == Some(&b'/')
                && path.starts_with(parent)
            {
                return true;
            }
        }
        false
    }

    pub(super) fn answer_to(&self, key: Key<'_>) -> Option<&Answer> {
        let find = |records: &'_ [Record]| index_of(records, key).ok();
        let needed = find(&self.records).and_then(|index| self.records.get(index));
        Some(&needed.or_else(|| self.optional.get(find(&self.optional)?))?.answer)
    }
}

fn index_of(records: &[Record], key: Key<'_>) -> Result<usize, usize> {
    records.binary_search_by(|record| record.question.key().cmp(&key))
}

fn sort(records: &mut [Record]) {
    sort_by(records, |one, other| one.question.key().cmp(&other.question.key()));
}

/// Returns the folder that would contain the folder of this settings file.
fn above_settings(path: &[u8]) -> Option<&[u8]> {
    const BELOW: usize = b"/loader_settings.d/vk_loader_settings.json".len();
    path.get(..path.len().checked_sub(BELOW)?)
}

impl Answer {
    pub(super) fn truth(&self) -> bool {
        matches!(self, Self::Truth(true))
    }

    pub(super) fn value(&self) -> Option<&[u8]> {
        if let Self::Value(value) = self { value.as_deref() } else { None }
    }

    pub(super) fn identity(&self) -> Option<(u64, u64)> {
        if let Self::Identity(identity) = self { *identity } else { None }
    }

    pub(super) fn names(&self) -> Result<&[Text], FileError> {
        if let Self::Names(names, _) = self { names.as_deref().map_err(|error| *error) } else { Ok(&[]) }
    }

    pub(super) fn content(&self) -> Result<&[u8], FileError> {
        if let Self::Content(content, _) = self {
            content.as_deref().map_err(|error| *error)
        } else {
            Ok(b"")
        }
    }

    fn copy(&self) -> Result<Self, OutOfMemory> {
        Ok(match self {
            Self::Truth(truth) => Self::Truth(*truth),
            Self::Value(value) => Self::Value(value.as_ref().map(|value| text(&[value])).transpose()?),
            Self::Identity(identity) => Self::Identity(*identity),
            Self::Names(Err(error), state) => Self::Names(Err(*error), *state),
            Self::Names(Ok(names), state) => {
                let mut copies = Vec::new();
                for name in names {
                    copies.try_push(text(&[name])?)?;
                }
                Self::Names(Ok(copies), *state)
            }
            Self::Content(Err(error), state) => Self::Content(Err(*error), *state),
            Self::Content(Ok(content), state) => Self::Content(Ok(text(&[content])?), *state),
        })
    }
}

pub(super) fn answer(platform: &Platform, question: &Question) -> Result<Answer, OutOfMemory> {
    Ok(match question {
        Question::Elevated => Answer::Truth(platform.identity.elevated()),
        Question::Executable => Answer::Value(platform.identity.executable()?),
        Question::Variable(name, reader) => {
            Answer::Value(platform.environment.variable(name.as_c_str(), *reader)?)
        }
        Question::Exists(path) => Answer::Truth(platform.files.exists(path)),
        Question::Identity(path) => Answer::Identity(platform.files.identity(path)),
        Question::Listing(path) => match platform.files.list_with_state(path) {
            Err(FileError::OutOfMemory) => return Err(OutOfMemory),
            Err(error) => Answer::Names(Err(error), None),
            Ok((names, state)) => Answer::Names(Ok(names), state.as_ref().map(Fingerprint::digest)),
        },
        Question::File(path) => match platform.files.read_with_state(path, SIZE_LIMIT) {
            Err(FileError::OutOfMemory) => return Err(OutOfMemory),
            Err(error) => Answer::Content(Err(error), None),
            Ok((content, state)) => Answer::Content(Ok(content), state.as_ref().map(Fingerprint::digest)),
        },
    })
}

impl Record {
    fn still_true(&self, platform: &Platform) -> Result<bool, OutOfMemory> {
        let (Question::Listing(path) | Question::File(path)) = &self.question else {
            return match (&self.question, &self.answer) {
                (Question::Variable(name, reader), Answer::Value(value)) => {
                    platform.environment.has(name.as_c_str(), *reader, value.as_deref())
                }
                (Question::Exists(path), Answer::Truth(exists)) => Ok(platform.files.exists(path) == *exists),
                // A process is elevated from its start or never.
                (Question::Elevated, _) => Ok(true),
                (question, known) => Ok(answer(platform, question)? == *known),
            };
        };
        Ok(match &self.answer {
            // Only directory listings may come from a program instead of the system.
            Answer::Names(Err(known), _) => match platform.files.list(path) {
                Err(FileError::OutOfMemory) => return Err(OutOfMemory),
                Err(error) => error == *known,
                Ok(_) => false,
            },
            Answer::Content(Err(_), _) => !platform.files.exists(path),
            Answer::Names(Ok(_), state) | Answer::Content(Ok(_), state) => {
                state.is_some()
                    && platform.files.fingerprint(path).as_ref().map(Fingerprint::digest) == *state
            }
            _ => false,
        })
    }
}
