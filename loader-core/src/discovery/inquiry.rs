//! Looks up answers, and records the questions without one.
#![forbid(unsafe_code)]

use core::ffi::CStr;

use super::answers::Answers;
use super::answers::Asked;
use super::question::{Question, Topic, key};
use super::snapshot::{Answer, Snapshot};
use crate::memory::{OutOfMemory, Text, TryGrow, Vec, sort_by};
use crate::platform::Platform;
use crate::platform::{FileError, Reader};

/// A snapshot, and the source of further answers.
///
/// With a platform, a question that the snapshot cannot answer is put to the platform at once. Without one it
/// is recorded, and planning continues as if the object were missing; [`Inquiry::settle`], at the end of each
/// stage, then returns all the questions of the stage to the caller.
pub(super) struct Inquiry<'a> {
    snapshot: &'a Snapshot,
    /// Answers that are already known. The code that asked for them keeps them current.
    base: Option<&'a Snapshot>,
    platform: Option<Asked<'a>>,
    questions: Vec<Question>,
    /// The number of answers of the platform that every plan needs, unless all of them are needed.
    needed: Option<usize>,
}

#[derive(Debug)]
pub enum Step<T> {
    /// The function first needs these answers. Never empty.
    Ask(Vec<Question>),
    Ready(T),
}

/// Makes a plan. Puts questions that neither `snapshot` nor `base` answers to `platform`, and stores the
/// answers in `snapshot`.
pub(super) fn answer<T: Default>(
    platform: &Platform,
    snapshot: &mut Snapshot,
    base: Option<&Snapshot>,
    plan: impl FnOnce(&mut Inquiry<'_>) -> Result<T, Incomplete>,
) -> Result<T, OutOfMemory> {
    let answers = Answers::default();
    let platform = Some(Asked::new(platform, &answers));
    let mut inquiry = Inquiry { platform, ..Inquiry::new(snapshot, base) };
    let plan = plan(&mut inquiry);
    let needed = inquiry.needed.unwrap_or(usize::MAX);
    drop(inquiry);
    snapshot.add(answers, needed)?;
    match plan {
        Ok(plan) => Ok(plan),
        Err(Incomplete::OutOfMemory) => Err(OutOfMemory),
        // A caller with a platform has no open questions.
        Err(Incomplete::Ask) => Ok(T::default()),
    }
}

pub(super) enum Incomplete {
    Ask,
    OutOfMemory,
}

impl From<OutOfMemory> for Incomplete {
    fn from(_: OutOfMemory) -> Self {
        Self::OutOfMemory
    }
}

impl<'a> Inquiry<'a> {
    pub(super) fn new(snapshot: &'a Snapshot, base: Option<&'a Snapshot>) -> Self {
        Self { snapshot, base, platform: None, questions: Vec::new(), needed: None }
    }

    pub(super) fn begin_optional(&mut self) {
        self.needed = self.platform.as_ref().map(Asked::count);
    }

    /// Stops if a question had no answer yet.
    pub(super) fn settle(&self) -> Result<(), Incomplete> {
        if self.questions.is_empty() { Ok(()) } else { Err(Incomplete::Ask) }
    }

    /// Returns the finished plan, or the open questions, each once.
    pub(super) fn step<T>(self, plan: Result<T, Incomplete>) -> Result<Step<T>, OutOfMemory> {
        match plan {
            Ok(plan) => Ok(Step::Ready(plan)),
            Err(Incomplete::Ask) => Ok(Step::Ask(self.into_questions())),
            Err(Incomplete::OutOfMemory) => Err(OutOfMemory),
        }
    }

    #[inline(never)] // once in the library, not once for each kind of plan
    fn into_questions(mut self) -> Vec<Question> {
        sort_by(&mut self.questions, |one, other| one.key().cmp(&other.key()));
        self.questions.dedup();
        self.questions
    }

    pub(super) fn elevated(&mut self) -> Result<bool, OutOfMemory> {
        Ok(self.answer(self.base, Topic::Elevated, b"")?.is_some_and(Answer::truth))
    }

    pub(super) fn variable(&mut self, name: &CStr, reader: Reader) -> Result<Option<&'a [u8]>, OutOfMemory> {
        let topic = match reader {
            Reader::Plain => Topic::PlainVariable,
            Reader::Secure => Topic::SecureVariable,
        };
        Ok(self.answer(self.base, topic, name.to_bytes())?.and_then(Answer::value))
    }

    pub(super) fn executable(&mut self) -> Result<Option<&'a [u8]>, OutOfMemory> {
        Ok(self.answer(self.base, Topic::Executable, b"")?.and_then(Answer::value))
    }

    pub(super) fn exists(&mut self, path: &[u8]) -> Result<bool, OutOfMemory> {
        Ok(self.answer(None, Topic::Exists, path)?.is_some_and(Answer::truth))
    }

    pub(super) fn identity(&mut self, path: &[u8]) -> Result<Option<(u64, u64)>, OutOfMemory> {
        Ok(self.answer(None, Topic::Identity, path)?.and_then(Answer::identity))
    }

    pub(super) fn listing(&mut self, path: &[u8]) -> Result<Result<&'a [Text], FileError>, OutOfMemory> {
        Ok(self.answer(None, Topic::Listing, path)?.map_or(Ok(&[]), Answer::names))
    }

    pub(super) fn file(&mut self, path: &[u8]) -> Result<Result<&'a [u8], FileError>, OutOfMemory> {
        Ok(self.answer(None, Topic::File, path)?.map_or(Ok(b""), Answer::content))
    }

    /// Returns the answer to a question about `name`, or `None` after recording the question.
    fn answer(
        &mut self,
        base: Option<&'a Snapshot>,
        topic: Topic,
        name: &[u8],
    ) -> Result<Option<&'a Answer>, OutOfMemory> {
        let key = key(topic, name);
        let known = base.and_then(|base| base.answer_to(key)).or_else(|| self.snapshot.answer_to(key));
        if known.is_some() {
            return Ok(known);
        }
        match &mut self.platform {
            Some(platform) => platform.answer(key).map(Some),
            None => {
                self.questions.try_push(Question::of(key)?)?;
                Ok(None)
            }
        }
    }
}
