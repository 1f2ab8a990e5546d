//! A machine without an operating system: one thread, no variables, no files, and a clock that counts its readings.

use alloc::string::String;
use core::ffi::c_int;
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

/// Returns `None`: this system has no files.
pub(crate) fn file(_: &str) -> Option<String> {
    None
}

/// Returns false: this system has no files.
pub(crate) fn append(_: &str, _: &str) -> bool {
    false
}

/// Does nothing: this system has nowhere to write to.
pub(crate) fn complain(_: &str) {}

/// Does nothing: no fence is a file.
pub(crate) fn finish(_: c_int) {}

/// Does nothing: named pipes do not exist.
pub(crate) fn hold(_: &str) {}
