//! The state of a semaphore.

use loader_core::memory::OutOfMemory;

use super::host_wait::Pending;
use super::payload::Payloads;
use super::timeline::{Reach, SharedTimeline};
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
    /// Returns the payloads and their purpose. An emulated semaphore has none, since it cannot be shared.
    pub(crate) fn payloads(&self) -> Option<(&Payloads<D>, Purpose)> {
        match self {
            Self::Binary(payloads) => Some((payloads, Purpose::Semaphore)),
            Self::Timeline(payloads) => Some((payloads, Purpose::Timeline)),
            Self::Emulated(_) => None,
        }
    }

    /// Returns whether a timeline has reached the value. If not, adds the missing signal to `pending`.
    pub(crate) fn has_reached(
        &self,
        value: u64,
        pending: Option<&mut Pending<D>>,
    ) -> Result<bool, OutOfMemory> {
        if self.value() >= value {
            return Ok(true);
        }
        let Some(pending) = pending else { return Ok(false) };
        match self {
            Self::Binary(payloads) => pending.add_binary(payloads.active())?,
            Self::Timeline(payloads) => pending.add_timeline(payloads.active(), value)?,
            Self::Emulated(timeline) => match timeline.reach(value) {
                Reach::Past => return Ok(true),
                Reach::Pending(sync) => pending.add(sync, 1)?,
                Reach::NotGiven => pending.held = true,
            },
        }
        Ok(false)
    }

    /// Returns the value of a timeline.
    pub(crate) fn value(&self) -> u64 {
        match self {
            Self::Binary(payloads) | Self::Timeline(payloads) => payloads.value(),
            Self::Emulated(timeline) => timeline.value(),
        }
    }
}
