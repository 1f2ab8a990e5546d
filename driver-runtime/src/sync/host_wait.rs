//! The wait list of an application thread.

use loader_core::memory::{OutOfMemory, TryGrow, Vec};

use super::bell::Listener;
use super::payload::SyncRef;
use crate::object::ParentMemory;
use crate::parts::Parts;

/// A wait of a thread of the application, for [`Driver::wait`](crate::Driver::wait). The driver was given everything that is
/// waited for.
pub struct HostWait<'a, D: Parts> {
    /// The objects that have not been reached yet, and the values: 1 for the driver's binary objects.
    pub objects: &'a [(SyncRef<D>, u64)],
    /// Whether all objects are waited for, or any of them.
    pub all: bool,
    /// The end of the wait in any case, by [`Host::now`](crate::Host::now); the runtime then asks whether the device
    /// was lost, and waits again if the application's own time is not up.
    pub deadline: u64,
    /// How often the runtime has looked since the wait began.
    pub turn: u32,
    pub(crate) listener: &'a Listener<'a>,
    pub(crate) wakes: bool,
}

impl<D: Parts> HostWait<'_, D> {
    /// Waits without help from the driver's system: sleeps if every object [wakes](super::Ability::WAKES) its waiting
    /// threads, and otherwise yields to other threads for a moment.
    pub fn rest(&self) {
        if self.wakes {
            self.listener.sleep(D::host(), self.deadline);
        } else {
            D::host().wait(self.turn);
        }
    }
}

/// The unreached part of a wait list.
pub(crate) struct Pending<D: Parts> {
    pub(crate) objects: Vec<(SyncRef<D>, u64), ParentMemory>,
    /// Something else has to happen first that this process does and rings the bell for.
    pub(crate) held: bool,
    /// Some awaited changes do not ring the bell.
    pub(crate) silent: bool,
}

impl<D: Parts> Pending<D> {
    pub(crate) fn new(memory: ParentMemory) -> Self {
        Self { objects: Vec::new_in(memory), held: false, silent: false }
    }

    /// Clears the list before the next check.
    pub(crate) fn clear(&mut self) {
        self.objects.clear();
        (self.held, self.silent) = (false, false);
    }

    /// Adds a binary object to wait for.
    pub(crate) fn add_binary(&mut self, sync: SyncRef<D>) -> Result<(), OutOfMemory> {
        self.held |= !sync.is_submitted();
        let value = sync.target();
        self.add(sync, value)
    }

    /// Adds a value of a driver timeline to wait for.
    pub(crate) fn add_timeline(&mut self, sync: SyncRef<D>, value: u64) -> Result<(), OutOfMemory> {
        self.held |= sync.timeline_readiness(value) != super::Readiness::Ready;
        self.add(sync, value)
    }

    /// Adds an object that the driver has received to wait for.
    pub(crate) fn add(&mut self, sync: SyncRef<D>, value: u64) -> Result<(), OutOfMemory> {
        self.silent |= !sync.wakes();
        self.objects.try_push((sync, value))
    }
}
