//! A submission: complete once the application's call has built it, so that no later step needs memory.

use core::ptr::NonNull;

use ash::vk;
use loader_core::memory::{Box, OutOfMemory, TryGrow, Vec};

use super::payload::{Payloads, SyncRef};
use super::semaphore::Semaphore;
use super::submissions::Link;
use super::timeline::{Reach, SharedTimeline};
use super::types::Purpose;
use super::work::{BufferBinds, ImageBinds, ImageOpaqueBinds, Signal, Wait, Work};
use super::{Bell, Readiness};
use crate::object::ParentMemory;
use crate::parts::Parts;

type List<T> = Vec<T, ParentMemory>;

/// A submission as the application passed it, with space for the lists made from it.
pub(crate) struct Submission<D: Parts> {
    pub(crate) next: Link<D>,
    waits: List<Operation<D>>,
    signals: List<Operation<D>>,
    pub(crate) commands: List<vk::CommandBuffer>,
    pub(crate) buffer_binds: List<BufferBinds>,
    pub(crate) image_opaque_binds: List<ImageOpaqueBinds>,
    pub(crate) image_binds: List<ImageBinds>,
    pub(crate) protected: bool,
    pub(crate) counter_pass: u32,
    /// The driver was given it.
    given: bool,
    /// The driver's lists: at most as long as the lists of operations, whose capacity they have.
    given_waits: List<Wait<D>>,
    given_signals: List<Signal<D>>,
}

/// A submission with a larger capacity is not kept for reuse.
const MUCH: usize = 64;

/// A submission at an address of its own.
pub(crate) type Submitted<D> = Box<Submission<D>, ParentMemory>;

/// A wait or a signal.
struct Operation<D: Parts> {
    /// The semaphore, while the application's call lasts.
    semaphore: Option<NonNull<Semaphore<D>>>,
    target: Target<D>,
    value: u64,
    stages: vk::PipelineStageFlags2,
}

/// The object of a wait or signal.
enum Target<D: Parts> {
    /// Whatever payload the semaphore has when it is its submission's turn to be submitted: an earlier one of the same call
    /// may use up a temporary payload.
    Semaphore,
    /// A binary object; for a wait, its number.
    Binary(SyncRef<D>, u32),
    /// A timeline of the driver.
    Timeline(SyncRef<D>),
    /// A wait for a timeline of the runtime.
    Emulated(SharedTimeline<D>),
    /// A signal of a runtime timeline: the object for the value.
    Point(SharedTimeline<D>, SyncRef<D>),
}

// SAFETY: the pointers point to objects that may be shared, and are used during the application's call only.
unsafe impl<D: Parts> Send for Operation<D> {}

impl<D: Parts> Submission<D> {
    /// Creates a submission without waits, work and signals.
    pub(crate) fn new(memory: ParentMemory) -> Result<Submitted<D>, OutOfMemory> {
        let empty = Self {
            next: None,
            waits: Vec::new_in(memory),
            signals: Vec::new_in(memory),
            commands: Vec::new_in(memory),
            buffer_binds: Vec::new_in(memory),
            image_opaque_binds: Vec::new_in(memory),
            image_binds: Vec::new_in(memory),
            protected: false,
            counter_pass: 0,
            given: false,
            given_waits: Vec::new_in(memory),
            given_signals: Vec::new_in(memory),
        };
        Ok(Box::try_new_in(empty, memory)?)
    }

    /// Empties a submission that the driver has received, for reuse. Returns whether it is worth keeping: a
    /// large one is not.
    pub(crate) fn recycle(&mut self) -> bool {
        if !self.given || self.room() > MUCH {
            return false;
        }
        self.given = false;
        self.given_waits.clear();
        self.given_signals.clear();
        self.waits.clear();
        self.signals.clear();
        self.commands.clear();
        self.buffer_binds.clear();
        self.image_opaque_binds.clear();
        self.image_binds.clear();
        (self.protected, self.counter_pass) = (false, 0);
        true
    }

    /// Returns the capacity of all lists.
    fn room(&self) -> usize {
        let binds =
            [self.buffer_binds.capacity(), self.image_opaque_binds.capacity(), self.image_binds.capacity()];
        let lists = [self.waits.capacity(), self.commands.capacity(), self.signals.capacity()];
        binds.into_iter().chain(lists).fold(0, usize::saturating_add)
    }

