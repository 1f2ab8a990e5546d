//! Passes submissions to the driver: at once, or as soon as the driver can take them.

use vkload_core::memory::{Box, OutOfMemory};

use super::NextSubmit;

use super::submit::{QueueSubmit, SubmitList};
use crate::device::{Device, Queue};
use crate::driver::Driver;
use crate::object::{ParentMemory, ParentObject};
use crate::result::SubmitError;
use crate::sync_object::{Readiness, SubmitMode, SyncRef};

/// The result of passing lists to the driver.
#[derive(Clone, Copy, Default)]
struct Progress {
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
    pub(in crate::sync) fn new_submit(&self) -> Result<Box<QueueSubmit<D>, ParentMemory>, OutOfMemory> {
        self.submit_queue().new_submit(self.parent().root().shared_memory())
    }

    /// Submits one after the other; the last one signals the fence.
    pub(in crate::sync) fn submit_list(
        &self,
        mut list: SubmitList<D>,
        fence: Option<SyncRef<D>>,
    ) -> Result<(), SubmitError> {
        if let Some(fence) = fence {
            if list.is_empty() {
                list.push(self.new_submit()?);
            }
            if let Some(last) = list.last_mut() {
                last.add_binary_signal(fence)?;
            }
        }
        let Some(first) = list.pop() else { return Ok(self.parent().lost()?) };
        self.submit(first)?;
        while let Some(next) = list.pop() {
            // Executed work cannot be undone, so every failure from here on is a device loss.
            if self.submit(next).is_err() {
                return Err(self.set_lost("a submission failed behind others of the same call").into());
            }
        }
        Ok(())
    }

    /// Submits. After an error everything is as before, or the device is lost.
    fn submit(&self, mut submit: Box<QueueSubmit<D>, ParentMemory>) -> Result<(), SubmitError> {
        let device = self.parent();
        device.lost()?;
        self.submit_queue().free_finished();
        submit.resolve();
        if self.submits_now(&submit) {
            submit.submit_to_driver(self)?;
            submit.commit();
            submit.set_submitted(device.event_count());
            self.submit_queue().recycle(submit);
        } else {
            submit.commit();
            self.submit_queue().push(submit);
        }
        device.flush();
        Ok(device.lost()?)
    }

    /// Returns whether the calling thread passes the submission to the driver now. If not, this has started the
    /// queue's thread if the mode uses one.
    fn submits_now(&self, submit: &QueueSubmit<D>) -> bool {
        let mode = self.parent().submit_mode();
        if mode == SubmitMode::Immediate {
            return true;
        }
        if self.submit_queue().thread.is_running() || mode == SubmitMode::Threaded && self.start_thread() {
            return false;
        }
        if self.submit_queue().is_empty() && submit.readiness() == Readiness::Ready {
            return true;
        }
        if mode == SubmitMode::ThreadedIfNeeded {
            self.start_thread();
        }
        false
    }

    /// Passes the queued submissions that the driver can take to it, unless a thread does so.
    fn submit_queued(&self) -> Progress {
        let mut progress = Progress::default();
        if self.submit_queue().thread.is_running() {
            return progress;
        }
        loop {
            match self.take_ready() {
                NextSubmit::Ready(mut submit) => {
                    self.submit_taken(&mut submit);
                    self.submit_queue().finish(None);
                    self.submit_queue().recycle(submit);
                    progress.moved = true;
                }
                NextSubmit::DependsOnOthers => {
                    progress.depends_on_others = true;
                    return progress;
                }
                NextSubmit::Blocked => return progress,
            }
        }
    }

    pub(super) fn take_ready(&self) -> NextSubmit<D> {
        self.submit_queue().take_ready(|| self.parent().lost().is_err())
    }

    /// Passes a submission from the list to the driver.
    pub(super) fn submit_taken(&self, submit: &mut QueueSubmit<D>) {
        match submit.submit_to_driver(self) {
            Ok(()) => submit.set_submitted(self.parent().event_count()),
            // Submission has already returned success to the application, so device loss is the only way left to
            // report the failure.
            Err(_) if self.parent().lost().is_ok() => {
                self.set_lost("a submission that was held back failed");
            }
            Err(_) => {}
        }
    }
}

impl<D: Driver> Device<D> {
    /// Advances all queues until none makes progress, after a change that submissions may have waited for.
    pub(crate) fn flush(&self) {
        if self.submit_mode() != SubmitMode::Immediate {
            self.submit_queued();
            self.queues().iter().for_each(|queue| queue.submit_queue().thread.wake(D::host));
        }
    }

    /// Advances the queues without a thread, since another process may have changed something. Returns whether a list
    /// depends on other processes and so must be checked again.
    pub(in crate::sync) fn advance(&self) -> bool {
        if self.submit_mode() == SubmitMode::Immediate {
            return false;
        }
        let progress = self.submit_queued();
        if progress.moved {
            self.queues().iter().for_each(|queue| queue.submit_queue().thread.wake(D::host));
        }
        progress.depends_on_others
    }

    fn submit_queued(&self) -> Progress {
        let mut moved = false;
        loop {
            let round = self.queues().iter().map(|queue| queue.submit_queued());
            let round = round.fold(Progress::default(), Progress::and);
            if !round.moved {
                return Progress { moved, ..round };
            }
            moved = true;
        }
    }
}
