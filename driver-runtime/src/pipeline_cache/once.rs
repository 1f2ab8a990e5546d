//! A value that is set once.

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicU8, Ordering};

use vkload_core::platform::Waiting;

/// A value that is set once, and then stays and is read without a lock.
pub(super) struct Once<T> {
    state: AtomicU8,
    value: UnsafeCell<MaybeUninit<T>>,
}

const EMPTY: u8 = 0;
const WRITING: u8 = 1;
const SET: u8 = 2;

// SAFETY: one thread writes the value, and others read it afterwards.
unsafe impl<T: Send + Sync> Sync for Once<T> {}

impl<T> Once<T> {
    pub(super) fn new(value: Option<T>) -> Self {
        match value {
            Some(value) => Self { state: SET.into(), value: UnsafeCell::new(MaybeUninit::new(value)) },
            None => Self { state: EMPTY.into(), value: UnsafeCell::new(MaybeUninit::uninit()) },
        }
    }

    /// Returns the value, if it was set.
    pub(super) fn get(&self) -> Option<&T> {
        // SAFETY: once it is set, the value stays as it is.
        (self.state.load(Ordering::Acquire) == SET).then(|| unsafe { (*self.value.get()).assume_init_ref() })
    }

    /// Sets the value, unless another one was first; returns the value that is set.
    pub(super) fn get_or_set(&self, value: T, waiting: &dyn Waiting) -> &T {
        let first = self.state.compare_exchange(EMPTY, WRITING, Ordering::Relaxed, Ordering::Relaxed);
        if first.is_ok() {
            // SAFETY: only this thread has got here, and no thread reads the value yet.
            unsafe { (*self.value.get()).write(value) };
            self.state.store(SET, Ordering::Release);
        }
        let mut turn = 0u32;
        loop {
            if let Some(value) = self.get() {
                return value;
            }
            // Another thread is moving its value there.
            waiting.wait(turn);
            turn = turn.saturating_add(1);
        }
    }
}

impl<T> Drop for Once<T> {
    fn drop(&mut self) {
        if *self.state.get_mut() == SET {
            // SAFETY: the value was set.
            unsafe { self.value.get_mut().assume_init_drop() };
        }
    }
}
