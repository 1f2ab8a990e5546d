//! Loom's atomic words, which can be made in constants.

use std::cell::Cell;
use std::sync::atomic::AtomicU64;

pub(crate) use std::sync::atomic::{AtomicPtr, Ordering};

/// Counts the executions of models. A static is new in each.
static EXECUTION: AtomicU64 = AtomicU64::new(0);

/// Resets the state. Must be called when an execution begins.
pub(crate) fn begin() {
    EXECUTION.fetch_add(1, Ordering::Relaxed);
}

/// Something of loom's, which can only be made while a model is executed. It is made when it is first used.
#[derive(Debug)]
pub(crate) struct Late<T: 'static>(Cell<Option<(u64, &'static T)>>);

// SAFETY: loom runs all threads of a model on one thread, and none is interrupted in `get`.
unsafe impl<T> Sync for Late<T> {}
// SAFETY: as above.
unsafe impl<T> Send for Late<T> {}

impl<T> Late<T> {
    pub(crate) const fn new() -> Self {
        Self(Cell::new(None))
    }

    pub(crate) fn get(&self, make: impl FnOnce() -> T) -> &'static T {
        let now = EXECUTION.load(Ordering::Relaxed);
        match self.0.get() {
            Some((execution, made)) if execution == now => made,
            _ => {
                let made: &'static T = Box::leak(Box::new(make()));
                self.0.set(Some((now, made)));
                made
            }
        }
    }
}

macro_rules! word {
    ($name:ident, $number:ty) => {
        #[derive(Debug)]
        pub(crate) struct $name {
            first: $number,
            word: Late<loom::sync::atomic::$name>,
        }

        impl $name {
            pub(crate) const fn new(first: $number) -> Self {
                Self { first, word: Late::new() }
            }
        }

        impl std::ops::Deref for $name {
            type Target = loom::sync::atomic::$name;
            fn deref(&self) -> &Self::Target {
                self.word.get(|| loom::sync::atomic::$name::new(self.first))
            }
        }
    };
}

word!(AtomicU32, u32);
word!(AtomicUsize, usize);

pub(crate) fn executions() -> u64 {
    EXECUTION.load(Ordering::Relaxed)
}
