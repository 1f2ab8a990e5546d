//! From `vkQueueSubmit` to the driver.
//!
//! Where the driver's queues can wait for anything, a submission goes to the driver at once. Otherwise it stands in its
//! queue's list until everything that it waits for was given to the driver; every call that submits, signals or waits
//! lets the lists of all queues go on.

use core::ptr::NonNull;
use core::sync::atomic::Ordering;

use ash::vk;
use loader_core::abi::chain;
use loader_core::memory::{Counted, OutOfMemory, Process, TryGrow, Vec};
use loader_core::platform::Lock;

use super::SubmitMode;
use super::fence::Fence;
use super::semaphore::Semaphore;
use super::timeline::Reach;
use crate::device::{Device, Queue};
use crate::driver::Driver;
use crate::object::Object;
use crate::result::{SubmitError, code};

/// What stands in for each emulated timeline, in the order of the waits or signals.
type Points<D> = Vec<Option<Counted<<D as Driver>::Sync>>, Process>;

/// What a driver is given to do. The driver keeps no reference to it after its function has returned.
pub struct Work<'a, D: Driver> {
    /// What the work waits for.
    pub waits: &'a [Wait<'a, D>],
    /// The command buffers, in order.
    pub commands: &'a [vk::CommandBuffer],
    /// What is signalled when the work is done.
    pub signals: &'a [Signal<'a, D>],
}

/// A wait on a queue.
pub struct Wait<'a, D: Driver> {
    /// What is waited for. A binary object is back at 0 after the wait.
    pub sync: &'a D::Sync,
    /// The value; 1 for a binary object.
    pub value: u64,
    /// The stages that wait.
    pub stages: vk::PipelineStageFlags2,
}

/// A signal on a queue.
pub struct Signal<'a, D: Driver> {
    /// What is signalled.
    pub sync: &'a D::Sync,
    /// The value; 1 for a binary object.
    pub value: u64,
}

/// A submission as the application made it.
pub(crate) struct Submission<D: Driver> {
    waits: Vec<Operation<D>, Process>,
    commands: Vec<vk::CommandBuffer, Process>,
    signals: Vec<Operation<D>, Process>,
    finish: Finish<D>,
}

/// A semaphore and a value. By the specification the semaphore lives until the submission is done.
struct Operation<D: Driver> {
    semaphore: NonNull<Object<Semaphore<D>>>,
    value: u64,
    stages: vk::PipelineStageFlags2,
}

/// What is signalled last.
pub(super) enum Finish<D: Driver> {
    Nothing,
    /// By the specification the fence lives until the submission is done.
    Fence(NonNull<Object<Fence<D>>>),
    Idle(Counted<D::Sync>),
}

// SAFETY: the pointers lead to objects that may be shared.
unsafe impl<D: Driver> Send for Submission<D> {}

impl<D: Driver> Default for Submission<D> {
    fn default() -> Self {
        Self {
            waits: Vec::new_in(Process),
            commands: Vec::new_in(Process),
            signals: Vec::new_in(Process),
            finish: Finish::Nothing,
        }
    }
}

/// The submissions of a queue that are held back.
pub(crate) struct Pipeline<D: Driver>(Lock<Held<D>>);

struct Held<D: Driver> {
    list: Vec<Submission<D>, Process>,
    /// A thread is giving a submission to the driver; it looks at the list again afterwards.
    busy: bool,
}

impl<D: Driver> Pipeline<D> {
    pub(crate) const fn new() -> Self {
        Self(Lock::new(Held { list: Vec::new_in(Process), busy: false }))
    }

    fn push(&self, submission: Submission<D>) -> Result<(), OutOfMemory> {
        let mut larger = Vec::new_in(Process);
        loop {
            let wanted = {
                let mut held = self.0.lock(D::host());
                if held.list.len() < held.list.capacity() {
                    return held.list.try_push(submission);
                }
                if larger.capacity() > held.list.len() {
                    larger.append(&mut held.list);
                    core::mem::swap(&mut held.list, &mut larger);
                    continue;
                }
                held.list.len().saturating_mul(2).max(4)
            };
            larger.try_reserve(wanted).map_err(|_| OutOfMemory)?;
        }
    }

