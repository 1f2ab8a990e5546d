//! Looks up answers, and notes the questions without one.
#![forbid(unsafe_code)]

use core::ffi::CStr;

use super::question::Question;
use super::snapshot::Snapshot;
use crate::memory::{CText, OutOfMemory, Text, TryGrow, Vec, sort_by, text};
#[cfg(not(feature = "fixed-drivers"))]
use crate::platform::Platform;
use crate::platform::{FileError, Reader};

/// A snapshot, and the questions that it does not answer yet.
///
/// A look-up without an answer notes the question and goes on as if nothing were there;
/// [`Inquiry::settle`], at the end of each stage, then sends the caller back. So one round asks
/// everything that a stage needs.
pub(super) struct Inquiry<'a> {
    snapshot: &'a Snapshot,
    /// Answers that are known already; whoever asked for them maintains them.
    base: Option<&'a Snapshot>,
    questions: Vec<Question>,
}

/// The result of a planning function.
#[derive(Debug)]
pub enum Step<T> {
    /// The function first needs these answers. Never empty.
    Ask(Vec<Question>),
    /// The plan.
    Ready(T),
}

/// More rounds than any search needs: variables; places, folders and files; identities, or what
/// layers depend on; the same for explicit layers.
#[cfg(not(feature = "fixed-drivers"))]
const ROUND_LIMIT: u32 = 16;

/// Puts the questions of `plan` to the platform until it is ready. The answers stay in `snapshot`.
///
/// # Errors
/// [`OutOfMemory`].
#[cfg(not(feature = "fixed-drivers"))]
pub(super) fn answer<T: Default>(
    platform: &Platform,
    snapshot: &mut Snapshot,
    plan: impl Fn(&Snapshot) -> Result<Step<T>, OutOfMemory>,
) -> Result<T, OutOfMemory> {
    for _ in 0..ROUND_LIMIT {
        match plan(snapshot)? {
            Step::Ready(plan) => return Ok(plan),
            Step::Ask(questions) => snapshot.ask(platform, questions)?,
        }
    }
    // A plan that still asks would ask the same questions again.
    Ok(T::default())
}

/// Why no plan can be made yet.
pub(super) enum Stop {
    /// There are open questions.
    Ask,
    /// Memory ran out.
    OutOfMemory,
}

impl From<OutOfMemory> for Stop {
    fn from(_: OutOfMemory) -> Self {
        Self::OutOfMemory
    }
}

impl<'a> Inquiry<'a> {
    pub(super) fn new(snapshot: &'a Snapshot, base: Option<&'a Snapshot>) -> Self {
        Self { snapshot, base, questions: Vec::new() }
    }

    /// Stops if a look-up had no answer yet.
    pub(super) fn settle(&self) -> Result<(), Stop> {
        if self.questions.is_empty() { Ok(()) } else { Err(Stop::Ask) }
    }

    /// The finished plan, or the open questions, each once.
    pub(super) fn step<T>(self, plan: Result<T, Stop>) -> Result<Step<T>, OutOfMemory> {
        match plan {
            Ok(plan) => Ok(Step::Ready(plan)),
            Err(Stop::Ask) => Ok(Step::Ask(self.into_questions())),
            Err(Stop::OutOfMemory) => Err(OutOfMemory),
        }
    }

    #[inline(never)] // once in the library, not once for each kind of plan
    fn into_questions(mut self) -> Vec<Question> {
        sort_by(&mut self.questions, |one, other| one.key().cmp(&other.key()));
        self.questions.dedup();
        self.questions
    }

    /// Whether the process is elevated.
    pub(super) fn elevated(&mut self) -> Result<bool, OutOfMemory> {
        let known = self.look_up(Snapshot::elevated);
        self.known(known, || Ok(Question::Elevated))
    }

    /// The value of a variable, if it is set.
    pub(super) fn variable(&mut self, name: &CStr, reader: Reader) -> Result<Option<&'a [u8]>, OutOfMemory> {
        let known = self.look_up(|snapshot| snapshot.variable(name, reader));
        self.known(known, || Ok(Question::Variable(CText::new(name)?, reader)))
    }

    /// The path of the executable, if known.
    pub(super) fn executable(&mut self) -> Result<Option<&'a [u8]>, OutOfMemory> {
        let known = self.look_up(Snapshot::executable);
        self.known(known, || Ok(Question::Executable))
    }

    /// Whether `path` names anything.
    pub(super) fn exists(&mut self, path: &[u8]) -> Result<bool, OutOfMemory> {
        let known = self.snapshot.exists(path);
        self.known(known, || Ok(Question::Exists(text(&[path])?)))
    }

    /// The identity of the file `path`, if known.
    pub(super) fn identity(&mut self, path: &[u8]) -> Result<Option<(u64, u64)>, OutOfMemory> {
        let known = self.snapshot.identity(path);
        self.known(known, || Ok(Question::Identity(text(&[path])?)))
    }

    /// The names in a folder.
    pub(super) fn listing(&mut self, path: &[u8]) -> Result<Result<&'a [Text], FileError>, OutOfMemory> {
        let known = self.snapshot.listing(path).map(Some);
        let names = self.known(known, || Ok(Question::Listing(text(&[path])?)))?;
        Ok(names.unwrap_or(Ok(&[])))
    }

    /// The content of a file.
    pub(super) fn file(&mut self, path: &[u8]) -> Result<Result<&'a [u8], FileError>, OutOfMemory> {
        let known = self.snapshot.file(path).map(Some);
        let content = self.known(known, || Ok(Question::File(text(&[path])?)))?;
        Ok(content.unwrap_or(Ok(b"")))
    }

    fn look_up<T>(&self, find: impl Fn(&'a Snapshot) -> Option<T>) -> Option<T> {
        self.base.and_then(&find).or_else(|| find(self.snapshot))
    }

    /// Returns `answer`, or notes the question and returns nothing.
    fn known<T: Default>(
        &mut self,
        answer: Option<T>,
        question: impl FnOnce() -> Result<Question, OutOfMemory>,
    ) -> Result<T, OutOfMemory> {
        match answer {
            Some(answer) => Ok(answer),
            None => {
                self.questions.try_push(question()?)?;
                Ok(T::default())
            }
        }
    }
}
