//! `vkQueueSubmit`, `vkQueueSubmit2` and `vkQueueBindSparse`.
//!
//! All submissions of a call are made before the first one is carried out: when memory is short, nothing has happened.

use ash::vk;
use loader_core::abi::chain;
use loader_core::memory::TryGrow;

use super::fence::Fence;
use crate::device::{Queue, QueueState};
use crate::driver::Driver;
use crate::object::{Object, ParentObject};
use crate::result::{SubmitError, code};
use crate::sync::{Binds, Submissions, Submitted, SyncRef};

/// # Safety
/// As specified for `vkQueueSubmit`.
pub(crate) unsafe extern "system" fn queue_submit<D: Driver>(
    queue: vk::Queue,
    count: u32,
    infos: *const vk::SubmitInfo<'_>,
    fence: vk::Fence,
) -> vk::Result {
    // SAFETY: the caller vouches for handles and counted arrays.
    unsafe { submit::<D>(queue, count, fence, |queue, place| plain(queue, &*infos.add(place))) }
}

/// # Safety
/// As specified for `vkQueueSubmit2`.
pub(crate) unsafe extern "system" fn queue_submit_2<D: Driver>(
    queue: vk::Queue,
    count: u32,
    infos: *const vk::SubmitInfo2<'_>,
    fence: vk::Fence,
) -> vk::Result {
    // SAFETY: the caller vouches for handles and counted arrays.
    unsafe { submit::<D>(queue, count, fence, |queue, place| with_values(queue, &*infos.add(place))) }
}

/// # Safety
/// As specified for `vkQueueBindSparse`.
pub(crate) unsafe extern "system" fn queue_bind_sparse<D: Driver>(
    queue: vk::Queue,
    count: u32,
    infos: *const vk::BindSparseInfo<'_>,
    fence: vk::Fence,
) -> vk::Result {
    // SAFETY: the caller vouches for handles and counted arrays.
    unsafe { submit::<D>(queue, count, fence, |queue, place| sparse(queue, &*infos.add(place))) }
}

/// # Safety
/// The handles are live or, for the fence, null.
unsafe fn submit<D: Driver>(
    queue: vk::Queue,
    count: u32,
    fence: vk::Fence,
    read: impl Fn(&Queue<D>, usize) -> Result<Submitted<D>, SubmitError>,
) -> vk::Result {
    // SAFETY: the caller vouches for the handles.
    let (queue, fence) =
        unsafe { (Object::<QueueState<D>>::from_handle(queue), Object::<Fence<D>>::from_handle(fence)) };
    let Some(queue) = queue else { return vk::Result::ERROR_DEVICE_LOST };
    let all = || {
        queue.parent().submitted(queue);
        let mut list = Submissions::new();
        for place in 0..count as usize {
            list.push(read(queue, place)?);
        }
        submit_all(queue, list, fence.map(|fence| fence.0.active()))
    };
    code::<SubmitError>(all())
}

/// Submits one after the other; the last one signals the fence.
pub(super) fn submit_all<D: Driver>(
    queue: &Queue<D>,
    mut list: Submissions<D>,
    fence: Option<SyncRef<D>>,
) -> Result<(), SubmitError> {
    if let Some(fence) = fence {
        if list.is_empty() {
            list.push(queue.submission()?);
        }
        if let Some(last) = list.last_mut() {
            last.add_binary_signal(fence)?;
        }
    }
    let Some(first) = list.pop() else { return Ok(queue.parent().lost()?) };
    queue.submit_one(first)?;
    while let Some(next) = list.pop() {
        // Executed work cannot be undone, so every failure from here on is a device loss.
        if queue.submit_one(next).is_err() {
            return Err(queue.set_lost("a submission failed behind others of the same call").into());
        }
    }
    Ok(())
}

/// # Safety
/// `info` is valid.
unsafe fn plain<D: Driver>(queue: &Queue<D>, info: &vk::SubmitInfo<'_>) -> Result<Submitted<D>, SubmitError> {
    let mut submission = queue.submission()?;
    submission.reserve(info.wait_semaphore_count, info.command_buffer_count, info.signal_semaphore_count)?;
    // SAFETY: the caller vouches for the counted arrays and the chain.
    unsafe {
        let values = Values::in_chain(info.p_next);
        for place in 0..info.wait_semaphore_count as usize {
            let stages = u64::from(info.p_wait_dst_stage_mask.add(place).read().as_raw());
            let stages = vk::PipelineStageFlags2::from_raw(stages);
            submission.add_wait(info.p_wait_semaphores.add(place).read(), values.wait(place), stages)?;
        }
        for place in 0..info.command_buffer_count as usize {
            submission.commands.try_push(info.p_command_buffers.add(place).read())?;
        }
        for place in 0..info.signal_semaphore_count as usize {
            let semaphore = info.p_signal_semaphores.add(place).read();
            submission.add_signal(queue.parent(), semaphore, values.signal(place))?;
        }
        submission.protected = chain::find::<vk::ProtectedSubmitInfo<'_>>(info.p_next)
            .is_some_and(|info| info.protected_submit != vk::FALSE);
        submission.counter_pass = counter_pass(info.p_next);
    }
    Ok(submission)
}

