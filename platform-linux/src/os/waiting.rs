//! Waiting for another thread, by spinning, `sched_yield` and `nanosleep`.

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

    fn left_behind(&self) -> ! {
        let message = format_args!(
            "forked while another thread was inside the loader; fork before other threads call Vulkan, or start another program"
        );
        vkload_core::loader::fatal(Topic::Loader, message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vkload_core::platform::Lock;

    #[test]
    fn threads_that_wait_for_a_lock_all_get_it() {
        static COUNTER: Lock<u32> = Lock::new(0);
        let turns = || (0..10_000).for_each(|_| *COUNTER.lock(&Backoff) += 1);
        let threads = [0; 4].map(|_| std::thread::spawn(turns));
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(*COUNTER.lock(&Backoff), 40_000);
    }
}
