//! Waiting for another thread, by spinning, `sched_yield`, `nanosleep` and the kernel's futexes.

#[cfg(target_os = "fuchsia")]
use core::sync::atomic::AtomicU32;

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
            Pause::Sleep => {
                let time = libc::timespec { tv_sec: 0, tv_nsec: Pause::NANOSECONDS };
                // SAFETY: `time` is a valid time, and NULL declines the rest of an interrupted sleep.
                unsafe { libc::nanosleep(&raw const time, core::ptr::null_mut()) };
            }
        }
    }

    fn thread(&self) -> usize {
        // SAFETY: `pthread_self` has no preconditions. Each living thread has its own number.
        (unsafe { libc::pthread_self() }) as usize
    }

    #[cfg(target_os = "fuchsia")]
    fn sleep_while(&self, word: &AtomicU32, value: u32) {
        // SAFETY: the word is valid during the call, which only reads it; 0 names no owner, and `i64::MAX` no
        // time. Whatever the call returns, the caller looks again.
        unsafe { zx_futex_wait(word.as_ptr(), value, 0, i64::MAX) };
    }

    #[cfg(target_os = "fuchsia")]
    fn wake_all(&self, word: &AtomicU32) {
        // SAFETY: the kernel only compares the address with the addresses that threads sleep on.
        unsafe { zx_futex_wake(word.as_ptr(), u32::MAX) };
    }
}

#[cfg(target_os = "fuchsia")]
#[link(name = "zircon")]
unsafe extern "C" {
    fn zx_futex_wait(word: *const u32, value: u32, owner: u32, deadline: i64) -> i32;
    fn zx_futex_wake(word: *const u32, count: u32) -> i32;
}