    /// The first submission if nothing holds it back any more; the caller gives it to the driver and calls `done`.
    fn take(&self) -> Option<Submission<D>> {
        let mut held = self.0.lock(D::host());
        if held.busy || !held.list.first()?.is_ready() {
            return None;
        }
        held.busy = true;
        Some(held.list.remove(0))
    }

    fn done(&self) {
        self.0.lock(D::host()).busy = false;
    }
}

impl<D: Driver> Submission<D> {
    /// No work, only a signal.
    pub(super) fn ending_with(finish: Finish<D>) -> Self {
        Self { finish, ..Self::default() }
    }

    /// Whether everything that is waited for was given to the driver.
    fn is_ready(&self) -> bool {
        // SAFETY: semaphores live until their submissions are done.
        self.waits.iter().all(|wait| unsafe { wait.semaphore.as_ref() }.is_submitted(wait.value))
    }

    /// Gives the submission to the driver.
    fn run(&self, queue: &Queue<D>) -> Result<(), SubmitError> {
        let device = queue.parent();
        device.check_status()?;
        let (points, new_points) = (self.points()?, self.new_points(device)?);
        let (mut waits, mut signals) = (Vec::new_in(Process), Vec::new_in(Process));
        for (wait, point) in self.waits.iter().zip(&points) {
            let (sync, value) = match (wait.semaphore(), point) {
                (Semaphore::Binary { sync, .. }, _) => (sync, 1),
                (Semaphore::Timeline(sync), _) => (sync, wait.value),
                (Semaphore::Emulated(_), Some(point)) => (&**point, 1),
                (Semaphore::Emulated(_), None) => continue,
            };
            waits.try_push(Wait { sync, value, stages: wait.stages })?;
        }
        for (signal, point) in self.signals.iter().zip(&new_points) {
            let (sync, value) = match (signal.semaphore(), point) {
                (Semaphore::Timeline(sync), _) => (sync, signal.value),
                (Semaphore::Binary { sync, .. }, _) => (sync, 1),
                (Semaphore::Emulated(_), Some(point)) => (&**point, 1),
                (Semaphore::Emulated(_), None) => continue,
            };
            signals.try_push(Signal { sync, value })?;
        }
        match &self.finish {
            Finish::Nothing => {}
            Finish::Fence(fence) => {
                // SAFETY: fences live until their submissions are done.
                let sync = unsafe { &fence.as_ref().0 };
                signals.try_push(Signal { sync, value: 1 })?;
            }
            Finish::Idle(sync) => signals.try_push(Signal { sync: &**sync, value: 1 })?,
        }
        D::submit(queue, &Work { waits: &waits, commands: &self.commands, signals: &signals })?;
        self.submitted(&new_points)
    }

    /// For each wait on an emulated timeline, what the driver waits for instead.
    fn points(&self) -> Result<Points<D>, OutOfMemory> {
        let mut points = Vec::new_in(Process);
        for wait in &self.waits {
            let point = match wait.semaphore() {
                Semaphore::Emulated(timeline) => match timeline.reach(wait.value) {
                    Reach::Pending(sync) => Some(sync),
                    Reach::Past | Reach::NotSubmitted => None,
                },
                _ => None,
            };
            points.try_push(point)?;
        }
        Ok(points)
    }

    /// For each signal of an emulated timeline, a new object that the driver signals instead.
    fn new_points(&self, device: &Device<D>) -> Result<Points<D>, SubmitError> {
        let mut points = Vec::new_in(Process);
        for signal in &self.signals {
            let point = match (signal.semaphore(), device.sync_types().semaphore()) {
                (Semaphore::Emulated(timeline), Some(kind)) => {
                    timeline.reserve()?;
                    Some(Counted::try_new(D::create_sync(device, kind, 0)?)?)
                }
                _ => None,
            };
            points.try_push(point)?;
        }
        Ok(points)
    }

