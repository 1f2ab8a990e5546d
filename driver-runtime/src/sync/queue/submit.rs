//! A submission: complete once the application's call has built it, so that no later step needs memory.

use core::ptr::NonNull;

use ash::vk;
use vkload_core::memory::{Box, OutOfMemory, TryGrow, Vec};

use crate::device::{Device, Queue};
use crate::driver::Driver;
use crate::driver_types::DriverTypes;
use crate::host::EventCount;
use crate::object::{Object, ParentMemory};
use crate::result::SubmitError;
use crate::sync::payload::Payloads;
use crate::sync::semaphore::Semaphore;
use crate::sync::timeline::{SharedTimeline, ValueState};
use crate::sync_object::{HandleKinds, Purpose, Readiness, SyncRef};
use crate::work::{BufferBinds, ImageBinds, ImageOpaqueBinds, Signal, Wait, Work};

type List<T> = Vec<T, ParentMemory>;

/// A submission as the application passed it, with space for the lists made from it.
pub(in crate::sync) struct QueueSubmit<D: DriverTypes> {
    next: Option<NonNull<Self>>,
    waits: List<SemaphoreOp<D>>,
    signals: List<SemaphoreOp<D>>,
    pub(super) commands: List<vk::CommandBuffer>,
    pub(super) buffer_binds: List<BufferBinds>,
    pub(super) image_opaque_binds: List<ImageOpaqueBinds>,
    pub(super) image_binds: List<ImageBinds>,
    pub(super) protected: bool,
    pub(super) counter_pass: u32,
    submitted: bool,
    /// The driver's lists: at most as long as the lists of waits and signals, whose capacity they have.
    driver_waits: List<Wait<D>>,
    driver_signals: List<Signal<D>>,
}

/// A submission with a larger capacity is not kept for reuse.
const LARGE: usize = 64;

struct SemaphoreOp<D: DriverTypes> {
    /// The semaphore, while the application's call lasts.
    semaphore: Option<NonNull<Semaphore<D>>>,
    target: Target<D>,
    value: u64,
    stages: vk::PipelineStageFlags2,
}

/// The object of a wait or signal.
enum Target<D: DriverTypes> {
    /// Whatever payload the semaphore has when it is its submission's turn to be submitted: an earlier one of the same call
    /// may use up a temporary payload.
    Semaphore,
    /// A binary object; for a wait, its number.
    Binary(SyncRef<D>, u32),
    Timeline(SyncRef<D>),
    /// A wait for a timeline of the runtime.
    Emulated(SharedTimeline<D>),
    /// A signal of a runtime timeline: the object for the value.
    Point(SharedTimeline<D>, SyncRef<D>),
}

// SAFETY: the pointers point to objects that may be shared, and are used during the application's call only.
unsafe impl<D: DriverTypes> Send for SemaphoreOp<D> {}

