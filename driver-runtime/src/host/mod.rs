//! The functions that the system below the driver supplies.
//!
//! The feature `linux` adds `Linux`, a complete host for Linux and Android. It needs libc only, so it serves drivers with
//! and without the standard library. A host for the standard library would serve no further system: Fuchsia's drivers
//! cannot use it.

mod event_count;
#[cfg(all(feature = "linux", any(target_os = "linux", target_os = "android")))]
mod linux;

use core::ptr::NonNull;
use core::sync::atomic::{AtomicU32, Ordering};

use ash::vk;
use vkload_core::memory::{Arc, OutOfMemory};
use vkload_core::platform::Waiting;

use crate::drm::DrmDevices;

pub(crate) use event_count::{EventCount, Waiter};
#[cfg(all(feature = "linux", any(target_os = "linux", target_os = "android")))]
pub use linux::Linux;

/// The services that the runtime needs from the operating system.
pub trait Host: Waiting {
    /// Nanoseconds since a moment in the past that stays the same while the process runs.
    fn now(&self) -> u64;

    /// Reads a system clock in its own unit, or returns `None` if the system does not have it. For calibrated
    /// timestamps.
    fn read_clock(&self, domain: vk::TimeDomainKHR) -> Option<u64> {
        let _ = domain;
        None
    }

    /// Returns the current devices of the kernel's graphics system. Called once in every search for physical devices.
    ///
    /// # Errors
    /// [`OutOfMemory`]. Unreadable devices are left out, with the reason, which the runtime logs.
    fn drm_devices(&self) -> Result<DrmDevices, OutOfMemory> {
        Ok(DrmDevices::default())
    }

    /// Returns whether a trace was requested since the last call: with a key or by creating a file, depending on the
    /// system.
    fn trace_requested(&self) -> bool {
        false
    }

    /// Starts a thread that [runs](ThreadWork::run) `work`. On a system without threads, which is the default here,
    /// submissions are held in lists that advance with the application's calls.
    fn spawn(&self, work: ThreadWork) -> Result<Thread, NoThread> {
        let _ = work;
        Err(NoThread)
    }

    /// Sleeps while `word` is still `seen`, until [`Host::wake`] is called for it; waking up without a reason is allowed.
    fn sleep(&self, word: &AtomicU32, seen: u32) {
        self.sleep_until(word, seen, u64::MAX);
    }

    /// Does the same as [`Host::sleep`], but no longer than until [`Host::now`] reaches `deadline`. `u64::MAX` means
    /// no deadline. A futex has these semantics. The default implementation polls the word, with [`Waiting::wait`] in
    /// between.
    fn sleep_until(&self, word: &AtomicU32, seen: u32, deadline: u64) {
        let mut turn = 0u32;
        while word.load(Ordering::Acquire) == seen && (deadline == u64::MAX || self.now() < deadline) {
            self.wait(turn);
            turn = turn.saturating_add(1);
        }
    }

    /// Wakes the threads that sleep on `word`, which was changed before.
    fn wake(&self, word: &AtomicU32) {
        let _ = word;
    }

    /// Returns the user's setting for queues in the assisted timeline mode: a thread for each from its first
    /// submission on (`Some(true)`), none (`Some(false)`), or one if needed. An environment variable is a good source
    /// for it.
    fn submit_thread(&self) -> Option<bool> {
        None
    }
}

/// The system could not start a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoThread;

/// A thread that [`Host::spawn`] has started.
#[derive(Debug)]
pub struct Thread {
    number: usize,
    join: fn(usize),
}

impl Thread {
    /// Creates the value for a thread with this number. `join` is called once with it, when the thread's work has
    /// ended, and returns when the thread no longer executes code of the driver: the driver may be unloaded then.
    ///
    /// Only this value leads to a call of `join`. So a host whose function is private may rely on its numbers.
    #[must_use]
    pub const fn new(number: usize, join: fn(usize)) -> Self {
        Self { number, join }
    }

    /// Waits until the thread has ended.
    pub fn join(self) {
        (self.join)(self.number);
    }
}

/// The work of a thread that the system starts for the runtime.
///
/// The runtime waits for the end of work that runs, and work that does not run by then never does. So a system may keep this,
/// drop it, or run it late.
pub struct ThreadWork {
    run: Work,
    on: NonNull<()>,
    turn: Turn,
}

/// A function that must not unwind: no code would complete a thread's unfinished work.
type Work = unsafe extern "C" fn(NonNull<()>);

// SAFETY: the runtime makes this of things that may be shared between threads.
unsafe impl Send for ThreadWork {}

impl ThreadWork {
    /// Creates the work: `run` is called with `on` on another thread, unless `turn` is over by then.
    ///
    /// # Safety
    /// `on` is valid for `run`, on any thread, until [`Turn::end`].
    pub(crate) unsafe fn new(run: Work, on: NonNull<()>, turn: Turn) -> Self {
        Self { run, on, turn }
    }

    /// Does it; returns when the thread is to end.
    pub fn run(self) {
        if self.turn.begin() {
            // SAFETY: by the `# Safety` of `new`, `on` is valid for `run` on any thread until the end of the turn, which waits.
            unsafe { (self.run)(self.on) }
        }
    }
}

impl Drop for ThreadWork {
    fn drop(&mut self) {
        self.turn.over();
    }
}

/// The one time that work may run.
#[derive(Clone)]
pub(crate) struct Turn(Arc<TurnState>);

struct TurnState {
    state: AtomicU32,
    host: &'static dyn Host,
}

const AHEAD: u32 = 0;
const RUNNING: u32 = 1;
const OVER: u32 = 2;

impl Turn {
    pub(crate) fn new(host: &'static dyn Host) -> Result<Self, OutOfMemory> {
        Ok(Self(Arc::try_new(TurnState { state: AtomicU32::new(AHEAD), host })?))
    }

    fn begin(&self) -> bool {
        self.0.state.compare_exchange(AHEAD, RUNNING, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    fn over(&self) {
        self.0.state.store(OVER, Ordering::Release);
        self.0.host.wake(&self.0.state);
    }

    /// Lets work that has not begun never run, and waits for the end of work that runs.
    pub(crate) fn end(&self) {
        let state = &self.0.state;
        if state.compare_exchange(AHEAD, OVER, Ordering::AcqRel, Ordering::Acquire).is_err() {
            while state.load(Ordering::Acquire) == RUNNING {
                self.0.host.sleep(state, RUNNING);
            }
        }
    }
}
