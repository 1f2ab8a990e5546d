//! The state behind a fence or a semaphore: its own payload, and while an import is temporary, the imported
//! one.

use core::ops::Deref;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use loader_core::memory::{Counted, OutOfMemory, Process, Room};
use loader_core::platform::Lock;

use super::{Ability, Bell, Primitive, Readiness};
use crate::parts::Parts;

/// A synchronisation object of the driver with several owners: fences, semaphores, submissions, and the
/// driver while a queue works with it. It does not depend on the device, so a driver may keep it for any
/// time: its memory comes from the process allocator, and its bell is reference-counted.
pub struct SyncRef<D: Parts>(Counted<Payload<D>>);

pub(crate) struct Payload<D: Parts> {
    sync: D::Sync,
    /// The device's bell.
    bell: Counted<Bell>,
    /// The number of its type.
    kind: usize,
    /// The relevant abilities of its type.
    abilities: Ability,
    /// For a binary object on a driver timeline: the value of its next signal. Otherwise 0.
    point: AtomicU64,
    /// Others may signal it: another process, or another object that has the same payload.
    shared: AtomicBool,
    /// How many signals were submitted.
    signals: AtomicU32,
    /// How many of them the driver was given.
    given: AtomicU32,
    /// How many waits of queues were submitted.
    waits: AtomicU32,
}

/// Memory for a payload that is not there yet.
pub(crate) struct PayloadRoom<D: Parts> {
    room: Room<Payload<D>, Process>,
    bell: Counted<Bell>,
}

impl<D: Parts> Clone for SyncRef<D> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<D: Parts> Deref for SyncRef<D> {
    type Target = D::Sync;
    fn deref(&self) -> &D::Sync {
        &self.0.sync
    }
}

impl<D: Parts> PayloadRoom<D> {
    /// Allocates an empty object. `bell` is the device's bell.
    pub(crate) fn new(bell: &Counted<Bell>) -> Result<Self, OutOfMemory> {
        Ok(Self { room: Room::try_new_in(Process)?, bell: bell.clone() })
    }

    /// Puts a synchronisation object of the type `kind` with `abilities` into it. `is_line` marks a driver timeline
    /// that serves as a binary object, with the value 1 if it is signalled. `shared` marks an object that others may
    /// signal.
    pub(crate) fn fill_with(
        self,
        sync: D::Sync,
        kind: usize,
        abilities: Ability,
        is_line: bool,
        shared: bool,
    ) -> SyncRef<D> {
        SyncRef(self.room.fill(Payload {
            sync,
            bell: self.bell,
            kind,
            abilities,
            point: u64::from(is_line).into(),
            shared: shared.into(),
            signals: AtomicU32::new(0),
            given: AtomicU32::new(0),
            waits: AtomicU32::new(0),
        }))
    }
}

