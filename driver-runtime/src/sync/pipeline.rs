//! From a queue's list of submissions to the driver, by whoever comes along or by the queue's own thread.
//!
//! A submission that does not have to wait for another one goes straight to the driver. Otherwise it stands in its queue's list until
//! everything that it waits for was given to the driver. A queue without a thread lets its list go on whenever a call of the
//! application submits, signals, waits or asks; a queue with one leaves it to that.
//!
//! The thread needs no memory, and frees none: the application's allocation callbacks are called on its own threads only.

use core::ptr::NonNull;
use core::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicUsize, Ordering};

use loader_core::platform::Lock;

use super::submission::Submitted;
use super::submissions::Submissions;
use super::{Readiness, SubmitMode};
use crate::device::{Device, Queue};
use crate::driver::Driver;
use crate::host::ThreadWork;
use crate::result::SubmitError;

/// The submissions of a queue that are held back, and its thread.
pub(crate) struct Pipeline<D: Driver> {
    held: Lock<Held<D>>,
    thread: Thread,
}

struct Held<D: Driver> {
    list: Submissions<D>,
    /// What the thread is done with, for threads of the application to free.
    done: Submissions<D>,
    /// Somebody is giving a submission to the driver, and looks at the list again afterwards.
    busy: bool,
}

/// A queue's thread.
struct Thread {
    state: AtomicU8,
    /// Its number, while it is there.
    number: AtomicUsize,
    /// Counts what may let the thread go on.
    bell: AtomicU32,
    /// It is to end.
    ends: AtomicBool,
}

const NO_THREAD: u8 = 0;
const RUNNING: u8 = 1;
/// The system has no thread for it.
const REFUSED: u8 = 2;

/// What there is to do with a list.
enum Next<D: Driver> {
    Run(Submitted<D>),
    /// Nothing before something happens in this process.
    Sleep,
    /// What the first submission waits for may happen anywhere.
    LookAgain,
}

impl<D: Driver> Pipeline<D> {
    pub(crate) const fn new() -> Self {
        let thread = Thread {
            state: AtomicU8::new(NO_THREAD),
            number: AtomicUsize::new(0),
            bell: AtomicU32::new(0),
            ends: AtomicBool::new(false),
        };
        let held = Held { list: Submissions::new(), done: Submissions::new(), busy: false };
        Self { held: Lock::new(held), thread }
    }

    /// Whether the driver was given everything.
    pub(super) fn is_empty(&self) -> bool {
        let held = self.held.lock(D::host());
        held.list.is_empty() && !held.busy
    }

    /// Frees what the thread is done with.
    pub(super) fn free_done(&self) {
        let mut held = self.held.lock(D::host());
        let done = core::mem::replace(&mut held.done, Submissions::new());
        drop(held);
        drop(done);
    }

    fn push(&self, submission: Submitted<D>) {
        self.held.lock(D::host()).list.push(submission);
    }

    /// The first submission if nothing holds it back any more; the caller gives it to the driver and calls `end`.
    fn take(&self, device: &Device<D>) -> Next<D> {
        let mut held = self.held.lock(D::host());
        let Some(first) = held.list.first().filter(|_| !held.busy && device.lost().is_ok()) else {
            return Next::Sleep;
        };
        match first.readiness() {
            Readiness::Held => Next::Sleep,
            Readiness::Elsewhere => Next::LookAgain,
            Readiness::Ready => {
                held.busy = true;
                held.list.pop().map_or(Next::Sleep, Next::Run)
            }
        }
    }

    /// Somebody has run a submission; it is kept where it must not be freed here.
    fn end(&self, keep: Option<Submitted<D>>) {
        let mut held = self.held.lock(D::host());
        held.busy = false;
        if let Some(submission) = keep {
            held.done.push(submission);
        }
    }

    fn has_thread(&self) -> bool {
        self.thread.state.load(Ordering::Acquire) == RUNNING
    }

    /// Lets the thread look at its list.
    fn ring(&self) {
        if self.has_thread() {
            self.thread.bell.fetch_add(1, Ordering::AcqRel);
            D::host().wake(&self.thread.bell);
        }
    }

    /// Ends the thread and waits until it is gone. What is still in the list stays there.
    pub(crate) fn end_thread(&self) {
        if self.has_thread() {
            self.thread.ends.store(true, Ordering::Release);
            self.ring();
            D::host().join(self.thread.number.load(Ordering::Acquire));
            self.thread.state.store(NO_THREAD, Ordering::Release);
        }
    }
}

