//! What is kept of a semaphore.

use super::payload::Payloads;
use super::timeline::SharedTimeline;
use super::types::Purpose;
use crate::parts::Parts;

/// A semaphore: binary, or a timeline of the driver or the runtime.
pub(crate) enum Semaphore<D: Parts> {
    /// A binary semaphore.
    Binary(Payloads<D>),
    /// A timeline of the driver.
    Timeline(Payloads<D>),
    /// A timeline of the runtime.
    Emulated(SharedTimeline<D>),
}

impl<D: Parts> Semaphore<D> {
    /// The payloads and what they are for, unless the runtime emulates the semaphore: that cannot be shared.
    pub(crate) fn payloads(&self) -> Option<(&Payloads<D>, Purpose)> {
        match self {
            Self::Binary(payloads) => Some((payloads, Purpose::Semaphore)),
            Self::Timeline(payloads) => Some((payloads, Purpose::Timeline)),
            Self::Emulated(_) => None,
        }
    }

    /// The value of a timeline.
    pub(crate) fn value(&self) -> u64 {
        match self {
            Self::Binary(payloads) | Self::Timeline(payloads) => payloads.value(),
            Self::Emulated(timeline) => timeline.value(),
        }
    }
}
