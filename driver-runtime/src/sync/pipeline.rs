//! A queue's list of held submissions, and its thread.

use core::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicUsize, Ordering};

use loader_core::memory::OutOfMemory;
use loader_core::platform::Lock;

use super::Readiness;
use super::payload::SyncRef;
use super::submission::{Submission, Submitted};
use super::submissions::Submissions;
use crate::host::{NoThread, ThreadWork, Turn};
use crate::object::ParentMemory;
use crate::parts::Parts;

/// The submissions of a queue that are held back, and its thread.
pub(crate) struct Pipeline<D: Parts> {
    held: Lock<Held<D>>,
    /// Whether the list may have entries, for a check without the lock. A thread that adds an entry checks
    /// afterwards.
    occupied: AtomicBool,
    thread: Thread,
    /// A finished submission, kept for reuse: most submissions are no larger than the one before.
    spare: Lock<Submissions<D>>,
    /// The object for waits for the queue, kept for reuse.
    idle: Lock<Option<SyncRef<D>>>,
}

struct Held<D: Parts> {
    list: Submissions<D>,
    /// Submissions that the thread has finished, for application threads to free.
    done: Submissions<D>,
    /// A thread is passing a submission to the driver, and checks the list again afterwards.
    busy: bool,
}

/// A queue's thread.
struct Thread {
    state: AtomicU8,
    /// The thread's number, while it runs.
    number: AtomicUsize,
    /// The turn in which its work may run, if it has work.
    turn: Lock<Option<Turn>>,
    /// Counts the events that may let the thread continue.
    bell: AtomicU32,
    /// It is to end.
    ends: AtomicBool,
}

const NO_THREAD: u8 = 0;
const RUNNING: u8 = 1;
/// The system has no thread for it.
const REFUSED: u8 = 2;

/// The next step for a list.
pub(crate) enum Next<D: Parts> {
    Run(Submitted<D>),
    /// Only an event in this process can allow the next submission.
    Sleep,
    /// The first submission may wait for an event in any other place.
    LookAgain,
}

impl<D: Parts> Pipeline<D> {
    pub(crate) const fn new() -> Self {
        let thread = Thread {
            state: AtomicU8::new(NO_THREAD),
            number: AtomicUsize::new(0),
            turn: Lock::new(None),
            bell: AtomicU32::new(0),
            ends: AtomicBool::new(false),
        };
        let held = Held { list: Submissions::new(), done: Submissions::new(), busy: false };
        Self {
            held: Lock::new(held),
            occupied: AtomicBool::new(false),
            thread,
            spare: Lock::new(Submissions::new()),
            idle: Lock::new(None),
        }
    }

    /// Returns whether the driver has received everything.
    pub(crate) fn is_empty(&self) -> bool {
        let held = self.held.lock(D::host());
        held.list.is_empty() && !held.busy
    }

    /// Frees the submissions that the thread has finished.
    pub(crate) fn free_done(&self) {
        if !self.has_thread() {
            return;
        }
        let mut held = self.held.lock(D::host());
        let mut done = core::mem::replace(&mut held.done, Submissions::new());
        drop(held);
        if let Some(first) = done.pop() {
            self.keep(first);
        }
    }

    /// Returns a submission without waits, work and signals.
    pub(crate) fn submission(&self, memory: ParentMemory) -> Result<Submitted<D>, OutOfMemory> {
        let spare = self.spare.lock(D::host()).pop();
        spare.map_or_else(|| Submission::new(memory), Ok)
    }

    /// Keeps the driver's last submission for reuse. Called by application threads.
    pub(crate) fn keep(&self, mut submission: Submitted<D>) {
        if submission.recycle() {
            let mut spare = self.spare.lock(D::host());
            if spare.is_empty() {
                spare.push(submission);
            }
        }
    }

    /// Returns the object of an earlier wait for the queue after resetting it, if it has no other owner.
    pub(crate) fn take_idle(&self) -> Option<SyncRef<D>> {
        let idle = self.idle.lock(D::host()).take();
        idle?.reuse()
    }

