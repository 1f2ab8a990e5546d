//! What a driver's instance has been asked for.
#![forbid(unsafe_code)]

use core::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use crate::registry::INSTANCE_SLOTS;

/// The commands that a driver's instance has been asked for.
#[derive(Default)]
pub(super) struct Asked {
    /// A bit for each slot.
    slots: [AtomicU64; INSTANCE_SLOTS.div_ceil(64)],
    of_devices: AtomicU8,
}

/// What is known of the commands of physical devices.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OfDevices {
    /// The driver has not been asked.
    Unknown,
    /// They are in the table.
    Complete,
    /// The driver lacks one that every driver of a device has.
    Lacking,
}

impl Asked {
    /// Whether the driver has been asked for the command of a slot. What it answered is then in the
    /// table.
    pub(super) fn is_known(&self, slot: usize) -> bool {
        let bits = self.slots.get(slot >> 6).map_or(0, |bits| bits.load(Ordering::Acquire));
        bits & bit(slot) != 0
    }

    /// Notes that the answer for a slot is in the table.
    pub(super) fn note(&self, slot: usize) {
        if let Some(bits) = self.slots.get(slot >> 6) {
            bits.fetch_or(bit(slot), Ordering::Release);
        }
    }

    /// What is known of the commands of physical devices.
    pub(super) fn of_devices(&self) -> OfDevices {
        match self.of_devices.load(Ordering::Acquire) {
            0 => OfDevices::Unknown,
            1 => OfDevices::Complete,
            _ => OfDevices::Lacking,
        }
    }

    /// Notes what is known of the commands of physical devices.
    pub(super) fn note_of_devices(&self, known: OfDevices) {
        self.of_devices.store(known as u8, Ordering::Release);
    }
}

const fn bit(slot: usize) -> u64 {
    1 << (slot & 63)
}