impl<D: DriverTypes> QueueSubmit<D> {
    /// Creates a submission without waits, work and signals.
    pub(super) fn new(memory: ParentMemory) -> Result<Box<Self, ParentMemory>, OutOfMemory> {
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
            submitted: false,
            driver_waits: Vec::new_in(memory),
            driver_signals: Vec::new_in(memory),
        };
        Ok(Box::try_new_in(empty, memory)?)
    }

    /// Empties a submission that the driver has received, for reuse. Returns whether it is worth keeping: a
    /// large one is not.
    pub(super) fn recycle(&mut self) -> bool {
        if !self.submitted || self.capacity() > LARGE {
            return false;
        }
        self.submitted = false;
        self.driver_waits.clear();
        self.driver_signals.clear();
        self.waits.clear();
        self.signals.clear();
        self.commands.clear();
        self.buffer_binds.clear();
        self.image_opaque_binds.clear();
        self.image_binds.clear();
        (self.protected, self.counter_pass) = (false, 0);
        true
    }

    /// Returns a number that is at least as large as each list, and less than the next power of two.
    fn capacity(&self) -> usize {
        let binds =
            self.buffer_binds.capacity() | self.image_opaque_binds.capacity() | self.image_binds.capacity();
        binds | self.waits.capacity() | self.commands.capacity() | self.signals.capacity()
    }

    /// Reserves space for so many waits, command buffers and signals at once.
    pub(super) fn reserve(&mut self, waits: u32, commands: u32, signals: u32) -> Result<(), OutOfMemory> {
        let (waits, commands, signals) = (waits as usize, commands as usize, signals as usize);
        let has_waits = waits == 0
            || self.waits.try_reserve_exact(waits).is_ok()
                && self.driver_waits.try_reserve_exact(waits).is_ok();
        let has_signals = signals == 0
            || self.signals.try_reserve_exact(signals).is_ok()
                && self.driver_signals.try_reserve_exact(signals).is_ok();
        let has_commands = commands == 0 || self.commands.try_reserve_exact(commands).is_ok();
        if has_waits && has_signals && has_commands { Ok(()) } else { Err(OutOfMemory) }
    }

    /// Waits for a semaphore, whose payload is looked up when the submission is resolved.
    ///
    /// # Safety
    /// `semaphore` lives until [`QueueSubmit::commit`].
    pub(super) unsafe fn push_wait(
        &mut self,
        semaphore: &Semaphore<D>,
        value: u64,
        stages: vk::PipelineStageFlags2,
    ) -> Result<(), OutOfMemory> {
        let target = match semaphore {
            Semaphore::Emulated(timeline) => Target::Emulated(timeline.clone()),
            _ => Target::Semaphore,
        };
        self.driver_waits.try_reserve(self.waits.len().saturating_add(1)).map_err(|_| OutOfMemory)?;
        self.waits.try_push(SemaphoreOp { semaphore: Some(NonNull::from(semaphore)), target, value, stages })
    }

    /// Signals a semaphore that has payloads, as [`QueueSubmit::push_wait`] waits for one.
    ///
    /// # Safety
    /// As for [`QueueSubmit::push_wait`].
    pub(super) unsafe fn push_signal(
        &mut self,
        semaphore: &Semaphore<D>,
        value: u64,
    ) -> Result<(), OutOfMemory> {
        self.push(Some(NonNull::from(semaphore)), Target::Semaphore, value)
    }

    /// Signals a value of a runtime timeline, represented by the binary object `sync`.
    pub(super) fn push_point(
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
    pub(in crate::sync) fn add_binary_signal(&mut self, sync: SyncRef<D>) -> Result<(), OutOfMemory> {
        self.push(None, Target::Binary(sync, 0), 1)
    }

    fn push(
        &mut self,
        semaphore: Option<NonNull<Semaphore<D>>>,
        target: Target<D>,
        value: u64,
    ) -> Result<(), OutOfMemory> {
        self.driver_signals.try_reserve(self.signals.len().saturating_add(1)).map_err(|_| OutOfMemory)?;
        let stages = vk::PipelineStageFlags2::ALL_COMMANDS;
        self.signals.try_push(SemaphoreOp { semaphore, target, value, stages })
    }

    /// Looks up the payloads of the semaphores. A semaphore that is waited for has its own payload back when it is signalled.
    pub(super) fn resolve(&mut self) {
        for wait in &mut self.waits {
            wait.resolve(Payloads::active);
        }
        let unresolved = |signal: &&mut SemaphoreOp<D>| matches!(signal.target, Target::Semaphore);
        for signal in self.signals.iter_mut().filter(unresolved) {
            let is_waited_for = self.waits.iter().any(|wait| wait.semaphore == signal.semaphore);
            signal.resolve(if is_waited_for { Payloads::permanent } else { Payloads::active });
        }
    }

    /// Returns whether the driver has received all awaited signals.
    pub(super) fn readiness(&self) -> Readiness {
        self.waits.iter().map(SemaphoreOp::readiness).max().unwrap_or(Readiness::Ready)
    }

    /// Notes that the submission will be or was executed: counts it, and uses up temporary payloads that it waits
    /// for. Called before the application's call returns.
    pub(super) fn commit(&mut self) {
        for wait in &mut self.waits {
            let semaphore = wait.semaphore.take();
            if let Target::Binary(sync, _) = &wait.target {
                sync.count_wait();
                // SAFETY: the semaphore lives as long as the application's call.
                let semaphore = semaphore.map(|semaphore| unsafe { semaphore.as_ref() });
                drop(semaphore.and_then(|semaphore| semaphore.payloads()?.0.restore()));
            }
        }
        for signal in &mut self.signals {
            signal.semaphore = None;
            if let Target::Binary(sync, _) = &signal.target {
                sync.count_signal();
            }
        }
    }

    /// Returns the driver's view of the submission.
    pub(super) fn work(&mut self) -> Result<Work<'_, D>, OutOfMemory> {
        for wait in &self.waits {
            if let Some(wait) = wait.as_wait() {
                self.driver_waits.try_push(wait)?;
            }
        }
        for signal in &self.signals {
            if let Some(signal) = signal.as_signal() {
                self.driver_signals.try_push(signal)?;
            }
        }
        Ok(Work {
            waits: &self.driver_waits,
            commands: &self.commands,
            buffer_binds: &self.buffer_binds,
            image_opaque_binds: &self.image_opaque_binds,
            image_binds: &self.image_binds,
            signals: &self.driver_signals,
            protected: self.protected,
            counter_pass: self.counter_pass,
        })
    }

    /// Notes that the driver has received the submission: from here on others can wait for its signals.
    /// `events` is the device's event count.
    pub(super) fn set_submitted(&mut self, events: &EventCount) {
        self.submitted = true;
        for signal in &self.signals {
            match &signal.target {
                Target::Binary(sync, _) => sync.count_submitted_signal(),
                Target::Point(timeline, sync) => timeline.set_submitted(signal.value, sync),
                Target::Semaphore | Target::Timeline(_) | Target::Emulated(_) => {}
            }
        }
        events.notify(D::host);
    }
}

