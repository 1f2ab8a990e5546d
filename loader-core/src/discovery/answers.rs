//! Answers that arrive while a plan is made. Answers do not move when more are added, so a plan can refer to
//! them.
#![forbid(unsafe_code)]

use core::cell::OnceCell;

use super::question::{Key, Question};
use super::snapshot::{Answer, Record, answer};
use crate::memory::{Box, OutOfMemory, TryGrow, Vec, last_to_front};
use crate::platform::Platform;

/// A list that grows at its end, or the rest of one.
#[derive(Default)]
pub(super) struct Answers(OnceCell<Box<Entry>>);

struct Entry {
    record: Record,
    rest: Answers,
}

impl Iterator for Answers {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        let Entry { record, mut rest } = Box::into_inner(self.0.take()?);
        if let Some(entry) = rest.0.take() {
            let _ = self.0.set(entry);
        }
        Some(record)
    }

    /// Exact: the records are counted.
    fn size_hint(&self) -> (usize, Option<usize>) {
        let first = self.0.get();
        let length = core::iter::successors(first, |entry| entry.rest.0.get()).count();
        (length, Some(length))
    }
}

/// A list may be longer than the stack is deep, and each entry would drop the next recursively.
impl Drop for Answers {
    fn drop(&mut self) {
        while self.next().is_some() {}
    }
}

/// Stands for an answer that is not in the list, which cannot happen.
static UNKNOWN: Answer = Answer::Value(None);

pub(super) struct Asked<'a> {
    platform: &'a Platform,
    end: &'a Answers,
    /// Sorted by question.
    records: Vec<&'a Record>,
}

impl<'a> Asked<'a> {
    pub(super) fn new(platform: &'a Platform, answers: &'a Answers) -> Self {
        Self { platform, end: answers, records: Vec::new() }
    }

    pub(super) fn count(&self) -> usize {
        self.records.len()
    }

    /// Returns the answer to the question with this key. Each question is asked once.
    pub(super) fn answer(&mut self, key: Key<'_>) -> Result<&'a Answer, OutOfMemory> {
        let is_new = self.records.last().is_none_or(|last| last.question.key() < key);
        // Most questions come in order.
        let index = match is_new {
            true => Err(self.records.len()),
            false => self.records.binary_search_by(|record| record.question.key().cmp(&key)),
        };
        let index = match index {
            Ok(index) => index,
            Err(index) => {
                let question = Question::of(key)?;
                let answer = answer(self.platform, &question)?;
                let entry =
                    Box::try_new(Entry { record: Record { question, answer }, rest: Answers::default() })?;
                // Not `get_or_init`: it would be the loader's only function that can panic, and would add all
                // of the panic formatting.
                let _ = self.end.0.set(entry);
                let Some(entry) = self.end.0.get() else { return Ok(&UNKNOWN) };
                self.end = &entry.rest;
                self.records.try_push(&entry.record)?;
                last_to_front(self.records.get_mut(index..).unwrap_or_default());
                index
            }
        };
        Ok(self.records.get(index).map_or(&UNKNOWN, |record| &record.answer))
    }
}
