//! Objects that an instance keeps alive.

use core::ptr::NonNull;

/// A pointer to an object that the instance keeps alive while the pointer is in its list.
pub(crate) struct ListedPtr<T>(pub(crate) NonNull<T>);

impl<T> Clone for ListedPtr<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for ListedPtr<T> {}
// SAFETY: `T` is `Sync`, so that any thread may use a shared reference. No `T` in such a list is
// bound to the thread that created it: any thread may free it.
unsafe impl<T: Sync> Send for ListedPtr<T> {}
// SAFETY: a shared `ListedPtr` gives only shared references to `T`, which is `Sync`.
unsafe impl<T: Sync> Sync for ListedPtr<T> {}
