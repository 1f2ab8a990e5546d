//! A device that is gone does not come back.

use core::sync::atomic::{AtomicU8, Ordering};

use ash::vk;
use vkload_core::platform::Lock;

use crate::result::SubmitError;

/// Proof that the device is lost. Only [`Device::set_lost`](super::Device::set_lost) creates the first one, so code
/// that returns it has recorded the loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost(());

impl From<Lost> for vk::Result {
    fn from(_: Lost) -> Self {
        Self::ERROR_DEVICE_LOST
    }
}

impl From<Lost> for SubmitError {
    fn from(_: Lost) -> Self {
        Self::DeviceLost
    }
}

/// Whether a device is lost, and why.
pub(super) struct State {
    lost: AtomicU8,
    reason: Lock<Option<&'static str>>,
}

impl State {
    pub(super) const fn new() -> Self {
        Self { lost: AtomicU8::new(0), reason: Lock::new(None) }
    }

    /// Stores the first reason. Returns whether this is the first.
    pub(super) fn set(&self, reason: &'static str) -> (Lost, bool) {
        self.reason.lock(&Spin).get_or_insert(reason);
        let before = self.lost.swap(1, Ordering::AcqRel);
        (Lost(()), before == 0)
    }

    pub(super) fn get(&self) -> Result<(), Lost> {
        if self.lost.load(Ordering::Acquire) == 0 { Ok(()) } else { Err(Lost(())) }
    }

    pub(super) fn reason(&self) -> Option<&'static str> {
        *self.reason.lock(&Spin)
    }
}

/// The lock is held for two words.
struct Spin;

impl vkload_core::platform::Waiting for Spin {
    fn wait(&self, _: u32) {
        core::hint::spin_loop();
    }

    /// Returns no meaningful value: only threads that take turns call it.
    fn thread(&self) -> usize {
        1
    }
}
