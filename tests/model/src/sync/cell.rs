//! A cell that fails when two threads use it without an order.

use super::atomic::Late;

/// Takes the place of `core::cell::UnsafeCell`.
#[derive(Debug)]
pub(crate) struct UnsafeCell<T> {
    value: std::cell::UnsafeCell<T>,
    uses: Late<loom::cell::UnsafeCell<()>>,
}

impl<T> UnsafeCell<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self { value: std::cell::UnsafeCell::new(value), uses: Late::new() }
    }

    /// Counts as a write: who has a lock may write.
    pub(crate) fn get(&self) -> *mut T {
        self.uses.get(|| loom::cell::UnsafeCell::new(())).with_mut(|_| ());
        self.value.get()
    }
}

/// A block of memory that threads read and one of them frees.
pub(crate) struct Block(Late<loom::cell::UnsafeCell<()>>);

impl Block {
    pub(crate) fn new() -> Self {
        let block = Self(Late::new());
        block.write();
        block
    }

    pub(crate) fn read(&self) {
        self.uses().with(|_| ());
    }

    pub(crate) fn write(&self) {
        self.uses().with_mut(|_| ());
    }

    fn uses(&self) -> &'static loom::cell::UnsafeCell<()> {
        self.0.get(|| loom::cell::UnsafeCell::new(()))
    }
}

/// Freeing it is a write.
impl Drop for Block {
    fn drop(&mut self) {
        self.write();
    }
}
