//! Private data: a 64-bit value for each slot that the application asked for.

use core::ptr::NonNull;

use loader_core::memory::{OutOfMemory, Vec};

use super::parent::{ParentMemory, Root};

/// A private data slot of one device.
#[derive(Clone, Copy)]
pub struct Slot {
    owner: NonNull<Root>,
    index: u32,
}

// SAFETY: the owner is compared only.
unsafe impl Send for Slot {}
// SAFETY: as above.
unsafe impl Sync for Slot {}

impl Slot {
    pub(super) fn new(owner: NonNull<Root>, index: u32) -> Self {
        Self { owner, index }
    }

    /// The number of the slot, from 1 on.
    pub(crate) fn index(&self) -> u32 {
        self.index
    }

    /// Whether the slot is of this device.
    pub(crate) fn is_of(&self, root: NonNull<Root>) -> bool {
        self.owner == root
    }
}

/// The values that were set, by number of the slot.
pub(super) struct Values(Vec<(u32, u64), ParentMemory>);

impl Values {
    pub(super) fn new(memory: ParentMemory) -> Self {
        Self(Vec::new_in(memory))
    }

    pub(super) fn get(&self, slot: u32) -> u64 {
        self.position(slot).ok().and_then(|at| self.0.get(at)).map_or(0, |(_, value)| *value)
    }

    /// Sets the value if that needs no memory: the slot has a value, or there is room here or in `larger`, which then
    /// takes the place of the old list. Returns whether it was set.
    pub(super) fn set_within(&mut self, slot: u32, value: u64, larger: &mut Self) -> bool {
        match self.position(slot) {
            Ok(at) => {
                if let Some(place) = self.0.get_mut(at) {
                    place.1 = value;
                }
            }
            Err(at) => {
                if self.0.len() == self.0.capacity() {
                    if larger.0.capacity() <= self.0.len() {
                        return false;
                    }
                    larger.0.clear();
                    larger.0.append(&mut self.0);
                    core::mem::swap(self, larger);
                }
                self.0.insert(at, (slot, value));
            }
        }
        true
    }

    /// The capacity with which one more value fits.
    pub(super) fn wanted_capacity(&self) -> usize {
        self.0.len().saturating_mul(2).max(4)
    }

    pub(super) fn reserve(&mut self, capacity: usize) -> Result<(), OutOfMemory> {
        self.0.try_reserve(capacity).map_err(|_| OutOfMemory)
    }

    fn position(&self, slot: u32) -> Result<usize, usize> {
        self.0.binary_search_by_key(&slot, |(slot, _)| *slot)
    }
}
