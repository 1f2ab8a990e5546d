use core::ptr::NonNull;
use core::sync::atomic::{AtomicI32, AtomicU32, Ordering};
use std::string::String;
use std::{env, format, fs, thread};

use super::*;
use crate::host::Turn;

/// A test's thread: it reports its number, and sleeps while the word is 0.
#[derive(Default)]
struct Sleeper {
    tid: AtomicI32,
    word: AtomicU32,
    signals: AtomicU32,
}

impl Sleeper {
    fn start(&self) -> Thread {
        unsafe extern "C" fn sleep(on: NonNull<()>) {
            // SAFETY: the test keeps it until the thread was joined.
            let sleeper = unsafe { on.cast::<Sleeper>().as_ref() };
            // SAFETY: no preconditions, and a buffer for a set.
            unsafe {
                let mut set = MaybeUninit::uninit();
                libc::pthread_sigmask(libc::SIG_BLOCK, ptr::null(), set.as_mut_ptr());
                let blocked = libc::sigismember(set.as_ptr(), libc::SIGUSR1);
                sleeper.signals.store(blocked.cast_unsigned(), Ordering::Relaxed);
                sleeper.tid.store(libc::gettid(), Ordering::Release);
            }
            while sleeper.word.load(Ordering::Acquire) == 0 {
                Linux.sleep(&sleeper.word, 0);
            }
        }
        let turn = Turn::new(&Linux).unwrap();
        // SAFETY: the test keeps it until the thread was joined.
        Linux.spawn(unsafe { ThreadWork::new(sleep, NonNull::from(self).cast(), turn) }).unwrap()
    }

    /// Waits until the thread's file of this name has a text that `is_so`.
    fn wait_until(&self, file: &str, is_so: impl Fn(&str) -> bool) -> String {
        for _ in 0..1_000_000 {
            let tid = self.tid.load(Ordering::Acquire);
            let text = fs::read_to_string(format!("/proc/self/task/{tid}/{file}")).unwrap_or_default();
            if is_so(&text) {
                return text;
            }
            thread::yield_now();
        }
        panic!("the thread is awake all the time");
    }

    fn wake(&self) {
        self.word.store(1, Ordering::Release);
        Linux.wake(&self.word);
    }
}

#[test]
#[cfg_attr(miri, ignore = "reads what the kernel says of threads")]
fn a_thread_that_sleeps_is_in_the_kernel_until_it_is_woken() {
    let sleeper = Sleeper::default();
    let thread = sleeper.start();
    // The system call and its first argument, or `running`.
    let call = format!("{FUTEX} {:p} ", sleeper.word.as_ptr());
    sleeper.wait_until("syscall", |text| text.starts_with(&call));
    sleeper.wake();
    thread.join();
}

#[test]
#[cfg_attr(miri, ignore = "reads what the kernel says of threads")]
fn a_thread_that_was_joined_is_gone() {
    let sleeper = Sleeper::default();
    let thread = sleeper.start();
    sleeper.wait_until("status", |text| !text.is_empty());
    let tid = sleeper.tid.load(Ordering::Acquire);
    sleeper.wake();
    thread.join();
    // The kernel removes the entry after it has woken the thread that joins.
    while fs::exists(format!("/proc/self/task/{tid}")).unwrap() {
        thread::yield_now();
    }
    assert_eq!(sleeper.signals.load(Ordering::Relaxed), 1, "signals belong to the application");
}

#[test]
fn a_sleep_ends_at_once_if_the_word_has_changed_or_the_deadline_has_passed() {
    let word = AtomicU32::new(7);
    Linux.sleep(&word, 6);
    Linux.sleep_until(&word, 7, Linux.now());
    Linux.sleep_until(&word, 7, 0);
}

#[test]
fn deadlines_beyond_the_kernels_range_are_late_and_not_early() {
    assert!(KernelTime::of(u64::MAX).is_none());
    let time = KernelTime::of(3_000_000_007).unwrap();
    assert_eq!((time.seconds, time.nanoseconds), (3, 7));
    let time = KernelTime::of(u64::MAX - 1).unwrap();
    assert!(time.seconds >= c_long::from(i32::MAX) && time.nanoseconds < 1_000_000_000);
}

#[test]
fn without_wake_ups_a_thread_sleeps_longer_and_longer() {
    let naps: std::vec::Vec<_> = (32..100).map(nap).collect();
    assert!(naps.is_sorted());
    assert_eq!((naps[0], naps[67], nap(u32::MAX)), (50_000, 1_000_000, 1_000_000));
    // Half a second of waiting is that many turns at most.
    let mut left = 500_000_000;
    let turns = (32..).take_while(|turn| {
        left -= nap(*turn);
        left > 0
    });
    assert!(turns.count() < 600);
}

#[test]
#[cfg_attr(miri, ignore = "Miri has no CLOCK_MONOTONIC_RAW")]
fn the_clocks_are_those_of_the_system() {
    let monotonic = Linux.read_clock(vk::TimeDomainKHR::CLOCK_MONOTONIC).unwrap();
    let now = Linux.now();
    assert!(monotonic <= now && Linux.read_clock(vk::TimeDomainKHR::CLOCK_MONOTONIC).unwrap() >= now);
    assert!(Linux.read_clock(vk::TimeDomainKHR::CLOCK_MONOTONIC_RAW).is_some());
    assert_eq!(Linux.read_clock(vk::TimeDomainKHR::QUERY_PERFORMANCE_COUNTER), None);
}

/// The variables are read in a process of their own, for tests share one.
#[test]
#[cfg_attr(miri, ignore = "starts processes")]
fn variables_decide_about_threads_and_traces() {
    const CHILD: &str = "VKLOAD_TEST_EXPECTED";
    const NAME: &str = "host::linux::tests::variables_decide_about_threads_and_traces";
    if let Ok(expected) = env::var(CHILD) {
        assert_eq!(format!("{:?}", Linux.submit_thread()), expected);
        let requests = [Linux.trace_requested(), Linux.trace_requested()];
        assert_eq!(requests, [expected == "Some(true)", false], "a request counts once");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("trace");
    for (value, expected) in [("1", "Some(true)"), ("off", "Some(false)"), ("maybe", "None"), ("", "None")] {
        if value == "1" {
            fs::write(&file, "").unwrap();
        }
        let mut child = std::process::Command::new(env::current_exe().unwrap());
        child.args(["--exact", NAME]).env(CHILD, expected);
        child.env("VKLOAD_DRIVER_SUBMIT_THREAD", value).env("VKLOAD_DRIVER_TRACE_FILE", &file);
        let output = child.output().unwrap();
        assert!(output.status.success(), "{value}: {}", String::from_utf8_lossy(&output.stdout));
        assert!(!file.exists());
    }
}
