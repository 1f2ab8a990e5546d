//! The system below.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use driver_runtime::sync::Primitive;
use driver_runtime::{Host, Waiting};

/// What `std` has.
pub(crate) struct System;

impl Waiting for System {
    fn wait(&self, turn: u32) {
        if turn < 16 {
            thread::yield_now();
        } else {
            thread::sleep(Duration::from_micros(50));
        }
    }

    fn thread(&self) -> usize {
        thread_local!(static HERE: u8 = const { 0 });
        HERE.with(|here| std::ptr::from_ref(here) as usize)
    }
}

impl Host for System {
    fn now(&self) -> u64 {
        static START: OnceLock<Instant> = OnceLock::new();
        START.get_or_init(Instant::now).elapsed().as_nanos() as u64
    }
}

/// A synchronisation object: a number.
pub struct Value(AtomicU64);

impl Value {
    pub(crate) fn new(initial: u64) -> Self {
        Self(initial.into())
    }
}

impl Primitive for Value {
    fn value(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }
    fn signal(&self, value: u64) {
        self.0.store(value, Ordering::Release);
    }
    fn reset(&self) {
        self.0.store(0, Ordering::Release);
    }
}