    /// Keeps the object of a wait for the queue.
    pub(crate) fn keep_idle(&self, idle: SyncRef<D>) {
        let surplus = self.idle.lock(D::host()).replace(idle);
        drop(surplus);
    }

    pub(crate) fn push(&self, submission: Submitted<D>) {
        let mut held = self.held.lock(D::host());
        held.list.push(submission);
        self.occupied.store(true, Ordering::Release);
    }

    /// Returns the first submission if nothing holds it back; the caller passes it to the driver and calls `end`.
    /// Returns nothing once the device is lost, which is checked under the lock: code that loses it does so before
    /// `end`.
    pub(crate) fn take(&self, is_lost: impl FnOnce() -> bool) -> Next<D> {
        if !self.occupied.load(Ordering::Acquire) {
            return Next::Sleep;
        }
        let mut held = self.held.lock(D::host());
        let Some(first) = held.list.first().filter(|_| !held.busy && !is_lost()) else {
            return Next::Sleep;
        };
        match first.readiness() {
            Readiness::Held => Next::Sleep,
            Readiness::Elsewhere => Next::LookAgain,
            Readiness::Ready => {
                held.busy = true;
                let first = held.list.pop();
                self.occupied.store(!held.list.is_empty(), Ordering::Release);
                first.map_or(Next::Sleep, Next::Run)
            }
        }
    }

    /// Notes that a submission was run, and keeps it if the caller must not free it.
    pub(crate) fn end(&self, keep: Option<Submitted<D>>) {
        let mut held = self.held.lock(D::host());
        held.busy = false;
        if let Some(submission) = keep {
            held.done.push(submission);
        }
    }

    /// Returns whether the queue has a thread.
    pub(crate) fn has_thread(&self) -> bool {
        self.thread.state.load(Ordering::Acquire) == RUNNING
    }

    /// Lets the thread look at its list.
    pub(crate) fn ring(&self) {
        if self.has_thread() {
            self.thread.bell.fetch_add(1, Ordering::AcqRel);
            D::host().wake(&self.thread.bell);
        }
    }

    /// Has the system start a thread for `work`, once. Returns whether the thread exists now.
    pub(crate) fn start_thread(&self, work: impl FnOnce(Turn) -> ThreadWork) -> bool {
        if self.thread.state.load(Ordering::Acquire) != NO_THREAD {
            return self.has_thread();
        }
        let turn = Turn::new(D::host());
        if let Ok(turn) = &turn {
            *self.thread.turn.lock(D::host()) = Some(turn.clone());
        }
        let state = match turn.map_err(|_| NoThread).and_then(|turn| D::host().spawn(work(turn))) {
            Ok(number) => {
                self.thread.number.store(number, Ordering::Release);
                RUNNING
            }
            Err(_) => REFUSED,
        };
        self.thread.state.store(state, Ordering::Release);
        state == RUNNING
    }

    /// Returns the counter of the events that may let the thread continue.
    pub(crate) fn bell(&self) -> &AtomicU32 {
        &self.thread.bell
    }

    /// Returns whether the thread must end.
    pub(crate) fn thread_ends(&self) -> bool {
        self.thread.ends.load(Ordering::Acquire)
    }

    /// Ends the thread and waits for its end. The list keeps its entries. However the host handled the
    /// thread's work, none of it runs afterwards.
    pub(crate) fn end_thread(&self) {
        self.thread.ends.store(true, Ordering::Release);
        self.thread.bell.fetch_add(1, Ordering::AcqRel);
        let turn = self.thread.turn.lock(D::host()).take();
        if let Some(turn) = turn {
            D::host().wake(&self.thread.bell);
            turn.end();
        }
        if self.has_thread() {
            D::host().join(self.thread.number.load(Ordering::Acquire));
            self.thread.state.store(NO_THREAD, Ordering::Release);
        }
    }
}
