//! A reference-counted pointer whose creation can fail.

use core::mem::MaybeUninit;
use core::ops::Deref;
use core::ptr::NonNull;

use super::{Allocator, Box, OutOfMemory, Process};
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{add, read};

/// Shared ownership of a value; the last owner drops it. Its memory is the process's, or comes from `A`.
#[derive(Debug)]
pub struct Arc<T, A: Allocator + Clone = Process>(NonNull<Inner<T, A>>);

struct Inner<T, A> {
    owners: AtomicUsize,
    memory: A,
    value: T,
}

/// The value that [`add`] adds to subtract one.
const ONE_LESS: usize = usize::MAX;

/// The most owners. Forgotten owners take no memory, so a count of 32 bits can come here; the value then stays.
const MOST: usize = usize::MAX / 2;

/// Counts of 64 bits cannot come to [`MOST`] in a lifetime, so they are not compared. Tests set them.
const IS_LIMITED: bool = cfg!(test) || usize::BITS < 64;

// SAFETY: the count is atomic and the value is only shared; the allocator goes to the thread that drops the
// value.
unsafe impl<T: Send + Sync, A: Allocator + Clone + Send> Send for Arc<T, A> {}
// SAFETY: the count is atomic and the value is only shared; the allocator goes to the thread that drops the
// value.
unsafe impl<T: Send + Sync, A: Allocator + Clone + Send> Sync for Arc<T, A> {}

impl<T> Arc<T> {
    /// Returns the first owner of `value`.
    pub fn try_new(value: T) -> Result<Self, OutOfMemory> {
        Ok(UninitArc::try_new_in(Process)?.fill(value))
    }
}

/// Memory for a shared value that does not exist yet, for values whose creation cannot be undone.
#[derive(Debug)]
pub struct UninitArc<T, A: Allocator + Clone>(Box<MaybeUninit<Inner<T, A>>, A>);

impl<T, A: Allocator + Clone> UninitArc<T, A> {
    pub fn try_new_in(memory: A) -> Result<Self, OutOfMemory> {
        Ok(Self(Box::try_new_uninit_in(memory)?))
    }

    /// Returns the first owner of `value`.
    pub fn fill(self, value: T) -> Arc<T, A> {
        let (block, memory) = Box::into_non_null_with_allocator(self.0);
        let block = block.cast::<Inner<T, A>>();
        // SAFETY: the block has the layout of the value, and the box was taken apart.
        unsafe { block.write(Inner { owners: AtomicUsize::new(1), memory, value }) };
        Arc(block)
    }
}

impl<T, A: Allocator + Clone> PartialEq for Arc<T, A> {
    /// Returns whether both are the same value, not only equal ones.
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T, A: Allocator + Clone> Clone for Arc<T, A> {
    fn clone(&self) -> Self {
        // SAFETY: this owner keeps the block alive.
        let before = unsafe { self.0.as_ref() }.owners.fetch_add(1, Ordering::Relaxed);
        self.keep_if_beyond(before);
        Self(self.0)
    }
}

impl<T, A: Allocator + Clone> Deref for Arc<T, A> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: this owner keeps the block alive.
        &unsafe { self.0.as_ref() }.value
    }
}

impl<T, A: Allocator + Clone> Drop for Arc<T, A> {
    fn drop(&mut self) {
        // SAFETY: this owner keeps the block alive until here.
        let before = add(&unsafe { self.0.as_ref() }.owners, ONE_LESS);
        if before == 1 {
            // SAFETY: the count shows that this was the last owner.
            unsafe { self.free() };
        }
        self.keep_if_beyond(before);
    }
}

impl<T, A: Allocator + Clone> Arc<T, A> {
    /// Keeps the value for ever if the count was beyond [`MOST`]: sets it half-way between there and its overflow.
    #[inline]
    fn keep_if_beyond(&self, before: usize) {
        if IS_LIMITED && before > MOST {
            // SAFETY: a block with so many owners is never freed.
            unsafe { self.0.as_ref() }.owners.swap(MOST / 2 * 3, Ordering::Relaxed);
        }
    }

    /// Returns the number of owners. If the caller knows that many owners, no others exist, unless one of
    /// them makes another meanwhile. Everything that former owners did has happened before.
    #[inline]
    pub(super) fn owners(&self) -> usize {
        // SAFETY: this owner keeps the block alive.
        read(&unsafe { self.0.as_ref() }.owners)
    }

    /// Returns whether this is the only owner: then no other code can become one, and everything that former
    /// owners did has happened before.
    pub fn has_one_owner(&self) -> bool {
        self.owners() == 1
    }

    /// Drops the value. Not inlined, so that each of the many places that drop an owner contains only the
    /// counting.
    ///
    /// # Safety
    /// No other owner exists.
    #[inline(never)]
    unsafe fn free(&mut self) {
        // SAFETY: by this function's `# Safety` no other owner exists, and the block came from this
        // allocator. Everything that the other owners did happened before the read; a fence would ensure the
        // same, but tools that watch threads do not understand fences.
        unsafe {
            let inner = self.0.as_ref();
            let _ = read(&inner.owners);
            let memory = inner.memory.clone();
            drop(Box::from_non_null_in(self.0, memory));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;

    struct CountsDrops<'a>(&'a AtomicU32);
    impl Drop for CountsDrops<'_> {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn a_value_whose_owners_were_forgotten_too_often_stays() {
        let drops = AtomicU32::new(0);
        let first = Arc::try_new(CountsDrops(&drops)).unwrap();
        let second = first.clone();
        // SAFETY: the owners keep the block alive, here and below.
        let owners = &unsafe { first.0.as_ref() }.owners;
        owners.store(MOST, Ordering::Relaxed);
        (0..3).for_each(|_| core::mem::forget(first.clone()));
        for _ in 0..2 {
            drop(second.clone());
            assert_eq!(owners.load(Ordering::Relaxed), MOST / 2 * 3);
        }
        assert_eq!(drops.load(Ordering::SeqCst), 0);
        owners.store(2, Ordering::Relaxed);
        drop((first, second));
        assert_eq!(drops.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn the_last_owner_drops_the_value() {
        let drops = AtomicU32::new(0);
        let first = Arc::try_new(CountsDrops(&drops)).unwrap();
        let second = first.clone();
        assert!(!first.has_one_owner());
        drop(first);
        assert_eq!(drops.load(Ordering::SeqCst), 0);
        assert!(second.has_one_owner());
        drop(second);
        assert_eq!(drops.load(Ordering::SeqCst), 1);
    }
}