impl<D: Driver> QueueSubmit<D> {
    /// # Safety
    /// `semaphore` is a live handle, and stays so until the submission is committed.
    pub(in crate::sync) unsafe fn add_wait(
        &mut self,
        semaphore: vk::Semaphore,
        value: u64,
        stages: vk::PipelineStageFlags2,
    ) -> Result<(), OutOfMemory> {
        // SAFETY: the caller vouches for the handle and how long it lives.
        unsafe {
            match Object::<Semaphore<D>>::from_handle(semaphore) {
                Some(semaphore) => self.push_wait(semaphore, value, stages),
                None => Ok(()),
            }
        }
    }

    /// # Safety
    /// As for [`QueueSubmit::add_wait`].
    pub(super) unsafe fn add_signal(
        &mut self,
        device: &Device<D>,
        semaphore: vk::Semaphore,
        value: u64,
    ) -> Result<(), SubmitError> {
        // SAFETY: the caller vouches for the handle.
        let Some(semaphore) = (unsafe { Object::<Semaphore<D>>::from_handle(semaphore) }) else {
            return Ok(());
        };
        let Semaphore::Emulated(timeline) = &**semaphore else {
            // SAFETY: the caller vouches for how long the semaphore lives.
            return Ok(unsafe { self.push_signal(semaphore, value) }?);
        };
        let sync = match timeline.reuse() {
            Some(sync) => sync,
            None => {
                let kind = device.sync_types().choose(Purpose::Point, HandleKinds::NONE, HandleKinds::NONE);
                SyncRef::create(device, kind.ok_or(SubmitError::OutOfDeviceMemory)?, 0)?
            }
        };
        Ok(self.push_point(timeline, value, sync)?)
    }

