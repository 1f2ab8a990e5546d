//! Threads that sleep until another one changes a word.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

#[derive(Default)]
pub(super) struct Sleepers {
    lock: Mutex<()>,
    woken: Condvar,
    count: AtomicUsize,
}

impl Sleepers {
    /// Sleeps while `word` has that value, until [`Self::wake`] or the end of the time.
    pub(super) fn sleep(&self, word: &AtomicU32, value: u32, nanoseconds: Option<i64>) {
        let lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        if word.load(Ordering::SeqCst) != value {
            return;
        }
        self.count.fetch_add(1, Ordering::SeqCst);
        match nanoseconds.and_then(|time| u64::try_from(time).ok()) {
            Some(time) => drop(self.woken.wait_timeout(lock, Duration::from_nanos(time))),
            None => drop(self.woken.wait(lock)),
        }
        self.count.fetch_sub(1, Ordering::SeqCst);
    }

    pub(super) fn wake(&self) {
        let _lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.woken.notify_all();
    }

    pub(super) fn count(&self) -> usize {
        self.count.load(Ordering::SeqCst)
    }
}