impl<D: Parts> SyncRef<D> {
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
        self.0.bell.ring(D::host);
    }

    /// Returns whether its signal wakes waiting threads.
    pub(crate) fn wakes(&self) -> bool {
        self.0.abilities.has(Ability::WAKES) && !self.is_shared()
    }

    /// Resets the object for reuse, if it can be reset and has no other owner.
    pub(crate) fn reuse(self) -> Option<Self> {
        let is_free = self.0.has_one_owner() && self.0.abilities.has(Ability::CPU_RESET) && !self.is_shared();
        is_free.then(|| {
            self.set_back();
            self
        })
    }

    /// Returns whether it is a driver timeline that serves as a binary object.
    pub(crate) fn is_line(&self) -> bool {
        self.0.point.load(Ordering::Acquire) != 0
    }

    /// Returns the driver object's value once this object, a binary one, is signalled.
    pub(crate) fn target(&self) -> u64 {
        self.0.point.load(Ordering::Acquire).max(1)
    }

    /// Returns the value: for a binary object, 1 if it is signalled.
    pub(crate) fn current(&self) -> u64 {
        let value = self.0.sync.value();
        if self.is_line() { (value >= self.target()).into() } else { value }
    }

    /// Sets a binary object back.
    pub(crate) fn set_back(&self) {
        if self.is_line() {
            self.0.point.fetch_add(1, Ordering::AcqRel);
        } else {
            self.0.sync.reset();
        }
    }

    /// Notes that others may signal it from here on.
    pub(crate) fn share(&self) {
        self.0.shared.store(true, Ordering::Release);
    }

    /// Notes the submission of a signal.
    pub(crate) fn add_signal(&self) {
        self.0.signals.fetch_add(1, Ordering::AcqRel);
    }

    /// Notes that the driver has received a signal.
    pub(crate) fn give_signal(&self) {
        self.0.given.fetch_add(1, Ordering::AcqRel);
    }

    /// Returns the number of a queue's next wait, which belongs to the signal with the same number.
    pub(crate) fn next_wait(&self) -> u32 {
        self.0.waits.load(Ordering::Acquire).wrapping_add(1)
    }

    /// Notes the submission of a queue's wait.
    pub(crate) fn add_wait(&self) {
        self.0.waits.fetch_add(1, Ordering::AcqRel);
    }

    /// Returns whether no signal submitted here is held back.
    pub(crate) fn is_submitted(&self) -> bool {
        self.0.signals.load(Ordering::Acquire) == self.0.given.load(Ordering::Acquire)
    }

    /// Returns whether the driver has received all submitted signals.
    pub(crate) fn is_given(&self) -> bool {
        self.is_submitted() && (!self.is_shared() || !self.tells_pending() || self.is_pending(1))
    }

    /// Returns whether a queue can receive the wait with this number for a binary object.
    pub(crate) fn readiness(&self, number: u32) -> Readiness {
        let given = self.0.given.load(Ordering::Acquire);
        // Counters wrap; compared values are less than half of the range apart.
        let is_given = |number: u32| number.wrapping_sub(given).cast_signed() <= 0;
        if !self.is_shared() {
            return if is_given(number) { Readiness::Ready } else { Readiness::Held };
        }
        if self.tells_pending() {
            return if self.is_pending(1) { Readiness::Ready } else { Readiness::Elsewhere };
        }
        // The other owner has submitted the signal before, as the specification demands, unless it is one of ours.
        let ours = is_given(number) || is_given(self.0.signals.load(Ordering::Acquire));
        if ours { Readiness::Ready } else { Readiness::Held }
    }

    /// Returns whether a queue can receive a wait for a timeline value.
    pub(crate) fn timeline_readiness(&self, value: u64) -> Readiness {
        if !self.tells_pending() || self.is_pending(value) {
            return Readiness::Ready;
        }
        if self.is_shared() { Readiness::Elsewhere } else { Readiness::Held }
    }

    /// Returns whether it matters whether a signal is submitted, and the driver can report it.
    fn tells_pending(&self) -> bool {
        self.0.abilities.has(Ability::WAIT_PENDING) && !self.0.abilities.has(Ability::WAIT_BEFORE_SIGNAL)
    }

    fn is_shared(&self) -> bool {
        self.0.shared.load(Ordering::Acquire)
    }
}

/// The payloads of a fence or a semaphore.
pub(crate) struct Payloads<D: Parts>(Lock<Slots<D>>);

struct Slots<D: Parts> {
    permanent: SyncRef<D>,
    temporary: Option<SyncRef<D>>,
}

impl<D: Parts> Payloads<D> {
    pub(crate) fn new(permanent: SyncRef<D>) -> Self {
        Self(Lock::new(Slots { permanent, temporary: None }))
    }

    /// Returns the payload in effect: the temporary one, if it has one.
    pub(crate) fn active(&self) -> SyncRef<D> {
        let slots = self.0.lock(D::host());
        slots.temporary.as_ref().unwrap_or(&slots.permanent).clone()
    }

    /// Returns the payload to restore when a temporary one is used up.
    pub(crate) fn permanent(&self) -> SyncRef<D> {
        self.0.lock(D::host()).permanent.clone()
    }

    /// Returns the value of the active payload.
    pub(crate) fn value(&self) -> u64 {
        let slots = self.0.lock(D::host());
        slots.temporary.as_ref().unwrap_or(&slots.permanent).current()
    }

    pub(crate) fn is_temporary(&self) -> bool {
        self.0.lock(D::host()).temporary.is_some()
    }

    /// Takes the temporary payload out, which leaves the permanent one as it was.
    pub(crate) fn restore(&self) -> Option<SyncRef<D>> {
        self.0.lock(D::host()).temporary.take()
    }

    /// Has another payload for a while.
    pub(crate) fn set_temporary(&self, payload: SyncRef<D>) {
        let old = self.0.lock(D::host()).temporary.replace(payload);
        drop(old);
    }

    /// Has another payload for good.
    pub(crate) fn set_permanent(&self, payload: SyncRef<D>) {
        let old = core::mem::replace(&mut self.0.lock(D::host()).permanent, payload);
        drop(old);
    }
}
