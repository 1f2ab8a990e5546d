//! The application's private data of a device's swapchains, whose handles mean nothing to the
//! driver.

use ash::vk;
use vkload_core::memory::{CopiedCallbacks, OutOfMemory, SharedList};
use vkload_core::platform::Waiting;

pub struct PrivateData(SharedList<Entry, CopiedCallbacks>);

#[derive(Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) object: u64,
    pub(crate) slot: vk::PrivateDataSlot,
    pub(crate) data: u64,
}

impl PrivateData {
    pub const fn new(allocator: CopiedCallbacks) -> Self {
        Self(SharedList::new_in(allocator))
    }

    /// Forgets the data of a destroyed object.
    pub fn forget(&self, waiting: &dyn Waiting, object: u64) {
        while self.0.remove(waiting, |entry| entry.object == object).is_some() {}
    }

    pub(crate) fn forget_slot(&self, waiting: &dyn Waiting, slot: vk::PrivateDataSlot) {
        while self.0.remove(waiting, |entry| entry.slot == slot).is_some() {}
    }

    pub(crate) fn set(&self, waiting: &dyn Waiting, new: Entry) -> Result<(), OutOfMemory> {
        let same = |entry: &Entry| (entry.object, entry.slot) == (new.object, new.slot);
        if self.0.replace(waiting, new, same) { Ok(()) } else { self.0.insert(waiting, new) }
    }

    /// Returns 0 if nothing was set, as the specification requires.
    pub(crate) fn get(&self, waiting: &dyn Waiting, object: u64, slot: vk::PrivateDataSlot) -> u64 {
        let same = |entry: &&Entry| (entry.object, entry.slot) == (object, slot);
        self.0.read(waiting, |entries| entries.iter().find(same).map_or(0, |entry| entry.data))
    }
}
