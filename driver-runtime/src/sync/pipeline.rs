//! What a queue holds back: its list of submissions, and its thread.

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
    /// Whether there may be something in the list, for a look without the lock. Whoever adds something looks afterwards.
    occupied: AtomicBool,
    thread: Thread,
    /// A submission that is done, for the next one: most have as much room as the one before needed.
    spare: Lock<Submissions<D>>,
    /// What is signalled when the queue is waited for, for the next time.
    idle: Lock<Option<SyncRef<D>>>,
}

struct Held<D: Parts> {
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
    /// When its work may run, from when there is some.
    turn: Lock<Option<Turn>>,
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
pub(crate) enum Next<D: Parts> {
    Run(Submitted<D>),
    /// Nothing before something happens in this process.
    Sleep,
    /// What the first submission waits for may happen anywhere.
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

    /// Whether the driver was given everything.
    pub(crate) fn is_empty(&self) -> bool {
        let held = self.held.lock(D::host());
        held.list.is_empty() && !held.busy
    }

    /// Frees what the thread is done with.
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

    /// A submission without waits, work and signals.
    pub(crate) fn submission(&self, memory: ParentMemory) -> Result<Submitted<D>, OutOfMemory> {
        let spare = self.spare.lock(D::host()).pop();
        spare.map_or_else(|| Submission::new(memory), Ok)
    }

    /// Keeps what the driver was given for the next submission. Called by threads of the application.
    pub(crate) fn keep(&self, mut submission: Submitted<D>) {
        if submission.recycle() {
            let mut spare = self.spare.lock(D::host());
            if spare.is_empty() {
                spare.push(submission);
            }
        }
    }

    /// The object of an earlier wait for the queue, set back, if nobody else has it any more.
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

    /// The first submission if nothing holds it back any more; the caller gives it to the driver and calls `end`. Nothing once
    /// the device is lost, which is asked under the lock: who loses it does so before `end`.
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

    /// Somebody has run a submission; it is kept where it must not be freed here.
    pub(crate) fn end(&self, keep: Option<Submitted<D>>) {
        let mut held = self.held.lock(D::host());
        held.busy = false;
        if let Some(submission) = keep {
            held.done.push(submission);
        }
    }

    /// Whether the queue has a thread.
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

    /// Has the system start a thread for `work`, once. Returns whether there is one now.
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

    /// What counts what may let the thread go on.
    pub(crate) fn bell(&self) -> &AtomicU32 {
        &self.thread.bell
    }

    /// Whether the thread is to end.
    pub(crate) fn thread_ends(&self) -> bool {
        self.thread.ends.load(Ordering::Acquire)
    }

    /// Ends the thread and waits until it is gone. What is still in the list stays there. Whatever the host has done with the
    /// thread's work, nothing of it runs afterwards.
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
