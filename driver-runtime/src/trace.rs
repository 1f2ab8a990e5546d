//! When to capture a trace: at a frame that was asked for, or when somebody asks while the program runs.

use core::sync::atomic::{AtomicU64, Ordering};

/// What a driver traces. The driver reads it where it reads its settings, and says it in [`Driver::trace`](crate::Driver::trace).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraceSettings {
    /// The kinds of traces that are enabled, a bit for each, which mean what the driver wants them to mean. Without any,
    /// nothing is captured.
    pub modes: u64,
    /// Whether a trace is of a submission; else it is of a frame.
    pub per_submit: bool,
    /// The number of the submission or frame that is captured without being asked for, from 0.
    pub at: Option<u64>,
}

/// How many frames or submissions a device has had.
pub(crate) struct Count(AtomicU64);

impl Count {
    pub(crate) const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// The number of the next one, from 0.
    pub(crate) fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}
