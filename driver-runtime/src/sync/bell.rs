//! What threads of the application sleep at until something has happened on their device.

use core::sync::atomic::{AtomicU32, Ordering};

use crate::Host;

/// Counts what may end a wait on the host.
///
/// A thread listens before it looks at what it waits for, and sleeps only while the count is the one from before it looked. So
/// nothing is missed that happens in between. Whoever changes something rings after the change.
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

    /// Something was changed that a thread may wait for.
    pub(crate) fn ring(&self, host: impl FnOnce() -> &'static dyn Host) {
        // Either the listener is seen here, or it reads the new count: all four operations have one order.
        self.count.fetch_add(1, Ordering::SeqCst);
        if self.listeners.load(Ordering::SeqCst) != 0 {
            host().wake(&self.count);
        }
    }

    /// Before looking.
    pub(crate) fn listen(&self) -> Listener<'_> {
        self.listeners.fetch_add(1, Ordering::SeqCst);
        Listener { bell: self, seen: self.count.load(Ordering::SeqCst) }
    }

    /// Where threads sleep.
    #[cfg(test)]
    pub(crate) fn word(&self) -> &AtomicU32 {
        &self.count
    }
}

impl Listener<'_> {
    /// Sleeps until something has happened since [`Bell::listen`], or until the host's clock says `deadline`.
    pub(crate) fn sleep(&self, host: &dyn Host, deadline: u64) {
        host.sleep_until(&self.bell.count, self.seen, deadline);
    }
}

impl Drop for Listener<'_> {
    fn drop(&mut self) {
        self.bell.listeners.fetch_sub(1, Ordering::SeqCst);
    }
}