    /// Reserves space for this number of operations at once.
    pub(crate) fn reserve(&mut self, waits: u32, commands: u32, signals: u32) -> Result<(), OutOfMemory> {
        let reserved = self.waits.try_reserve_exact(waits as usize).is_ok()
            && self.given_waits.try_reserve_exact(waits as usize).is_ok()
            && self.commands.try_reserve_exact(commands as usize).is_ok()
            && self.signals.try_reserve_exact(signals as usize).is_ok()
            && self.given_signals.try_reserve_exact(signals as usize).is_ok();
        if reserved { Ok(()) } else { Err(OutOfMemory) }
    }

    /// Waits for a semaphore, whose payload is looked up when the submission is resolved.
    ///
    /// # Safety
    /// `semaphore` lives until [`Submission::commit`].
    pub(crate) unsafe fn push_wait(
        &mut self,
        semaphore: &Semaphore<D>,
        value: u64,
        stages: vk::PipelineStageFlags2,
    ) -> Result<(), OutOfMemory> {
        let target = match semaphore {
            Semaphore::Emulated(timeline) => Target::Emulated(timeline.clone()),
            _ => Target::Semaphore,
        };
        self.given_waits.try_reserve(self.waits.len().saturating_add(1)).map_err(|_| OutOfMemory)?;
        self.waits.try_push(Operation { semaphore: Some(NonNull::from(semaphore)), target, value, stages })
    }

    /// Signals a semaphore that has payloads, as [`Submission::push_wait`] waits for one.
    ///
    /// # Safety
    /// As for [`Submission::push_wait`].
    pub(crate) unsafe fn push_signal(
        &mut self,
        semaphore: &Semaphore<D>,
        value: u64,
    ) -> Result<(), OutOfMemory> {
        self.push(Some(NonNull::from(semaphore)), Target::Semaphore, value)
    }

    /// Signals a value of a runtime timeline, represented by the binary object `sync`.
    pub(crate) fn push_point(
        &mut self,
        timeline: &SharedTimeline<D>,
        value: u64,
        sync: SyncRef<D>,
    ) -> Result<(), OutOfMemory> {
        // From here on dropping the submission withdraws the point.
        self.push(None, Target::Point(timeline.clone(), sync.clone()), value)?;
        timeline.add(value, sync)
    }

    /// Adds the signal of a binary object, for example a fence's object.
    pub(crate) fn add_binary_signal(&mut self, sync: SyncRef<D>) -> Result<(), OutOfMemory> {
        let value = sync.target();
        self.push(None, Target::Binary(sync, 0), value)
    }

    fn push(
        &mut self,
        semaphore: Option<NonNull<Semaphore<D>>>,
        target: Target<D>,
        value: u64,
    ) -> Result<(), OutOfMemory> {
        self.given_signals.try_reserve(self.signals.len().saturating_add(1)).map_err(|_| OutOfMemory)?;
        let stages = vk::PipelineStageFlags2::ALL_COMMANDS;
        self.signals.try_push(Operation { semaphore, target, value, stages })
    }

    /// Looks up the payloads of the semaphores. A semaphore that is waited for has its own payload back when it is signalled.
    pub(crate) fn resolve(&mut self) {
        for wait in &mut self.waits {
            wait.resolve(Payloads::active, false);
        }
        for signal in &mut self.signals {
            let is_waited_for = self.waits.iter().any(|wait| wait.semaphore == signal.semaphore);
            signal.resolve(if is_waited_for { Payloads::permanent } else { Payloads::active }, is_waited_for);
        }
    }

    /// Returns whether the driver has received all awaited signals.
    pub(crate) fn readiness(&self) -> Readiness {
        self.waits.iter().map(Operation::readiness).max().unwrap_or(Readiness::Ready)
    }

