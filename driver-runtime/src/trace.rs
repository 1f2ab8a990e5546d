//! When to capture a trace: at a chosen frame, or on a request while the program runs.

use crate::atomic::AtomicU64;
use core::sync::atomic::Ordering;

/// A driver's trace settings. The driver reads them with its other settings, and returns them from
/// [`Driver::trace`](crate::Driver::trace).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraceSettings {
    /// The enabled kinds of traces, a bit for each; the driver defines their meaning. If no bit is set, no trace is
    /// captured.
    pub modes: u64,
    /// Whether a trace is of a submission; else it is of a frame.
    pub per_submit: bool,
    /// The number of the submission or frame that is captured without a request, from 0.
    pub at: Option<u64>,
}

/// How many frames or submissions a device has had.
pub(crate) struct Count(AtomicU64);

impl Count {
    pub(crate) const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// Returns the number of the next one, from 0.
    pub(crate) fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}
