//! Which commands a driver's instance has been queried for.
#![forbid(unsafe_code)]

use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::registry::INSTANCE_SLOTS;

#[derive(Default)]
pub(super) struct Asked {
    slots: [AtomicUsize; INSTANCE_SLOTS.div_ceil(BITS)],
    complete: AtomicBool,
}

impl Asked {
    /// Returns whether the driver has been queried for the command in a slot. The table then contains the
    /// result.
    pub(super) fn is_known(&self, slot: usize) -> bool {
        let bits = self.slots.get(slot / BITS).map_or(0, |bits| bits.load(Ordering::Acquire));
        bits & bit(slot) != 0
    }

    pub(super) fn note(&self, slot: usize) {
        if let Some(bits) = self.slots.get(slot / BITS) {
            bits.fetch_or(bit(slot), Ordering::Release);
        }
    }

    /// Returns whether the driver has been queried for every physical-device command.
    pub(super) fn is_complete(&self) -> bool {
        self.complete.load(Ordering::Acquire)
    }

    /// Records that the table contains the results for all physical-device commands.
    pub(super) fn complete(&self) {
        self.complete.store(true, Ordering::Release);
    }
}

const BITS: usize = usize::BITS as usize;

const fn bit(slot: usize) -> usize {
    1 << (slot % BITS)
}
