//! When frames were shown, according to a window.

/// The times of a frame's events, in nanoseconds of the monotonic clock, or one of the constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameTimestamps {
    pub requested: i64,
    pub rendered: i64,
    pub latched: i64,
    pub first_refresh: i64,
    pub last_refresh: i64,
    pub composed: i64,
    pub presented: i64,
    /// When its buffer could be dequeued again.
    pub dequeue_ready: i64,
    /// When its buffer was no longer read.
    pub released: i64,
}

impl FrameTimestamps {
    /// The event has not happened yet.
    pub const PENDING: i64 = -2;
    /// The event will not happen, or its time is unknown.
    pub const INVALID: i64 = -1;
}

impl Default for FrameTimestamps {
    fn default() -> Self {
        let unknown = Self::INVALID;
        Self {
            requested: unknown,
            rendered: unknown,
            latched: unknown,
            first_refresh: unknown,
            last_refresh: unknown,
            composed: unknown,
            presented: unknown,
            dequeue_ready: unknown,
            released: unknown,
        }
    }
}
