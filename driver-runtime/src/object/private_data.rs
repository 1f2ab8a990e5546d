//! Private data: a 64-bit value for each slot that the application has created.

use core::num::NonZeroUsize;

use vkload_core::memory::{OutOfMemory, Vec};

use super::memory::ParentMemory;

/// A private data slot of one device, or of one instance for the runtime's own use.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// The address of the device, which distinguishes it from others.
    owner: NonZeroUsize,
    index: u32,
}

impl Slot {
    pub(super) fn new(owner: NonZeroUsize, index: u32) -> Self {
        Self { owner, index }
    }

    /// Returns the number of the slot, from 1 on.
    pub(crate) fn index(&self) -> u32 {
        self.index
    }

    /// Returns whether it is the first slot of its device.
    pub(super) fn is_first(&self) -> bool {
        self.index == 1
    }

    /// Returns whether the slot belongs to the device at this address.
    pub(super) fn is_of(&self, device: NonZeroUsize) -> bool {
        self.owner == device
    }
}

/// The values that were set, by number of the slot.
pub(super) struct Values(Vec<(u32, u64), ParentMemory>);

impl Values {
    pub(super) fn new(memory: ParentMemory) -> Self {
        Self(Vec::new_in(memory))
    }

    /// Sets the value of a slot that has one. Returns whether it has.
    pub(super) fn replace(&mut self, slot: u32, value: u64) -> bool {
        let entry = self.position(slot).ok().and_then(|at| self.0.get_mut(at));
        entry.map(|entry| entry.1 = value).is_some()
    }

    pub(super) fn get(&self, slot: u32) -> u64 {
        self.position(slot).ok().and_then(|at| self.0.get(at)).map_or(0, |(_, value)| *value)
    }

    /// Sets the value if that needs no memory: the slot has a value, or the value fits here or into `larger`, which
    /// then replaces the old list. Returns whether it was set.
    pub(super) fn set_within(&mut self, slot: u32, value: u64, larger: &mut Self) -> bool {
        match self.position(slot) {
            Ok(at) => {
                if let Some(entry) = self.0.get_mut(at) {
                    entry.1 = value;
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

    /// Returns the capacity with which one more value fits.
    pub(super) fn wanted_capacity(&self) -> usize {
        self.0.len().saturating_mul(2).max(4)
    }

    pub(super) fn reserve(&mut self, capacity: usize) -> Result<(), OutOfMemory> {
        self.0.try_reserve(capacity).map_err(|_| OutOfMemory)
    }

    fn position(&self, slot: u32) -> Result<usize, usize> {
        // Nearly always every object has a value for every slot, of which the second comes first here.
        let likely = slot.wrapping_sub(2) as usize;
        if self.0.get(likely).is_some_and(|(other, _)| *other == slot) {
            return Ok(likely);
        }
        self.0.binary_search_by_key(&slot, |(slot, _)| *slot)
    }
}
