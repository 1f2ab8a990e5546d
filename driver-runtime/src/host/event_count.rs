//! An event count: the word at which application threads sleep until something has happened on their device.

use core::sync::atomic::{AtomicU32, Ordering};

use super::Host;

/// Counts the events that may end a wait on the host.
///
/// A thread calls [`EventCount::prepare_wait`], checks what it waits for, and sleeps only while the count has not
/// changed since. So it misses no event in between. Every event is followed by [`EventCount::notify`].
pub(crate) struct EventCount {
    count: AtomicU32,
    waiters: AtomicU32,
}

/// A thread between [`EventCount::prepare_wait`] and the end of its wait.
pub(crate) struct Waiter<'a> {
    events: &'a EventCount,
    seen: u32,
}

impl EventCount {
    pub(crate) const fn new() -> Self {
        Self { count: AtomicU32::new(0), waiters: AtomicU32::new(0) }
    }

    /// Counts an event, and wakes the threads that may wait for it.
    pub(crate) fn notify(&self, host: impl FnOnce() -> &'static dyn Host) {
        // Either the waiter is seen here, or it reads the new count: all four operations have one order.
        self.count.fetch_add(1, Ordering::SeqCst);
        if self.waiters.load(Ordering::SeqCst) != 0 {
            host().wake(&self.count);
        }
    }

    /// Announces a wait. Call it before the check.
    pub(crate) fn prepare_wait(&self) -> Waiter<'_> {
        self.waiters.fetch_add(1, Ordering::SeqCst);
        Waiter { events: self, seen: self.count.load(Ordering::SeqCst) }
    }

    /// Returns the word at which threads sleep.
    #[cfg(test)]
    pub(crate) fn word(&self) -> &AtomicU32 {
        &self.count
    }
}

impl Waiter<'_> {
    /// Sleeps until an event after [`EventCount::prepare_wait`], or until the host's clock reaches `deadline`.
    pub(crate) fn sleep(&self, host: &dyn Host, deadline: u64) {
        host.sleep_until(&self.events.count, self.seen, deadline);
    }
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        self.events.waiters.fetch_sub(1, Ordering::SeqCst);
    }
}
