//! The latest result of a computation.

use super::Arc;
use crate::sync::{Lock, Waiting};

/// The latest result, for later callers that find it still valid.
#[derive(Debug)]
pub struct Cached<T>(Lock<Option<Arc<T>>>);

impl<T> Cached<T> {
    pub const fn nothing() -> Self {
        Self(Lock::new(None))
    }

    #[inline]
    pub fn last(&self, waiting: &dyn Waiting) -> Option<Arc<T>> {
        self.0.lock(waiting).clone()
    }

    pub fn keep(&self, waiting: &dyn Waiting, learnt: &Arc<T>) {
        drop(self.replace(waiting, Some(learnt.clone())));
    }

    /// Replaces the kept value and returns the previous one: dropping it may call out, which is not allowed
    /// under the lock.
    #[inline(never)] // several callers
    pub fn replace(&self, waiting: &dyn Waiting, learnt: Option<Arc<T>>) -> Option<Arc<T>> {
        core::mem::replace(&mut *self.0.lock(waiting), learnt)
    }

    /// Forgets and drops `last`, which came from [`last`](Self::last), unless it has owners other than this
    /// and the caller, or was replaced meanwhile: then returns it.
    pub fn give_up(&self, waiting: &dyn Waiting, last: Arc<T>) -> Option<Arc<T>> {
        let mut held = self.0.lock(waiting);
        if last.owners() != 2 {
            return Some(last);
        }
        let forgotten = held.take_if(|held| *held == last);
        drop(held);
        if forgotten.is_some() { None } else { Some(last) }
    }

    pub fn forget(&self, waiting: &dyn Waiting, unused: impl Fn() -> bool) {
        let mut held = self.0.lock(waiting);
        let forgotten = if unused() { held.take() } else { None };
        drop(held);
        drop(forgotten);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::platform::imaginary::Threads;

    #[test]
    fn a_library_in_use_is_not_closed() {
        let cached = Cached::nothing();
        let user = Arc::try_new(7).unwrap();
        cached.keep(&Threads, &user);
        let last = cached.last(&Threads).unwrap();
        let last = cached.give_up(&Threads, last).expect("in use");
        assert!(last == user && cached.last(&Threads).is_some());
        drop(user);
        assert!(cached.give_up(&Threads, last).is_none() && cached.last(&Threads).is_none());
    }

    #[test]
    fn the_successor_of_a_replaced_entry_stays() {
        let cached = Cached::nothing();
        let last = Arc::try_new(7).unwrap();
        cached.keep(&Threads, &Arc::try_new(8).unwrap());
        assert!(cached.give_up(&Threads, last).is_some_and(|last| *last == 7));
        assert!(cached.last(&Threads).is_some_and(|kept| *kept == 8));
    }
}
