//! Waiting for another thread, by spinning, `sched_yield` and `nanosleep`.

use vkload_core::platform::{Pause, Waiting};

pub(crate) struct Backoff;

impl Waiting for Backoff {
    fn wait(&self, turn: u32) {
        match Pause::of(turn) {
            Pause::Spin => core::hint::spin_loop(),
            Pause::Yield => {
                // SAFETY: `sched_yield` has no preconditions.
                unsafe { libc::sched_yield() };
            }
            Pause::Sleep => sleep(),
        }
    }

    fn thread(&self) -> usize {
        // SAFETY: `pthread_self` has no preconditions. Each living thread has its own number.
        (unsafe { libc::pthread_self() }) as usize
    }
}

pub(crate) fn sleep() {
    let time = libc::timespec { tv_sec: 0, tv_nsec: Pause::NANOSECONDS };
    // SAFETY: `time` is a valid time, and NULL declines the rest of an interrupted sleep.
    unsafe { libc::nanosleep(&raw const time, core::ptr::null_mut()) };
}