    pub(super) fn submit_to_driver(&mut self, queue: &Queue<D>) -> Result<(), SubmitError> {
        queue.parent().check_status()?;
        D::submit(queue, &self.work()?)
    }
}

impl<D: DriverTypes> Drop for QueueSubmit<D> {
    fn drop(&mut self) {
        if self.submitted {
            return;
        }
        for signal in &self.signals {
            if let Target::Point(timeline, sync) = &signal.target {
                timeline.withdraw(signal.value, sync);
            }
        }
    }
}

impl<D: DriverTypes> SemaphoreOp<D> {
    /// Looks up the payload.
    fn resolve(&mut self, payload: impl Fn(&Payloads<D>) -> SyncRef<D>) {
        let (Target::Semaphore, Some(semaphore)) = (&self.target, self.semaphore) else { return };
        // SAFETY: the semaphore lives as long as the application's call.
        self.target = match unsafe { semaphore.as_ref() }.payloads() {
            Some((payloads, Purpose::Timeline)) => Target::Timeline(payload(payloads)),
            Some((payloads, _)) => {
                let sync = payload(payloads);
                let number = sync.next_wait();
                self.value = 1;
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
            Target::Binary(sync, _) => (sync.clone(), self.value, true),
            Target::Timeline(sync) => (sync.clone(), self.value, false),
            Target::Emulated(timeline) => match timeline.state_of(self.value) {
                ValueState::Submitted(sync) => (sync, 1, false),
                ValueState::Reached | ValueState::NotSubmitted => return None,
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

/// A linked list of submissions, in order. It allocates nothing: each submission has the link to the next one.
pub(in crate::sync) struct SubmitList<D: DriverTypes> {
    ends: Option<Ends<D>>,
}

struct Ends<D: DriverTypes> {
    first: NonNull<QueueSubmit<D>>,
    last: NonNull<QueueSubmit<D>>,
    memory: ParentMemory,
}

// SAFETY: the list owns submissions, which may be sent.
unsafe impl<D: DriverTypes> Send for SubmitList<D> {}

impl<D: DriverTypes> SubmitList<D> {
    pub(in crate::sync) const fn new() -> Self {
        Self { ends: None }
    }

    pub(in crate::sync) fn is_empty(&self) -> bool {
        self.ends.is_none()
    }

    pub(in crate::sync) fn first(&self) -> Option<&QueueSubmit<D>> {
        // SAFETY: the list owns its submissions.
        self.ends.as_ref().map(|ends| unsafe { ends.first.as_ref() })
    }

    pub(in crate::sync) fn last_mut(&mut self) -> Option<&mut QueueSubmit<D>> {
        // SAFETY: as above, and nothing else accesses a submission while the list is borrowed.
        self.ends.as_mut().map(|ends| unsafe { ends.last.as_mut() })
    }

    pub(in crate::sync) fn push(&mut self, submit: Box<QueueSubmit<D>, ParentMemory>) {
        let (added, memory) = Box::into_non_null_with_allocator(submit);
        match &mut self.ends {
            // SAFETY: the list owns its submissions.
            Some(ends) => unsafe {
                ends.last.as_mut().next = Some(added);
                ends.last = added;
            },
            None => self.ends = Some(Ends { first: added, last: added, memory }),
        }
    }

    pub(in crate::sync) fn pop(&mut self) -> Option<Box<QueueSubmit<D>, ParentMemory>> {
        let ends = self.ends.as_mut()?;
        // SAFETY: the list owns its submissions, which came from boxes of the same device's memory.
        let mut first = unsafe { Box::from_non_null_in(ends.first, ends.memory) };
        match first.next.take() {
            Some(next) => ends.first = next,
            None => self.ends = None,
        }
        Some(first)
    }
}

impl<D: DriverTypes> Drop for SubmitList<D> {
    fn drop(&mut self) {
        while self.pop().is_some() {}
    }
}
