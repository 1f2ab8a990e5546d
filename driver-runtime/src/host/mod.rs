//! What the system below the driver supplies.
//!
//! The feature `linux` adds `Linux`, a complete host for Linux and Android. It needs libc only, so it serves drivers with
//! and without the standard library. A host for the standard library would serve no further system: Fuchsia's drivers
//! cannot use it.

#[cfg(all(feature = "linux", any(target_os = "linux", target_os = "android")))]
mod linux;

use core::ptr::NonNull;
use core::sync::atomic::{AtomicU32, Ordering};

use ash::vk;
use loader_core::memory::{Counted, OutOfMemory};
use loader_core::platform::Waiting;

use crate::drm::DrmDevices;

#[cfg(all(feature = "linux", any(target_os = "linux", target_os = "android")))]
pub use linux::Linux;

/// The services that the runtime needs from the operating system.
pub trait Host: Waiting {
    /// Nanoseconds since a moment in the past that stays the same while the process runs.
    fn now(&self) -> u64;

    /// What a clock of the system says, in its own unit, or `None` if there is no such clock. For calibrated timestamps.
    fn read_clock(&self, domain: vk::TimeDomainKHR) -> Option<u64> {
        let _ = domain;
        None
    }

    /// The devices of the kernel's graphics system as they are now. Asked for once in every search for physical devices.
    ///
    /// # Errors
    /// [`OutOfMemory`]. What cannot be read is left out, with the reason, which the runtime logs.
    fn drm_devices(&self) -> Result<DrmDevices, OutOfMemory> {
        Ok(DrmDevices::default())
    }

    /// Whether somebody asked for a trace since the last call: with a key, by creating a file, as the system has it.
    fn trace_requested(&self) -> bool {
        false
    }

    /// Starts a thread that [runs](ThreadWork::run) `work`, and returns a number for it. A system without threads, as this function has it by
    /// default, holds submissions back in lists that go on with the application's calls.
    ///
    /// # Errors
    /// [`NoThread`].
    fn spawn(&self, work: ThreadWork) -> Result<usize, NoThread> {
        let _ = work;
        Err(NoThread)
    }

    /// Waits until the thread with this number of [`Host::spawn`] is gone; called once for each, when its work has ended. When this
    /// returns, the thread must not execute anything of the driver any more: the driver may be unloaded.
    fn join(&self, thread: usize) {
        let _ = thread;
    }

    /// Sleeps while `word` is still `seen`, until [`Host::wake`] is called for it; waking up without a reason is allowed.
    fn sleep(&self, word: &AtomicU32, seen: u32) {
        self.sleep_until(word, seen, u64::MAX);
    }

    /// As [`Host::sleep`], but no longer than until [`Host::now`] reaches `deadline`. `u64::MAX` is no deadline. A futex does
    /// just this. By default it looks at the word again and again, with [`Waiting::wait`] between.
    fn sleep_until(&self, word: &AtomicU32, seen: u32, deadline: u64) {
        let mut turn = 0u32;
        while word.load(Ordering::Acquire) == seen && (deadline == u64::MAX || self.now() < deadline) {
            self.wait(turn);
            turn = turn.saturating_add(1);
        }
    }

    /// Wakes who sleeps on `word`, which was changed before.
    fn wake(&self, word: &AtomicU32) {
        let _ = word;
    }

    /// What the user wants of queues in the assisted mode of timelines: a thread for each from its first submission on
    /// (`Some(true)`), none (`Some(false)`), or one where it is needed. A variable of the environment is a good place for it.
    fn submit_thread(&self) -> Option<bool> {
        None
    }
}

/// There is no thread to be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoThread;

/// What a thread does that the system starts for the runtime.
///
/// The runtime waits for the end of work that runs, and work that does not run by then never does. So a system may keep this,
/// drop it, or run it late.
pub struct ThreadWork {
    run: Work,
    on: NonNull<()>,
    turn: Turn,
}

/// A function that must not unwind: nobody waits for what a thread has left half done.
type Work = unsafe extern "C" fn(NonNull<()>);

// SAFETY: the runtime makes this of things that may be shared between threads.
unsafe impl Send for ThreadWork {}

impl ThreadWork {
    /// `run` is going to be called with `on`, on another thread, unless `turn` is over by then.
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
pub(crate) struct Turn(Counted<TurnState>);

struct TurnState {
    state: AtomicU32,
    host: &'static dyn Host,
}

const AHEAD: u32 = 0;
const RUNNING: u32 = 1;
const OVER: u32 = 2;

impl Turn {
    pub(crate) fn new(host: &'static dyn Host) -> Result<Self, OutOfMemory> {
        Ok(Self(Counted::try_new(TurnState { state: AtomicU32::new(AHEAD), host })?))
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