    /// Notes that the submission will be or was executed: counts it, and uses up temporary payloads that it waits
    /// for. Called before the application's call returns.
    pub(crate) fn commit(&mut self) {
        for wait in &mut self.waits {
            let semaphore = wait.semaphore.take();
            if let Target::Binary(sync, _) = &wait.target {
                sync.add_wait();
                if sync.is_line() {
                    sync.set_back();
                }
                // SAFETY: the semaphore lives as long as the application's call.
                let semaphore = semaphore.map(|semaphore| unsafe { semaphore.as_ref() });
                drop(semaphore.and_then(|semaphore| semaphore.payloads()?.0.restore()));
            }
        }
        for signal in &mut self.signals {
            signal.semaphore = None;
            if let Target::Binary(sync, _) = &signal.target {
                sync.add_signal();
            }
        }
    }

    /// Returns the driver's view of the submission.
    pub(crate) fn work(&mut self) -> Result<Work<'_, D>, OutOfMemory> {
        for wait in &self.waits {
            if let Some(wait) = wait.as_wait() {
                self.given_waits.try_push(wait)?;
            }
        }
        for signal in &self.signals {
            if let Some(signal) = signal.as_signal() {
                self.given_signals.try_push(signal)?;
            }
        }
        Ok(Work {
            waits: &self.given_waits,
            commands: &self.commands,
            buffer_binds: &self.buffer_binds,
            image_opaque_binds: &self.image_opaque_binds,
            image_binds: &self.image_binds,
            signals: &self.given_signals,
            protected: self.protected,
            counter_pass: self.counter_pass,
        })
    }

    /// Notes that the driver has received the submission: from here on others can wait for its signals.
    /// `bell` is the device's bell.
    pub(crate) fn given(&mut self, bell: &Bell) {
        self.given = true;
        for signal in &self.signals {
            match &signal.target {
                Target::Binary(sync, _) => sync.give_signal(),
                Target::Point(timeline, sync) => timeline.give(signal.value, sync),
                Target::Semaphore | Target::Timeline(_) | Target::Emulated(_) => {}
            }
        }
        bell.ring(D::host);
    }
}

impl<D: Parts> Drop for Submission<D> {
    fn drop(&mut self) {
        if self.given {
            return;
        }
        for signal in &self.signals {
            if let Target::Point(timeline, sync) = &signal.target {
                timeline.withdraw(signal.value, sync);
            }
        }
    }
}

impl<D: Parts> Operation<D> {
    /// Looks up the payload. `is_used_up` means that an earlier wait of the submission uses the same semaphore.
    fn resolve(&mut self, payload: impl Fn(&Payloads<D>) -> SyncRef<D>, is_used_up: bool) {
        let (Target::Semaphore, Some(semaphore)) = (&self.target, self.semaphore) else { return };
        // SAFETY: the semaphore lives as long as the application's call.
        self.target = match unsafe { semaphore.as_ref() }.payloads() {
            Some((payloads, Purpose::Timeline)) => Target::Timeline(payload(payloads)),
            Some((payloads, _)) => {
                let sync = payload(payloads);
                let number = sync.next_wait();
                let is_next = is_used_up && sync.is_line();
                self.value = sync.target().saturating_add(is_next.into());
                Target::Binary(sync, number)
            }
            None => return,
        };
    }

    fn readiness(&self) -> Readiness {
        match &self.target {
            Target::Binary(sync, number) => sync.readiness(*number),
            Target::Timeline(sync) => sync.timeline_readiness(self.value),
            Target::Emulated(timeline) => timeline.readiness(self.value),
            Target::Semaphore | Target::Point(..) => Readiness::Ready,
        }
    }

    fn as_wait(&self) -> Option<Wait<D>> {
        let (sync, value, resets) = match &self.target {
            Target::Binary(sync, _) => (sync.clone(), self.value, !sync.is_line()),
            Target::Timeline(sync) => (sync.clone(), self.value, false),
            Target::Emulated(timeline) => match timeline.reach(self.value) {
                Reach::Pending(sync) => (sync, 1, false),
                Reach::Past | Reach::NotGiven => return None,
            },
            Target::Semaphore | Target::Point(..) => return None,
        };
        Some(Wait { sync, value, stages: self.stages, resets })
    }

    fn as_signal(&self) -> Option<Signal<D>> {
        match &self.target {
            Target::Point(_, sync) => Some(Signal { sync: sync.clone(), value: 1 }),
            Target::Binary(sync, _) | Target::Timeline(sync) => {
                Some(Signal { sync: sync.clone(), value: self.value })
            }
            Target::Semaphore | Target::Emulated(_) => None,
        }
    }
}
