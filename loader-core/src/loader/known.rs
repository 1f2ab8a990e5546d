//! Addresses that identify live objects. Their creators decide what an address means.

use crate::memory::{OutOfMemory, SharedList};
use crate::platform::Waiting;

pub struct Addresses(SharedList<usize>);

impl Addresses {
    const fn none() -> Self {
        Self(SharedList::new())
    }

    pub(crate) fn add(&self, waiting: &dyn Waiting, address: usize) -> Result<(), OutOfMemory> {
        self.0.insert(waiting, address)
    }

    #[inline(never)]
    pub(crate) fn remove(&self, waiting: &dyn Waiting, address: usize) {
        let _ = self.0.remove(waiting, |known| *known == address);
    }

    #[inline(never)]
    pub(crate) fn contains(&self, waiting: &dyn Waiting, address: usize) -> bool {
        self.0.read(waiting, |list| list.contains(&address))
    }

    pub(crate) fn read<R>(&self, waiting: &dyn Waiting, read: impl FnOnce(&[usize]) -> R) -> R {
        self.0.read(waiting, read)
    }

    fn forget(&self, waiting: &dyn Waiting, unused: impl Fn() -> bool) {
        drop(self.0.take_if(waiting, unused));
    }
}

/// Handles that layers and drivers may pass to the loader.
pub struct KnownObjects {
    /// Instances with layers, which are handed to them.
    pub(crate) under_layers: Addresses,
    pub(crate) under_creation: Addresses,
    /// The drivers' handles of devices that they have destroyed, until the layers have finished.
    pub(crate) destroyed: Addresses,
}

impl KnownObjects {
    pub(super) const fn new() -> Self {
        Self {
            under_layers: Addresses::none(),
            under_creation: Addresses::none(),
            destroyed: Addresses::none(),
        }
    }

    pub(super) fn forget(&self, waiting: &dyn Waiting, unused: impl Fn() -> bool) {
        self.under_layers.forget(waiting, &unused);
        self.under_creation.forget(waiting, &unused);
        self.destroyed.forget(waiting, &unused);
    }
}
