//! Sleeping until another thread has changed something.

use super::atomic::{AtomicU32, Ordering};
use super::{POLLS, Waiting};

/// Counts changes that threads wait for.
///
/// The last bit is set while a thread may sleep, and each change adds 2. So a change makes no system call
/// unless a thread sleeps, and one between a thread's last look and its sleep keeps it awake.
pub struct EventCount(AtomicU32);

const SLEEPER: u32 = 1;

impl EventCount {
    /// Creates a count that no thread waits for.
    pub const fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    /// Waits until `look` returns true. It is called again after each [change](EventCount::changed).
    #[cold]
    #[inline(never)]
    pub fn wait(&self, waiting: &dyn Waiting, look: &mut dyn FnMut() -> bool) {
        for turn in 0..POLLS {
            if look() {
                return;
            }
            waiting.wait(turn);
        }
        loop {
            let seen = self.0.fetch_or(SLEEPER, Ordering::AcqRel) | SLEEPER;
            if look() {
                return;
            }
            waiting.sleep_while(&self.0, seen);
        }
    }

    /// Wakes the threads that wait, to look again. Must be called after each change that they wait for.
    #[inline(never)] // several callers
    pub fn changed(&self, waiting: &dyn Waiting) {
        if self.0.fetch_add(2, Ordering::AcqRel) & SLEEPER != 0 {
            self.0.fetch_and(!SLEEPER, Ordering::AcqRel);
            waiting.wake_all(&self.0);
        }
    }
}

impl Default for EventCount {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::sync::atomic::{AtomicBool, AtomicUsize};
    use std::sync::{Condvar, Mutex};

    /// Threads that sleep like those of a system with futexes.
    #[derive(Default)]
    struct Threads {
        polls: AtomicUsize,
        sleeping: Mutex<usize>,
        woken: Condvar,
    }

    impl Waiting for Threads {
        fn wait(&self, _: u32) {
            self.polls.fetch_add(1, Ordering::Relaxed);
        }
        fn thread(&self) -> usize {
            unreachable!("no lock is involved")
        }
        fn sleep_while(&self, word: &AtomicU32, value: u32) {
            let mut sleeping = self.sleeping.lock().unwrap();
            *sleeping += 1;
            while word.load(Ordering::Relaxed) == value {
                sleeping = self.woken.wait(sleeping).unwrap();
            }
            *sleeping -= 1;
        }
        fn wake_all(&self, _: &AtomicU32) {
            let _sleeping = self.sleeping.lock().unwrap();
            self.woken.notify_all();
        }
    }

    #[test]
    fn threads_that_wait_longer_sleep_until_the_change_and_look_no_more_in_between() {
        let (threads, events) = (Threads::default(), EventCount::new());
        let (done, looks) = (AtomicBool::new(false), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    events.wait(&threads, &mut || {
                        looks.fetch_add(1, Ordering::Relaxed);
                        done.load(Ordering::Relaxed)
                    });
                });
            }
            while *threads.sleeping.lock().unwrap() < 3 {
                std::thread::yield_now();
            }
            done.store(true, Ordering::Relaxed);
            events.changed(&threads);
        });
        let polls = 3 * POLLS as usize;
        // Each thread looks once more before it sleeps, which it may do again because another one goes to sleep.
        let looks = looks.into_inner();
        assert!(looks >= polls + 6 && looks <= polls + 12, "{looks}");
        assert_eq!(threads.polls.into_inner(), polls);
    }

    #[test]
    fn a_change_that_no_thread_waits_for_wakes_none() {
        struct Alone;
        impl Waiting for Alone {
            fn wait(&self, _: u32) {}
            fn thread(&self) -> usize {
                unreachable!("no lock is involved")
            }
            fn wake_all(&self, _: &AtomicU32) {
                unreachable!("no thread sleeps")
            }
        }
        let events = EventCount::new();
        events.changed(&Alone);
        events.wait(&Alone, &mut || true);
        events.changed(&Alone);
    }
}
