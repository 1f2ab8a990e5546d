//! What an instance keeps alive.

use core::ptr::NonNull;

/// A pointer to something that the instance keeps alive for as long as the pointer is in its list.
pub(crate) struct Kept<T>(pub(crate) NonNull<T>);

impl<T> Clone for Kept<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Kept<T> {}
// SAFETY: what is pointed to is only used in ways that are safe from any thread.
unsafe impl<T: Sync> Send for Kept<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Kept<T> {}