/// # Safety
/// `info` is valid.
unsafe fn with_values<D: Driver>(
    queue: &Queue<D>,
    info: &vk::SubmitInfo2<'_>,
) -> Result<Submitted<D>, SubmitError> {
    let mut submission = queue.submission()?;
    let (waits, signals) = (info.wait_semaphore_info_count, info.signal_semaphore_info_count);
    submission.reserve(waits, info.command_buffer_info_count, signals)?;
    // SAFETY: the caller vouches for the counted arrays and the chain.
    unsafe {
        for place in 0..waits as usize {
            let wait = &*info.p_wait_semaphore_infos.add(place);
            submission.add_wait(wait.semaphore, wait.value, wait.stage_mask)?;
        }
        for place in 0..info.command_buffer_info_count as usize {
            submission.commands.try_push((*info.p_command_buffer_infos.add(place)).command_buffer)?;
        }
        for place in 0..signals as usize {
            let signal = &*info.p_signal_semaphore_infos.add(place);
            submission.add_signal(queue.parent(), signal.semaphore, signal.value)?;
        }
        submission.protected = info.flags.contains(vk::SubmitFlags::PROTECTED);
        submission.counter_pass = counter_pass(info.p_next);
    }
    Ok(submission)
}

/// # Safety
/// `info` is valid.
unsafe fn sparse<D: Driver>(
    queue: &Queue<D>,
    info: &vk::BindSparseInfo<'_>,
) -> Result<Submitted<D>, SubmitError> {
    let memory = queue.parent().root().shared_memory();
    let mut submission = queue.submission()?;
    submission.reserve(info.wait_semaphore_count, 0, info.signal_semaphore_count)?;
    // SAFETY: the caller vouches for the counted arrays and the chain.
    unsafe {
        let values = Values::in_chain(info.p_next);
        for place in 0..info.wait_semaphore_count as usize {
            let semaphore = info.p_wait_semaphores.add(place).read();
            submission.add_wait(semaphore, values.wait(place), vk::PipelineStageFlags2::ALL_COMMANDS)?;
        }
        for place in 0..info.buffer_bind_count as usize {
            let bind = &*info.p_buffer_binds.add(place);
            let binds = Binds::copied(bind.buffer, bind.p_binds, bind.bind_count, memory)?;
            submission.buffer_binds.try_push(binds)?;
        }
        for place in 0..info.image_opaque_bind_count as usize {
            let bind = &*info.p_image_opaque_binds.add(place);
            let binds = Binds::copied(bind.image, bind.p_binds, bind.bind_count, memory)?;
            submission.image_opaque_binds.try_push(binds)?;
        }
        for place in 0..info.image_bind_count as usize {
            let bind = &*info.p_image_binds.add(place);
            let binds = Binds::copied(bind.image, bind.p_binds, bind.bind_count, memory)?;
            submission.image_binds.try_push(binds)?;
        }
        for place in 0..info.signal_semaphore_count as usize {
            let semaphore = info.p_signal_semaphores.add(place).read();
            submission.add_signal(queue.parent(), semaphore, values.signal(place))?;
        }
    }
    Ok(submission)
}

/// # Safety
/// `chain` begins a pNext chain.
unsafe fn counter_pass(chain: *const core::ffi::c_void) -> u32 {
    // SAFETY: the caller vouches for the chain.
    let info = unsafe { chain::find::<vk::PerformanceQuerySubmitInfoKHR<'_>>(chain) };
    info.map_or(0, |info| info.counter_pass_index)
}

/// The values of timelines that go with a submission without places for them.
struct Values<'a>(Option<&'a vk::TimelineSemaphoreSubmitInfo<'a>>);

impl Values<'_> {
    /// # Safety
    /// `chain` begins a pNext chain that lives as long as the result, with valid counted arrays.
    unsafe fn in_chain(chain: *const core::ffi::c_void) -> Self {
        // SAFETY: the caller vouches for the chain.
        Self(unsafe { chain::find(chain) })
    }

    fn wait(&self, place: usize) -> u64 {
        let list = self.0.map(|info| (info.p_wait_semaphore_values, info.wait_semaphore_value_count));
        Self::at(list, place)
    }

    fn signal(&self, place: usize) -> u64 {
        let list = self.0.map(|info| (info.p_signal_semaphore_values, info.signal_semaphore_value_count));
        Self::at(list, place)
    }

    /// Returns a list element. The value arrays may be shorter than the semaphore arrays if no semaphore is a
    /// timeline.
    fn at(list: Option<(*const u64, u32)>, place: usize) -> u64 {
        match list {
            // SAFETY: the structure is part of a valid submission, so the array has `count` elements.
            Some((values, count)) if !values.is_null() && place < count as usize => unsafe {
                values.add(place).read()
            },
            _ => 0,
        }
    }
}
