//! The word at which application threads sleep until something has happened on their device.

use core::sync::atomic::{AtomicU32, Ordering};

use crate::Host;

/// Counts the events that may end a wait on the host.
///
/// A thread listens before it checks its wait list, and sleeps only while the count has not changed since. So it
/// misses no change in between. Every change is followed by a ring.
pub(crate) struct Bell {
    count: AtomicU32,
    listeners: AtomicU32,
}

/// A thread that looks and may sleep.
pub(crate) struct Listener<'a> {
    bell: &'a Bell,
    seen: u32,
}

impl Bell {
    pub(crate) const fn new() -> Self {
        Self { count: AtomicU32::new(0), listeners: AtomicU32::new(0) }
    }

    /// Wakes the threads that may wait for a change.
    pub(crate) fn ring(&self, host: impl FnOnce() -> &'static dyn Host) {
        // Either the listener is seen here, or it reads the new count: all four operations have one order.
        self.count.fetch_add(1, Ordering::SeqCst);
        if self.listeners.load(Ordering::SeqCst) != 0 {
            host().wake(&self.count);
        }
    }

    /// Returns a listener. Call it before the check.
    pub(crate) fn listen(&self) -> Listener<'_> {
        self.listeners.fetch_add(1, Ordering::SeqCst);
        Listener { bell: self, seen: self.count.load(Ordering::SeqCst) }
    }

    /// Returns the word at which threads sleep.
    #[cfg(test)]
    pub(crate) fn word(&self) -> &AtomicU32 {
        &self.count
    }
}

impl Listener<'_> {
    /// Sleeps until something has happened since [`Bell::listen`], or until the host's clock reaches `deadline`.
    pub(crate) fn sleep(&self, host: &dyn Host, deadline: u64) {
        host.sleep_until(&self.bell.count, self.seen, deadline);
    }
}

impl Drop for Listener<'_> {
    fn drop(&mut self) {
        self.bell.listeners.fetch_sub(1, Ordering::SeqCst);
    }
}
