//! Queues: the way of submissions from the application to the driver.
//!
//! A submission goes straight to the driver if the driver can take its waits. Otherwise it stays in its queue's list
//! until the driver has received all submissions that it waits for. Without a thread, the list advances whenever the
//! application submits, signals, waits or queries; with one, the thread does this.

mod advance;
mod commands;
mod submit;
mod thread;

use core::sync::atomic::{AtomicBool, Ordering};

use vkload_core::memory::{Box, OutOfMemory};
use vkload_core::platform::Lock;

use self::submit::QueueSubmit;
use self::thread::QueueThread;
use crate::driver_types::DriverTypes;
use crate::object::ParentMemory;
use crate::sync_object::{Readiness, SyncRef};

pub(crate) use commands::signal_in_order;
pub(super) use commands::{
    device_wait_idle, queue_bind_sparse, queue_submit, queue_submit_2, queue_wait_idle,
};
pub(in crate::sync) use submit::SubmitList;

/// The submissions of a queue that wait to be passed to the driver, and the queue's thread.
pub struct SubmitQueue<D: DriverTypes> {
    queued: Lock<Queued<D>>,
    /// Whether the list may have entries, for a check without the lock. A thread that adds an entry checks
    /// afterwards.
    occupied: AtomicBool,
    thread: QueueThread,
    /// A finished submission, kept for reuse: most submissions are no larger than the one before.
    spare: Lock<SubmitList<D>>,
    /// The object for waits for the queue, kept for reuse.
    idle: Lock<Option<SyncRef<D>>>,
}

struct Queued<D: DriverTypes> {
    list: SubmitList<D>,
    /// Submissions that the thread has passed to the driver, for application threads to free.
    finished: SubmitList<D>,
    /// A thread is passing a submission to the driver, and checks the list again afterwards.
    busy: bool,
}

/// The first submission of a list, if the driver can receive it.
enum NextSubmit<D: DriverTypes> {
    Ready(Box<QueueSubmit<D>, ParentMemory>),
    /// Only an event in this process can allow it.
    Blocked,
    /// It may wait for an event in any other place.
    DependsOnOthers,
}

impl<D: DriverTypes> Default for SubmitQueue<D> {
    fn default() -> Self {
        let queued = Queued { list: SubmitList::new(), finished: SubmitList::new(), busy: false };
        Self {
            queued: Lock::new(queued),
            occupied: AtomicBool::new(false),
            thread: QueueThread::new(),
            spare: Lock::new(SubmitList::new()),
            idle: Lock::new(None),
        }
    }
}

impl<D: DriverTypes> SubmitQueue<D> {
    /// Returns whether the driver has received everything.
    pub(super) fn is_empty(&self) -> bool {
        let queued = self.queued.lock(D::host());
        queued.list.is_empty() && !queued.busy
    }

    /// Frees the submissions that the thread has passed to the driver.
    fn free_finished(&self) {
        if !self.thread.is_running() {
            return;
        }
        let mut queued = self.queued.lock(D::host());
        let mut finished = core::mem::replace(&mut queued.finished, SubmitList::new());
        drop(queued);
        if let Some(first) = finished.pop() {
            self.recycle(first);
        }
    }

    /// Returns a submission without waits, work and signals.
    fn new_submit(&self, memory: ParentMemory) -> Result<Box<QueueSubmit<D>, ParentMemory>, OutOfMemory> {
        let spare = self.spare.lock(D::host()).pop();
        spare.map_or_else(|| QueueSubmit::new(memory), Ok)
    }

    /// Keeps a submission that the driver has received for reuse. Called by application threads.
    fn recycle(&self, mut submit: Box<QueueSubmit<D>, ParentMemory>) {
        if submit.recycle() {
            let mut spare = self.spare.lock(D::host());
            if spare.is_empty() {
                spare.push(submit);
            }
        }
    }

    /// Returns the object of an earlier wait for the queue after resetting it, if it has no other owner.
    fn take_idle(&self) -> Option<SyncRef<D>> {
        let idle = self.idle.lock(D::host()).take();
        idle?.reuse()
    }

    /// Keeps the object of a wait for the queue.
    fn keep_idle(&self, idle: SyncRef<D>) {
        let surplus = self.idle.lock(D::host()).replace(idle);
        drop(surplus);
    }

    fn push(&self, submit: Box<QueueSubmit<D>, ParentMemory>) {
        let mut queued = self.queued.lock(D::host());
        queued.list.push(submit);
        self.occupied.store(true, Ordering::Release);
    }

    /// Takes the first submission if the driver can receive it; the caller passes it on and calls `finish`.
    /// Takes none once the device is lost, which is checked under the lock: code that loses it does so before
    /// `finish`.
    fn take_ready(&self, is_lost: impl FnOnce() -> bool) -> NextSubmit<D> {
        if !self.occupied.load(Ordering::Acquire) {
            return NextSubmit::Blocked;
        }
        let mut queued = self.queued.lock(D::host());
        let Some(first) = queued.list.first().filter(|_| !queued.busy && !is_lost()) else {
            return NextSubmit::Blocked;
        };
        match first.readiness() {
            Readiness::NotSubmitted => NextSubmit::Blocked,
            Readiness::DependsOnOthers => NextSubmit::DependsOnOthers,
            Readiness::Ready => {
                queued.busy = true;
                let first = queued.list.pop();
                self.occupied.store(!queued.list.is_empty(), Ordering::Release);
                first.map_or(NextSubmit::Blocked, NextSubmit::Ready)
            }
        }
    }

    /// Notes that a submission was passed to the driver, and keeps it if the caller must not free it.
    fn finish(&self, keep: Option<Box<QueueSubmit<D>, ParentMemory>>) {
        let mut queued = self.queued.lock(D::host());
        queued.busy = false;
        if let Some(submit) = keep {
            queued.finished.push(submit);
        }
    }
}
