//! A queue's thread, which passes the queue's submissions to the driver.
//!
//! The thread needs no memory, and frees none: the application's allocation callbacks are called on its own threads only.

use core::ptr::NonNull;
use core::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering};

use vkload_core::platform::Lock;

use super::NextSubmit;
use crate::device::{Device, Queue};
use crate::driver::Driver;
use crate::host::{Host, NoThread, Thread, ThreadWork, Turn};

pub(super) struct QueueThread {
    state: AtomicU8,
    thread: Lock<Option<Thread>>,
    /// The turn in which its work may run, if it has work.
    turn: Lock<Option<Turn>>,
    /// Counts the events that may let the thread continue.
    events: AtomicU32,
    ends: AtomicBool,
}

const NO_THREAD: u8 = 0;
const RUNNING: u8 = 1;
/// The system has no thread for it.
const REFUSED: u8 = 2;

impl QueueThread {
    pub(super) const fn new() -> Self {
        Self {
            state: AtomicU8::new(NO_THREAD),
            thread: Lock::new(None),
            turn: Lock::new(None),
            events: AtomicU32::new(0),
            ends: AtomicBool::new(false),
        }
    }

    pub(super) fn is_running(&self) -> bool {
        self.state.load(Ordering::Acquire) == RUNNING
    }

    /// Lets the thread look at its list.
    pub(super) fn wake(&self, host: impl FnOnce() -> &'static dyn Host) {
        if self.is_running() {
            self.events.fetch_add(1, Ordering::AcqRel);
            host().wake(&self.events);
        }
    }

    /// Has the system start a thread for `work`, once. Returns whether the thread exists now.
    fn start(&self, host: &'static dyn Host, work: impl FnOnce(Turn) -> ThreadWork) -> bool {
        if self.state.load(Ordering::Acquire) != NO_THREAD {
            return self.is_running();
        }
        let turn = Turn::new(host);
        if let Ok(turn) = &turn {
            *self.turn.lock(host) = Some(turn.clone());
        }
        let state = match turn.map_err(|_| NoThread).and_then(|turn| host.spawn(work(turn))) {
            Ok(thread) => {
                *self.thread.lock(host) = Some(thread);
                RUNNING
            }
            Err(_) => REFUSED,
        };
        self.state.store(state, Ordering::Release);
        state == RUNNING
    }

    /// Ends the thread and waits for its end. The list keeps its entries. However the host handled the
    /// thread's work, none of it runs afterwards.
    fn end(&self, host: &'static dyn Host) {
        self.ends.store(true, Ordering::Release);
        self.events.fetch_add(1, Ordering::AcqRel);
        let turn = self.turn.lock(host).take();
        if let Some(turn) = turn {
            host.wake(&self.events);
            turn.end();
        }
        let thread = self.thread.lock(host).take();
        if let Some(thread) = thread {
            thread.join();
            self.state.store(NO_THREAD, Ordering::Release);
        }
    }
}

impl<D: Driver> Queue<D> {
    /// Returns whether the queue has a thread now.
    pub(super) fn start_thread(&self) -> bool {
        // SAFETY: the queue is shared only, and lives until the turn has ended: `Device::end_threads` is called first.
        let work = |turn| unsafe { ThreadWork::new(run::<D>, NonNull::from(self).cast(), turn) };
        self.submit_queue().thread.start(D::host(), work)
    }

    fn run_thread(&self) {
        let (host, thread) = (D::host(), &self.submit_queue().thread);
        let mut turn = 0u32;
        loop {
            let seen = thread.events.load(Ordering::Acquire);
            if thread.ends.load(Ordering::Acquire) {
                return;
            }
            match self.take_ready() {
                NextSubmit::Ready(mut submit) => {
                    self.submit_taken(&mut submit);
                    self.submit_queue().finish(Some(submit));
                    self.parent().flush();
                    turn = 0;
                }
                NextSubmit::Blocked => {
                    host.sleep(&thread.events, seen);
                    turn = 0;
                }
                NextSubmit::DependsOnOthers => {
                    // Another process may have ended together with the device. The list notices a loss.
                    let _ = self.parent().check_status();
                    host.wait(turn);
                    turn = turn.saturating_add(1);
                }
            }
        }
    }
}

impl<D: Driver> Device<D> {
    /// Ends the threads of the queues, before the queues go: each thread uses all of them.
    pub(crate) fn end_threads(&self) {
        self.queues().iter().for_each(|queue| queue.submit_queue().thread.end(D::host()));
    }
}

/// Runs the queue's thread. A panic in the driver aborts the process, as in a command.
///
/// # Safety
/// `queue` is a queue of this driver that lives until this returns.
unsafe extern "C" fn run<D: Driver>(queue: NonNull<()>) {
    // SAFETY: the caller vouches for the queue.
    unsafe { queue.cast::<Queue<D>>().as_ref() }.run_thread();
}
