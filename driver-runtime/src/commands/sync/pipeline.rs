//! Moves submissions from a queue's list to the driver, on application threads or on the queue's own thread.
//!
//! A submission without unsubmitted dependencies goes straight to the driver. Otherwise it stays in its queue's list
//! until the driver has received all submissions that it waits for. Without a thread, the list advances whenever the
//! application submits, signals, waits or queries; with one, the thread does this.
//!
//! The thread needs no memory, and frees none: the application's allocation callbacks are called on its own threads only.

use core::ptr::NonNull;
use core::sync::atomic::Ordering;

use loader_core::memory::OutOfMemory;

use crate::device::{Device, Queue};
use crate::driver::Driver;
use crate::host::ThreadWork;
use crate::object::ParentObject;
use crate::result::SubmitError;
use crate::sync::{Next, Readiness, SubmitMode, Submitted};

/// The result of passing lists to the driver.
#[derive(Clone, Copy, Default)]
struct Progress {
    /// There was something to give.
    moved: bool,
    /// The next submission can be passed on once another process has acted.
    depends_on_others: bool,
}

impl Progress {
    fn and(self, other: Self) -> Self {
        Self {
            moved: self.moved | other.moved,
            depends_on_others: self.depends_on_others | other.depends_on_others,
        }
    }
}

impl<D: Driver> Queue<D> {
    /// Returns a submission without waits, work and signals.
    pub(super) fn submission(&self) -> Result<Submitted<D>, OutOfMemory> {
        self.pipeline().submission(self.parent().root().shared_memory())
    }

    /// Submits. After an error everything is as before, or the device is lost.
    pub(super) fn submit_one(&self, mut submission: Submitted<D>) -> Result<(), SubmitError> {
        let device = self.parent();
        device.lost()?;
        self.pipeline().free_done();
        submission.resolve();
        if self.goes_straight(&submission) {
            submission.run(self)?;
            submission.commit();
            submission.given(device.bell());
            self.pipeline().keep(submission);
        } else {
            submission.commit();
            self.pipeline().push(submission);
        }
        device.flush();
        Ok(device.lost()?)
    }

    /// Returns whether the calling thread passes the submission to the driver now. If not, this has started the
    /// queue's thread if the mode uses one.
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

    /// Returns whether the queue has a thread now.
    fn start_thread(&self) -> bool {
        // SAFETY: the queue is shared only, and lives until the turn has ended: devices see to that.
        self.pipeline()
            .start_thread(|turn| unsafe { ThreadWork::new(serve::<D>, NonNull::from(self).cast(), turn) })
    }

    /// Passes submissions that nothing holds back to the driver, unless a thread does so.
    fn run_held(&self) -> Progress {
        let mut progress = Progress::default();
        if self.pipeline().has_thread() {
            return progress;
        }
        loop {
            match self.take() {
                Next::Run(mut submission) => {
                    self.run_one(&mut submission);
                    self.pipeline().end(None);
                    self.pipeline().keep(submission);
                    progress.moved = true;
                }
                Next::LookAgain => {
                    progress.depends_on_others = true;
                    return progress;
                }
                Next::Sleep => return progress,
            }
        }
    }

    fn take(&self) -> Next<D> {
        self.pipeline().take(|| self.parent().lost().is_err())
    }

    fn run_one(&self, submission: &mut Submitted<D>) {
        match submission.run(self) {
            Ok(()) => submission.given(self.parent().bell()),
            // Submission has already returned success to the application, so device loss is the only way left to
            // report the failure.
            Err(_) if self.parent().lost().is_ok() => {
                self.set_lost("a submission that was held back failed");
            }
            Err(_) => {}
        }
    }

    /// Runs the queue's thread.
    fn serve(&self) {
        let (host, bell) = (D::host(), self.pipeline().bell());
        let mut turn = 0u32;
        loop {
            let seen = bell.load(Ordering::Acquire);
            if self.pipeline().thread_ends() {
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
                    host.sleep(bell, seen);
                    turn = 0;
                }
                Next::LookAgain => {
                    // Another process may have ended together with the device. The list notices a loss.
                    let _ = self.parent().check_status();
                    host.wait(turn);
                    turn = turn.saturating_add(1);
                }
            }
        }
    }
}

/// Runs the queue's thread. A panic in the driver aborts the process, as in a command.
///
/// # Safety
/// `queue` is a queue of this driver that lives until this returns.
unsafe extern "C" fn serve<D: Driver>(queue: NonNull<()>) {
    // SAFETY: the caller vouches for the queue.
    unsafe { queue.cast::<Queue<D>>().as_ref() }.serve();
}

impl<D: Driver> Device<D> {
    /// Advances all queues until none makes progress, after a change that submissions may have waited for.
    pub(crate) fn flush(&self) {
        if self.submit_mode() != SubmitMode::Immediate {
            self.run_held();
            self.queues().iter().for_each(|queue| queue.pipeline().ring());
        }
    }

    /// Advances the queues without a thread, since another process may have changed something. Returns whether a list
    /// depends on other processes and so must be checked again.
    pub(super) fn push_held(&self) -> bool {
        if self.submit_mode() == SubmitMode::Immediate {
            return false;
        }
        let progress = self.run_held();
        if progress.moved {
            self.queues().iter().for_each(|queue| queue.pipeline().ring());
        }
        progress.depends_on_others
    }

    fn run_held(&self) -> Progress {
        let mut moved = false;
        loop {
            let round =
                self.queues().iter().map(|queue| queue.run_held()).fold(Progress::default(), Progress::and);
            if !round.moved {
                return Progress { moved, ..round };
            }
            moved = true;
        }
    }
}
