//! What a thread of the application waits for.

use loader_core::memory::{OutOfMemory, TryGrow, Vec};

use super::bell::Listener;
use super::payload::SyncRef;
use crate::object::ParentMemory;
use crate::parts::Parts;

/// A wait of a thread of the application, for [`Driver::wait`](crate::Driver::wait). The driver was given everything that is
/// waited for.
pub struct HostWait<'a, D: Parts> {
    /// What has not been reached yet, and the values: 1 for the driver's binary objects.
    pub objects: &'a [(SyncRef<D>, u64)],
    /// Whether all objects are waited for, or any of them.
    pub all: bool,
    /// When the wait ends in any case, by [`Host::now`](crate::Host::now); the runtime then asks whether the device is still there,
    /// and waits again if the application's own time is not up.
    pub deadline: u64,
    /// How often the runtime has looked since the wait began.
    pub turn: u32,
    pub(crate) listener: &'a Listener<'a>,
    pub(crate) wakes: bool,
}

impl<D: Parts> HostWait<'_, D> {
    /// Waits without help from the driver's system: sleeps where every object [wakes](super::Ability::WAKES) who waits for it,
    /// and gives way to other threads for a moment where one does not.
    pub fn rest(&self) {
        if self.wakes {
            self.listener.sleep(D::host(), self.deadline);
        } else {
            D::host().wait(self.turn);
        }
    }
}

/// What a look has found that was not reached.
pub(crate) struct Pending<D: Parts> {
    pub(crate) objects: Vec<(SyncRef<D>, u64), ParentMemory>,
    /// Something else has to happen first that this process does and rings the bell for.
    pub(crate) held: bool,
    /// Something may happen for which nobody rings.
    pub(crate) silent: bool,
}

impl<D: Parts> Pending<D> {
    pub(crate) fn new(memory: ParentMemory) -> Self {
        Self { objects: Vec::new_in(memory), held: false, silent: false }
    }

    /// Before the next look.
    pub(crate) fn clear(&mut self) {
        self.objects.clear();
        (self.held, self.silent) = (false, false);
    }

    /// A binary object is waited for.
    pub(crate) fn add_binary(&mut self, sync: SyncRef<D>) -> Result<(), OutOfMemory> {
        self.held |= !sync.is_submitted();
        let value = sync.target();
        self.add(sync, value)
    }

    /// A value of a timeline of the driver is waited for.
    pub(crate) fn add_timeline(&mut self, sync: SyncRef<D>, value: u64) -> Result<(), OutOfMemory> {
        self.held |= sync.timeline_readiness(value) != super::Readiness::Ready;
        self.add(sync, value)
    }

    /// An object that the driver was given is waited for.
    pub(crate) fn add(&mut self, sync: SyncRef<D>, value: u64) -> Result<(), OutOfMemory> {
        self.silent |= !sync.wakes();
        self.objects.try_push((sync, value))
    }
}
