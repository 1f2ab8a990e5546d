//! A machine without an operating system: one thread, no variables, no files, and a clock that counts its readings.

use alloc::string::String;
use core::sync::atomic::{AtomicU32, Ordering};

use vkload_driver_runtime::{Host, Waiting};

pub(crate) struct System;

impl Waiting for System {
    fn wait(&self, _: u32) {
        core::hint::spin_loop();
    }

    fn thread(&self) -> usize {
        core::ptr::from_ref(&READINGS).addr()
    }
}

impl Host for System {
    /// Advances by a microsecond with each reading.
    fn now(&self) -> u64 {
        u64::from(READINGS.fetch_add(1, Ordering::Relaxed)).saturating_mul(1_000)
    }
}

static READINGS: AtomicU32 = AtomicU32::new(0);

/// Returns `None`: this system has no variables.
pub(crate) fn variable(_: &str) -> Option<String> {
    None
}

/// Does nothing: this system has nowhere to write to.
pub(crate) fn complain(_: &str) {}
