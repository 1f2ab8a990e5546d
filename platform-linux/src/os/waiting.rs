//! Waiting for another thread, by spinning, `sched_yield`, `nanosleep` and `futex`.

use core::ffi::c_int;
use core::sync::atomic::AtomicU32;

use vkload_core::log::Topic;
use vkload_core::platform::{Pause, Waiting};

pub(crate) struct Backoff;

static SLEEP: libc::timespec = libc::timespec { tv_sec: 0, tv_nsec: Pause::NANOSECONDS };

impl Waiting for Backoff {
    fn wait(&self, turn: u32) {
        match Pause::of(turn) {
            Pause::Spin => core::hint::spin_loop(),
            Pause::Yield => {
                // SAFETY: `sched_yield` has no preconditions.
                unsafe { libc::sched_yield() };
            }
            Pause::Sleep => {
                // SAFETY: `SLEEP` is a valid time, and NULL declines the rest of the sleep.
                unsafe { libc::nanosleep(&raw const SLEEP, core::ptr::null_mut()) };
            }
        }
    }

    fn thread(&self) -> usize {
        // SAFETY: `pthread_self` has no preconditions. It gives each living thread a number of its
        // own: the address of its descriptor, which contains pointers.
        (unsafe { libc::pthread_self() }) as usize
    }

    fn sleep_while(&self, word: &AtomicU32, value: u32) {
        futex(word, libc::FUTEX_WAIT, value);
    }

    fn wake_all(&self, word: &AtomicU32) {
        futex(word, libc::FUTEX_WAKE, i32::MAX as u32);
    }

    fn left_behind(&self) -> ! {
        let message = format_args!(
            "forked while another thread was inside the loader; fork before other threads call Vulkan, or start another program"
        );
        vkload_core::loader::fatal(Topic::Loader, message)
    }
}

fn futex(word: &AtomicU32, operation: c_int, value: u32) {
    let (operation, no_limit) = (operation | libc::FUTEX_PRIVATE_FLAG, core::ptr::null::<libc::timespec>());
    // SAFETY: the word is valid during the call, which at most reads it. Whatever the call returns, threads
    // that wait look again.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), operation, value, no_limit) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};
    use vkload_core::platform::Lock;

    #[test]
    fn a_thread_sleeps_while_the_word_has_the_value_and_no_thread_wakes_it() {
        static WORD: AtomicU32 = AtomicU32::new(1);
        static AWAKE: AtomicBool = AtomicBool::new(false);
        let sleeper = std::thread::spawn(|| {
            Backoff.sleep_while(&WORD, 2);
            Backoff.sleep_while(&WORD, 1);
            AWAKE.store(true, Ordering::Relaxed);
        });
        (0..10_000).for_each(|_| std::thread::yield_now());
        assert!(!AWAKE.load(Ordering::Relaxed));
        WORD.store(2, Ordering::Relaxed);
        Backoff.wake_all(&WORD);
        sleeper.join().unwrap();
    }

    #[test]
    fn threads_that_wait_for_a_lock_all_get_it() {
        static COUNTER: Lock<u32> = Lock::new(0);
        let turns = || (0..10_000).for_each(|_| *COUNTER.lock(&Backoff) += 1);
        let threads = [0; 4].map(|_| std::thread::spawn(turns));
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(*COUNTER.lock(&Backoff), 40_000);
    }
}
