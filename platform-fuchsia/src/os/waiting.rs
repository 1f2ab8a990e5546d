//! Waiting for another thread, by spinning, `sched_yield` and `nanosleep`.

use loader_core::platform::Waiting;

/// Waits longer from turn to turn.
pub(crate) struct Backoff;

/// Turns spent on the processor: the sections that are waited for are a few instructions long.
const SPINS: u32 = 16;
/// Turns that end by offering the processor to another thread.
const YIELDS: u32 = 32;

impl Waiting for Backoff {
    fn wait(&self, turn: u32) {
        if turn < SPINS {
            core::hint::spin_loop();
        } else if turn < YIELDS {
            // SAFETY: has no preconditions.
            unsafe { libc::sched_yield() };
        } else {
            sleep();
        }
    }

    fn thread(&self) -> usize {
        // SAFETY: has no preconditions. The C library gives each living thread a number of its own.
        (unsafe { libc::pthread_self() }) as usize
    }
}

/// Sleeps for 50 microseconds, so that a thread of lower priority which is waited for can run.
pub(crate) fn sleep() {
    let time = libc::timespec { tv_sec: 0, tv_nsec: 50_000 };
    // SAFETY: the time is valid, and the rest of an interrupted sleep is not asked for.
    unsafe { libc::nanosleep(&raw const time, core::ptr::null_mut()) };
}
