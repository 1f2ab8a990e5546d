//! What was learnt last.

use super::Counted;
use crate::sync::{Lock, Waiting};

/// What was learnt last, for later callers that find it still true.
pub struct Cached<T>(Lock<Option<Counted<T>>>);

impl<T> Cached<T> {
    /// Nothing yet.
    #[must_use]
    pub const fn nothing() -> Self {
        Self(Lock::new(None))
    }

    /// What was learnt last.
    #[inline]
    pub fn last(&self, waiting: &dyn Waiting) -> Option<Counted<T>> {
        self.0.lock(waiting).clone()
    }

    /// Replaces the kept value with `learnt`.
    pub fn keep(&self, waiting: &dyn Waiting, learnt: &Counted<T>) {
        let previous = self.0.lock(waiting).replace(learnt.clone());
        // Not under the lock: dropping it may call out.
        drop(previous);
    }

    /// Forgets it if `unused`.
    pub fn forget(&self, waiting: &dyn Waiting, unused: impl Fn() -> bool) {
        let mut held = self.0.lock(waiting);
        let forgotten = if unused() { held.take() } else { None };
        drop(held);
        drop(forgotten);
    }
}
