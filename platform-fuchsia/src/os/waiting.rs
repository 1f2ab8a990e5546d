//! Waiting for another thread, by spinning, `sched_yield` and `nanosleep`.

use loader_core::platform::{Pause, Waiting};

/// Waits longer from turn to turn.
pub(crate) struct Backoff;

impl Waiting for Backoff {
    fn wait(&self, turn: u32) {
        match Pause::of(turn) {
            Pause::Spin => core::hint::spin_loop(),
            Pause::Yield => {
                // SAFETY: has no preconditions.
                unsafe { libc::sched_yield() };
            }
            Pause::Sleep => sleep(),
        }
    }

    fn thread(&self) -> usize {
        // SAFETY: has no preconditions. The C library gives each living thread a number of its own.
        (unsafe { libc::pthread_self() }) as usize
    }
}

/// Sleeps for a turn of waiting.
pub(crate) fn sleep() {
    let time = libc::timespec { tv_sec: 0, tv_nsec: Pause::NANOSECONDS };
    // SAFETY: the time is valid, and the rest of an interrupted sleep is not asked for.
    unsafe { libc::nanosleep(&raw const time, core::ptr::null_mut()) };
}
