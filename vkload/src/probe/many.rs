//! Tries several things, some at a time.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::parent::{Settings, try_out};
use super::{Subject, Trial};
use crate::switches::Changes;

/// More processes at a time would only wait for each other.
const AT_A_TIME: usize = 4;

/// The progress callback, which receives the current trial's name.
pub(crate) type Progress<'a> = &'a (dyn Fn(&str) + Sync);

pub(crate) struct Attempt {
    /// The driver's manifest or the layer. Empty for the loader.
    pub(crate) name: String,
    pub(crate) subject: Subject,
    pub(crate) changes: Changes,
}

impl Attempt {
    pub(crate) fn of(name: &str, subject: Subject) -> Self {
        Self { name: name.to_owned(), subject, changes: Changes::new() }
    }
}

/// Tries these and returns each result with its name, in the same order.
pub(crate) fn try_all(
    attempts: &[Attempt],
    settings: &Settings,
    progress: Progress<'_>,
) -> Vec<(String, Trial)> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(vec![None; attempts.len()]);
    thread::scope(|scope| {
        for _ in 0..AT_A_TIME.min(attempts.len()) {
            scope.spawn(|| {
                while let Some((index, attempt)) = Some(next.fetch_add(1, Ordering::Relaxed))
                    .and_then(|index| Some((index, attempts.get(index)?)))
                {
                    let name = attempt.name.as_str();
                    progress(if name.is_empty() { "the loader that programs get" } else { name });
                    let trial = try_out(&attempt.subject, settings, &attempt.changes);
                    if let Some(slot) =
                        results.lock().unwrap_or_else(std::sync::PoisonError::into_inner).get_mut(index)
                    {
                        *slot = Some(trial);
                    }
                }
            });
        }
    });
    let results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    attempts.iter().zip(results).filter_map(|(attempt, trial)| Some((attempt.name.clone(), trial?))).collect()
}
