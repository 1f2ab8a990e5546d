//! Addresses by which objects are recognised. Their meaning is left to those who create them.

use crate::memory::{OutOfMemory, SharedList};
use crate::platform::Waiting;

/// Addresses of objects that are alive.
pub struct Addresses(SharedList<usize>);

impl Addresses {
    const fn none() -> Self {
        Self(SharedList::new())
    }

    /// Notes an object.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub(crate) fn add(&self, waiting: &dyn Waiting, address: usize) -> Result<(), OutOfMemory> {
        self.0.insert(waiting, address)
    }

    /// Forgets an object.
    #[inline(never)]
    pub(crate) fn remove(&self, waiting: &dyn Waiting, address: usize) {
        let _ = self.0.remove(waiting, |known| *known == address);
    }

    /// Whether the object is there.
    #[inline(never)]
    pub(crate) fn contains(&self, waiting: &dyn Waiting, address: usize) -> bool {
        self.0.read(waiting, |list| list.contains(&address))
    }

    /// Reads the list, under its lock.
    pub(crate) fn read<R>(&self, waiting: &dyn Waiting, read: impl FnOnce(&[usize]) -> R) -> R {
        self.0.read(waiting, read)
    }

    fn forget(&self, waiting: &dyn Waiting, unused: impl Fn() -> bool) {
        drop(self.0.take_if(waiting, unused));
    }
}

/// What layers and drivers may name.
pub struct KnownObjects {
    /// Instances with layers, which are handed to them.
    pub(crate) under_layers: Addresses,
    /// Devices that are being created.
    pub(crate) under_creation: Addresses,
    /// What drivers called devices that they have destroyed, until the layers are done.
    pub(crate) destroyed: Addresses,
}

impl KnownObjects {
    /// None.
    #[must_use]
    pub(super) const fn new() -> Self {
        Self {
            under_layers: Addresses::none(),
            under_creation: Addresses::none(),
            destroyed: Addresses::none(),
        }
    }

    /// Frees the memory of the lists if `unused`.
    pub(super) fn forget(&self, waiting: &dyn Waiting, unused: impl Fn() -> bool) {
        self.under_layers.forget(waiting, &unused);
        self.under_creation.forget(waiting, &unused);
        self.destroyed.forget(waiting, &unused);
    }
}
