//! A counted pointer whose creation can fail.

use core::ops::Deref;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicUsize, Ordering, fence};

use super::{Box, OutOfMemory, Process};

/// Shared ownership of a value in memory of the process; the last owner drops it.
pub struct Counted<T>(NonNull<Inner<T>>);

struct Inner<T> {
    owners: AtomicUsize,
    value: T,
}

// SAFETY: the count is atomic and the value is only shared.
unsafe impl<T: Send + Sync> Send for Counted<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Counted<T> {}

impl<T> Counted<T> {
    /// The first owner of `value`.
    ///
    /// # Errors
    /// [`OutOfMemory`]; the value is dropped.
    pub fn try_new(value: T) -> Result<Self, OutOfMemory> {
        let inner = Box::try_new_in(Inner { owners: AtomicUsize::new(1), value }, Process)?;
        Ok(Self(Box::into_non_null(inner)))
    }
}

impl<T> PartialEq for Counted<T> {
    /// Whether both are the same value, not only equal ones.
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T> Clone for Counted<T> {
    fn clone(&self) -> Self {
        // SAFETY: this owner keeps the block alive. The count cannot overflow: every owner takes memory.
        unsafe { self.0.as_ref() }.owners.fetch_add(1, Ordering::Relaxed);
        Self(self.0)
    }
}

impl<T> Deref for Counted<T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: this owner keeps the block alive.
        &unsafe { self.0.as_ref() }.value
    }
}

impl<T> Drop for Counted<T> {
    fn drop(&mut self) {
        // SAFETY: this owner keeps the block alive until here.
        if unsafe { self.0.as_ref() }.owners.fetch_sub(1, Ordering::Release) == 1 {
            // SAFETY: this was the last owner.
            unsafe { self.free() };
        }
    }
}

impl<T> Counted<T> {
    /// Drops the value. Not inlined, so that each of the many places that drop an owner has only the count.
    ///
    /// # Safety
    /// There is no other owner.
    #[inline(never)]
    unsafe fn free(&mut self) {
        fence(Ordering::Acquire);
        // SAFETY: the caller vouches for it, and the block was made by try_new.
        drop(unsafe { Box::from_non_null_in(self.0, Process) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;

    #[test]
    fn the_last_owner_drops_the_value() {
        struct CountsDrops<'a>(&'a AtomicU32);
        impl Drop for CountsDrops<'_> {
            fn drop(&mut self) {
                self.0.fetch_add(1, Ordering::SeqCst);
            }
        }
        let drops = AtomicU32::new(0);
        let first = Counted::try_new(CountsDrops(&drops)).unwrap();
        let second = first.clone();
        drop(first);
        assert_eq!(drops.load(Ordering::SeqCst), 0);
        drop(second);
        assert_eq!(drops.load(Ordering::SeqCst), 1);
    }
}