impl<D: Driver> Queue<D> {
    /// Submits. After an error everything is as before, or the device is lost.
    pub(super) fn submit_one(&self, mut submission: Submitted<D>) -> Result<(), SubmitError> {
        let device = self.parent();
        device.lost()?;
        self.pipeline().free_done();
        submission.resolve();
        if self.goes_straight(&submission) {
            submission.run(self)?;
            submission.commit();
            submission.given();
        } else {
            submission.commit();
            self.pipeline().push(submission);
        }
        device.flush();
        Ok(device.lost()?)
    }

    /// Whether the calling thread gives the submission to the driver now. If not, this has started the queue's thread where
    /// the mode wants one.
    fn goes_straight(&self, submission: &Submitted<D>) -> bool {
        let mode = self.parent().submit_mode();
        if mode == SubmitMode::Immediate {
            return true;
        }
        if self.pipeline().has_thread() || mode == SubmitMode::Threaded && self.start_thread() {
            return false;
        }
        if self.pipeline().is_empty() && submission.readiness() == Readiness::Ready {
            return true;
        }
        if mode == SubmitMode::ThreadedOnDemand {
            self.start_thread();
        }
        false
    }

    /// Whether the queue has a thread now.
    fn start_thread(&self) -> bool {
        let thread = &self.pipeline().thread;
        if thread.state.load(Ordering::Acquire) != NO_THREAD {
            return self.pipeline().has_thread();
        }
        // SAFETY: the queue is shared only, and lives until its thread was joined: devices see to that.
        let work = unsafe { ThreadWork::new(serve::<D>, NonNull::from(self).cast()) };
        let state = match D::host().spawn(work) {
            Ok(number) => {
                thread.number.store(number, Ordering::Release);
                RUNNING
            }
            Err(_) => REFUSED,
        };
        thread.state.store(state, Ordering::Release);
        state == RUNNING
    }

    /// Gives the driver what nothing holds back any more, unless a thread does that. Returns whether there was something.
    fn run_held(&self) -> bool {
        let mut progress = false;
        if self.pipeline().has_thread() {
            return progress;
        }
        while let Next::Run(mut submission) = self.take() {
            self.run_one(&mut submission);
            self.pipeline().end(None);
            progress = true;
        }
        progress
    }

    fn take(&self) -> Next<D> {
        self.pipeline().take(self.parent())
    }

    fn run_one(&self, submission: &mut Submitted<D>) {
        match submission.run(self) {
            Ok(()) => submission.given(),
            // The application was told that the submission is fine, so it can be told only now and so.
            Err(_) if self.parent().lost().is_ok() => {
                self.set_lost("a submission that was held back failed");
            }
            Err(_) => {}
        }
    }

    /// What the queue's thread does.
    fn serve(&self) {
        let (host, thread) = (D::host(), &self.pipeline().thread);
        let mut turn = 0u32;
        loop {
            let seen = thread.bell.load(Ordering::Acquire);
            if thread.ends.load(Ordering::Acquire) {
                return;
            }
            match self.take() {
                Next::Run(mut submission) => {
                    self.run_one(&mut submission);
                    self.pipeline().end(Some(submission));
                    self.parent().flush();
                    turn = 0;
                }
                Next::Sleep => {
                    host.sleep(&thread.bell, seen);
                    turn = 0;
                }
                Next::LookAgain => {
                    // Another process may be gone together with the device. What is lost, the list notices.
                    let _ = self.parent().check_status();
                    host.wait(turn);
                    turn = turn.saturating_add(1);
                }
            }
        }
    }
}

/// # Safety
/// `queue` is a queue of this driver that lives until this returns.
unsafe fn serve<D: Driver>(queue: NonNull<()>) {
    // SAFETY: the caller vouches for the queue.
    unsafe { queue.cast::<Queue<D>>().as_ref() }.serve();
}

impl<D: Driver> Device<D> {
    /// Something happened that submissions may have waited for: lets all queues go on, until nothing moves any more.
    pub(crate) fn flush(&self) {
        if self.submit_mode() != SubmitMode::Immediate {
            self.run_held();
            self.queues().iter().for_each(|queue| queue.pipeline().ring());
        }
    }

    /// Lets the queues without a thread go on, for something may have happened elsewhere.
    pub(super) fn push_held(&self) {
        if self.submit_mode() != SubmitMode::Immediate && self.run_held() {
            self.queues().iter().for_each(|queue| queue.pipeline().ring());
        }
    }

    fn run_held(&self) -> bool {
        let mut progress = false;
        while self.queues().iter().fold(false, |moved, queue| queue.run_held() | moved) {
            progress = true;
        }
        progress
    }
}