    /// Records what the driver was given: from here on others may wait for it.
    fn submitted(&self, points: &[Option<Counted<D::Sync>>]) -> Result<(), SubmitError> {
        for wait in &self.waits {
            if let Semaphore::Binary { promised, .. } = wait.semaphore() {
                promised.fetch_sub(1, Ordering::AcqRel);
            }
        }
        for (signal, point) in self.signals.iter().zip(points) {
            match (signal.semaphore(), point) {
                (Semaphore::Binary { promised, .. }, _) => {
                    promised.fetch_add(1, Ordering::AcqRel);
                }
                (Semaphore::Emulated(timeline), Some(point)) => {
                    timeline.submitted(signal.value, point.clone())?
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl<D: Driver> Operation<D> {
    fn semaphore(&self) -> &Semaphore<D> {
        // SAFETY: semaphores live until their submissions are done.
        unsafe { self.semaphore.as_ref() }
    }

    /// # Safety
    /// `semaphore` is a live handle.
    unsafe fn new(semaphore: vk::Semaphore, value: u64, stages: vk::PipelineStageFlags2) -> Option<Self> {
        // SAFETY: the caller vouches for the handle.
        let semaphore = NonNull::from(unsafe { Object::<Semaphore<D>>::from_handle(semaphore) }?);
        Some(Self { semaphore, value, stages })
    }
}

impl<D: Driver> Queue<D> {
    /// Submits: at once, or by way of the list.
    pub(super) fn submit_one(&self, submission: Submission<D>) -> Result<(), SubmitError> {
        let device = self.parent();
        device.lost()?;
        if device.sync_types().submit_mode() == SubmitMode::Immediate {
            return submission.run(self);
        }
        self.pipeline().push(submission)?;
        device.flush();
        Ok(device.lost()?)
    }

    /// Gives the driver what nothing holds back any more. Returns whether there was something.
    fn flush(&self) -> bool {
        let mut progress = false;
        while let Some(submission) = self.pipeline().take() {
            let result = submission.run(self);
            self.pipeline().done();
            if result.is_err() {
                // The application was told that the submission is fine, so it can be told only now and so.
                let _ = self.parent().set_lost("a submission that was held back failed");
            }
            progress = true;
        }
        progress
    }
}

impl<D: Driver> Device<D> {
    /// Lets the submissions of all queues go on, until nothing moves any more.
    pub(crate) fn flush(&self) {
        if self.sync_types().submit_mode() == SubmitMode::Immediate {
            return;
        }
        while self.queues().iter().fold(false, |progress, queue| queue.flush() | progress) {}
    }
}

/// # Safety
/// As the specification has it for `vkQueueSubmit`.
pub(crate) unsafe extern "system" fn queue_submit<D: Driver>(
    queue: vk::Queue,
    count: u32,
    infos: *const vk::SubmitInfo<'_>,
    fence: vk::Fence,
) -> vk::Result {
    // SAFETY: the caller vouches for handles and counted arrays.
    unsafe { submit::<D>(queue, count, fence, |place| plain(&*infos.add(place))) }
}

/// # Safety
/// As the specification has it for `vkQueueSubmit2`.
pub(crate) unsafe extern "system" fn queue_submit_2<D: Driver>(
    queue: vk::Queue,
    count: u32,
    infos: *const vk::SubmitInfo2<'_>,
    fence: vk::Fence,
) -> vk::Result {
    // SAFETY: the caller vouches for handles and counted arrays.
    unsafe { submit::<D>(queue, count, fence, |place| with_values(&*infos.add(place))) }
}

/// # Safety
/// The handles are live or, for the fence, null.
unsafe fn submit<D: Driver>(
    queue: vk::Queue,
    count: u32,
    fence: vk::Fence,
    read: impl Fn(usize) -> Result<Submission<D>, OutOfMemory>,
) -> vk::Result {
    // SAFETY: the caller vouches for the handles.
    let (queue, fence) = unsafe {
        (Object::<crate::device::QueueState<D>>::from_handle(queue), Object::<Fence<D>>::from_handle(fence))
    };
    let Some(queue) = queue else { return vk::Result::ERROR_DEVICE_LOST };
    let all = || {
        queue.parent().submitted(queue);
        let mut next = if count == 0 { None } else { Some(read(0)?) };
        for place in 1..count as usize {
            if let Some(submission) = next.replace(read(place)?) {
                queue.submit_one(submission)?;
            }
        }
        let Some(fence) = fence else { return next.map_or(Ok(()), |last| queue.submit_one(last)) };
        let mut last = next.unwrap_or_default();
        last.finish = Finish::Fence(NonNull::from(fence));
        queue.submit_one(last)
    };
    code::<SubmitError>(all())
}

/// # Safety
/// `info` is valid.
unsafe fn plain<D: Driver>(info: &vk::SubmitInfo<'_>) -> Result<Submission<D>, OutOfMemory> {
    let mut submission = Submission::default();
    // SAFETY: the caller vouches for the counted arrays; those of values may be shorter where no timeline is.
    unsafe {
        let values = chain::find::<vk::TimelineSemaphoreSubmitInfo<'_>>(info.p_next);
        for place in 0..info.wait_semaphore_count as usize {
            let value = values.map_or(0, |values| {
                value_at(values.p_wait_semaphore_values, values.wait_semaphore_value_count, place)
            });
            let stages = u64::from(info.p_wait_dst_stage_mask.add(place).read().as_raw());
            let stages = vk::PipelineStageFlags2::from_raw(stages);
            if let Some(wait) = Operation::new(info.p_wait_semaphores.add(place).read(), value, stages) {
                submission.waits.try_push(wait)?;
            }
        }
        for place in 0..info.command_buffer_count as usize {
            submission.commands.try_push(info.p_command_buffers.add(place).read())?;
        }
        for place in 0..info.signal_semaphore_count as usize {
            let value = values.map_or(0, |values| {
                value_at(values.p_signal_semaphore_values, values.signal_semaphore_value_count, place)
            });
            let semaphore = info.p_signal_semaphores.add(place).read();
            if let Some(signal) = Operation::new(semaphore, value, vk::PipelineStageFlags2::ALL_COMMANDS) {
                submission.signals.try_push(signal)?;
            }
        }
    }
    Ok(submission)
}

/// # Safety
/// `values` and `count` are a counted array.
unsafe fn value_at(values: *const u64, count: u32, place: usize) -> u64 {
    // SAFETY: the caller vouches for the array.
    if place < count as usize && !values.is_null() { unsafe { values.add(place).read() } } else { 0 }
}

/// # Safety
/// `info` is valid.
unsafe fn with_values<D: Driver>(info: &vk::SubmitInfo2<'_>) -> Result<Submission<D>, OutOfMemory> {
    let mut submission = Submission::default();
    // SAFETY: the caller vouches for the counted arrays.
    unsafe {
        for place in 0..info.wait_semaphore_info_count as usize {
            let wait = &*info.p_wait_semaphore_infos.add(place);
            if let Some(wait) = Operation::new(wait.semaphore, wait.value, wait.stage_mask) {
                submission.waits.try_push(wait)?;
            }
        }
        for place in 0..info.command_buffer_info_count as usize {
            submission.commands.try_push((*info.p_command_buffer_infos.add(place)).command_buffer)?;
        }
        for place in 0..info.signal_semaphore_info_count as usize {
            let signal = &*info.p_signal_semaphore_infos.add(place);
            if let Some(signal) = Operation::new(signal.semaphore, signal.value, signal.stage_mask) {
                submission.signals.try_push(signal)?;
            }
        }
    }
    Ok(submission)
}
