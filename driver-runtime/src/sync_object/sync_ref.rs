//! Shared ownership of a driver's synchronisation object, and the signals and waits that were submitted for it.

use core::ops::Deref;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use vkload_core::memory::{Arc, OutOfMemory, Process, UninitArc};

use super::types::Ability;
use crate::driver_types::{DriverTypes, SyncObject};
use crate::host::EventCount;

/// Whether the driver can take a wait, if its queues wait only for submitted work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Readiness {
    Ready,
    /// Another process may make it so at any moment.
    DependsOnOthers,
    /// No: the driver has not received the signal.
    NotSubmitted,
}

/// A synchronisation object of the driver with several owners: fences, semaphores, submissions, and the
/// driver while a queue works with it. It does not depend on the device, so a driver may keep it for any
/// time: its memory comes from the process allocator, and its event count is reference-counted.
pub struct SyncRef<D: DriverTypes>(Arc<Payload<D>>);

struct Payload<D: DriverTypes> {
    sync: D::Sync,
    events: Arc<EventCount>,
    kind: usize,
    abilities: Ability,
    /// Others may signal it: another process, or another object that has the same payload.
    shared: AtomicBool,
    /// How many signals the application has submitted.
    signals: AtomicU32,
    /// How many of them the driver has received.
    submitted_signals: AtomicU32,
    /// How many waits of queues the application has submitted.
    waits: AtomicU32,
}

/// Memory for a synchronisation object that does not exist yet.
pub(crate) struct UninitSyncRef<D: DriverTypes> {
    memory: UninitArc<Payload<D>, Process>,
    events: Arc<EventCount>,
}

impl<D: DriverTypes> Clone for SyncRef<D> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<D: DriverTypes> Deref for SyncRef<D> {
    type Target = D::Sync;
    fn deref(&self) -> &D::Sync {
        &self.0.sync
    }
}

impl<D: DriverTypes> UninitSyncRef<D> {
    /// Allocates it. `events` is the device's event count.
    pub(crate) fn new(events: &Arc<EventCount>) -> Result<Self, OutOfMemory> {
        Ok(Self { memory: UninitArc::try_new_in(Process)?, events: events.clone() })
    }

    /// Puts a synchronisation object of the type `kind` with `abilities` into it. `shared` marks an object that
    /// others may signal.
    pub(crate) fn init(self, sync: D::Sync, kind: usize, abilities: Ability, shared: bool) -> SyncRef<D> {
        SyncRef(self.memory.fill(Payload {
            sync,
            events: self.events,
            kind,
            abilities,
            shared: shared.into(),
            signals: AtomicU32::new(0),
            submitted_signals: AtomicU32::new(0),
            waits: AtomicU32::new(0),
        }))
    }
}

impl<D: DriverTypes> SyncRef<D> {
    /// Returns whether both are the same object.
    pub(crate) fn is(&self, other: &Self) -> bool {
        core::ptr::eq(&*self.0, &*other.0)
    }

    pub(crate) fn kind(&self) -> usize {
        self.0.kind
    }

    /// Signals from the host, or from a queue that does not signal by itself, and wakes waiting threads.
    pub fn signal(&self, value: u64) {
        self.0.sync.signal(value);
        self.0.events.notify(D::host);
    }

    /// Returns whether its signal wakes waiting threads.
    pub(crate) fn wakes(&self) -> bool {
        self.0.abilities.has(Ability::WAKES) && !self.is_shared()
    }

    /// Resets the object for reuse, if it can be reset and has no other owner.
    pub(crate) fn reuse(self) -> Option<Self> {
        let is_free = self.0.has_one_owner() && self.0.abilities.has(Ability::CPU_RESET) && !self.is_shared();
        is_free.then(|| {
            self.0.sync.reset();
            self
        })
    }

    /// Notes that others may signal it from here on.
    pub(crate) fn set_shared(&self) {
        self.0.shared.store(true, Ordering::Release);
    }

    /// Counts a signal that the application has submitted.
    pub(crate) fn count_signal(&self) {
        self.0.signals.fetch_add(1, Ordering::AcqRel);
    }

    /// Counts a signal that the driver has received.
    pub(crate) fn count_submitted_signal(&self) {
        self.0.submitted_signals.fetch_add(1, Ordering::AcqRel);
    }

    /// Returns the number of a queue's next wait, which belongs to the signal with the same number.
    pub(crate) fn next_wait(&self) -> u32 {
        self.0.waits.load(Ordering::Acquire).wrapping_add(1)
    }

    /// Counts a queue's wait that the application has submitted.
    pub(crate) fn count_wait(&self) {
        self.0.waits.fetch_add(1, Ordering::AcqRel);
    }

    /// Returns whether the driver has received every signal that this process has submitted.
    pub(crate) fn is_submitted_here(&self) -> bool {
        self.0.signals.load(Ordering::Acquire) == self.0.submitted_signals.load(Ordering::Acquire)
    }

    /// Returns whether the driver has received the signal, whichever process has submitted it.
    pub(crate) fn is_submitted(&self) -> bool {
        self.is_submitted_here() && (!self.is_shared() || !self.reports_pending() || self.is_pending(1))
    }

    /// Returns whether a queue can receive the wait with this number for a binary object.
    pub(crate) fn readiness(&self, wait: u32) -> Readiness {
        let submitted = self.0.submitted_signals.load(Ordering::Acquire);
        // Counters wrap; compared values are less than half of the range apart.
        let is_submitted = |number: u32| number.wrapping_sub(submitted).cast_signed() <= 0;
        if !self.is_shared() {
            return if is_submitted(wait) { Readiness::Ready } else { Readiness::NotSubmitted };
        }
        if self.reports_pending() {
            return if self.is_pending(1) { Readiness::Ready } else { Readiness::DependsOnOthers };
        }
        // The other owner has submitted the signal before, as the specification requires, unless it is one of ours.
        let ours = is_submitted(wait) || is_submitted(self.0.signals.load(Ordering::Acquire));
        if ours { Readiness::Ready } else { Readiness::NotSubmitted }
    }

    /// Returns whether a queue can receive a wait for a timeline value.
    pub(crate) fn timeline_readiness(&self, value: u64) -> Readiness {
        if !self.reports_pending() || self.is_pending(value) {
            return Readiness::Ready;
        }
        if self.is_shared() { Readiness::DependsOnOthers } else { Readiness::NotSubmitted }
    }

    /// Returns whether it matters whether a signal is submitted, and the driver can report it.
    fn reports_pending(&self) -> bool {
        self.0.abilities.has(Ability::WAIT_PENDING) && !self.0.abilities.has(Ability::WAIT_BEFORE_SIGNAL)
    }

    fn is_shared(&self) -> bool {
        self.0.shared.load(Ordering::Acquire)
    }
}
