//! The commands of queues: submission, sparse binding, and waiting until a queue has done everything.
//!
//! All submissions of a call are made before the first one is carried out: when memory is short, nothing has happened.

use ash::vk;
use vkload_core::abi::chain;
use vkload_core::memory::{Box, TryGrow};
use vkload_core::registry::parameter::Array;

use super::submit::{QueueSubmit, SubmitList};
use crate::calls;
use crate::device::{Device, Queue};
use crate::driver::Driver;
use crate::driver_types::SyncObject as _;
use crate::object::{Object, ParentMemory, ParentObject};
use crate::out_array::list;
use crate::result::SubmitError;
use crate::sync::fence::Fence;
use crate::sync::wait::{PendingWaits, WaitList, wait, wait_until};
use crate::sync_object::{HandleKinds, Purpose, SyncRef};
use crate::work::Binds;

pub(in crate::sync) fn queue_submit<D: Driver>(call: &calls::QueueSubmit<'_>) -> Result<(), SubmitError> {
    // SAFETY: the call obeys the specification.
    unsafe { submit::<D, _>(call.queue, call.submit_count, call.submits, call.fence, read_submit) }
}

pub(in crate::sync) fn queue_submit_2<D: Driver>(call: &calls::QueueSubmit2<'_>) -> Result<(), SubmitError> {
    // SAFETY: the call obeys the specification.
    unsafe { submit::<D, _>(call.queue, call.submit_count, call.submits, call.fence, read_submit_2) }
}

pub(in crate::sync) fn queue_bind_sparse<D: Driver>(
    call: &calls::QueueBindSparse<'_>,
) -> Result<(), SubmitError> {
    // SAFETY: the call obeys the specification.
    unsafe { submit::<D, _>(call.queue, call.bind_info_count, call.bind_info, call.fence, read_bind_sparse) }
}

pub(in crate::sync) fn queue_wait_idle<D: Driver>(call: &calls::QueueWaitIdle<'_>) -> vk::Result {
    // SAFETY: the call obeys the specification.
    let queue = unsafe { Queue::<D>::from_handle(call.queue) };
    queue.map_or(vk::Result::ERROR_DEVICE_LOST, wait_idle)
}

/// Waits for every queue, and returns the first error.
pub(in crate::sync) fn device_wait_idle<D: Driver>(call: &calls::DeviceWaitIdle<'_>) -> vk::Result {
    // SAFETY: the call obeys the specification.
    let Some(device) = (unsafe { Device::<D>::from_handle(call.device) }) else {
        return vk::Result::ERROR_DEVICE_LOST;
    };
    device.queues().iter().fold(vk::Result::SUCCESS, |first, queue| {
        let result = wait_idle::<D>(queue);
        if first == vk::Result::SUCCESS { result } else { first }
    })
}

/// Signals a fence after everything that was submitted to the queue.
///
/// # Safety
/// The fence is a live or null handle, and no other thread submits to the queue.
pub(crate) unsafe fn signal_in_order<D: Driver>(
    queue: &Queue<D>,
    fence: vk::Fence,
) -> Result<(), SubmitError> {
    queue.parent().submitted(queue);
    // SAFETY: the caller vouches for the handle.
    let fence = unsafe { Object::<Fence<D>>::from_handle(fence) };
    queue.submit_list(SubmitList::new(), fence.map(|fence| fence.0.active()))
}

/// # Safety
/// The handles are live or, for the fence, null; `infos` has `count` elements, of which `read` can make submissions.
#[inline]
unsafe fn submit<D: Driver, I>(
    queue: vk::Queue,
    count: u32,
    infos: Array<'_, I>,
    fence: vk::Fence,
    read: unsafe fn(&Queue<D>, &I) -> Result<NewSubmit<D>, SubmitError>,
) -> Result<(), SubmitError> {
    // SAFETY: the caller vouches for the handles.
    let (queue, fence) = unsafe { (Queue::<D>::from_handle(queue), Object::<Fence<D>>::from_handle(fence)) };
    let queue = queue.ok_or(SubmitError::DeviceLost)?;
    queue.parent().submitted(queue);
    let mut list = SubmitList::new();
    for index in 0..count as usize {
        // SAFETY: the caller vouches for the array.
        list.push(unsafe { read(queue, &*infos.as_ptr().add(index)) }?);
    }
    queue.submit_list(list, fence.map(|fence| fence.0.active()))
}

type NewSubmit<D> = Box<QueueSubmit<D>, ParentMemory>;

/// # Safety
/// `info` is valid.
unsafe fn read_submit<D: Driver>(
    queue: &Queue<D>,
    info: &vk::SubmitInfo<'_>,
) -> Result<NewSubmit<D>, SubmitError> {
    let mut submit = queue.new_submit()?;
    submit.reserve(info.wait_semaphore_count, info.command_buffer_count, info.signal_semaphore_count)?;
    // SAFETY: the caller vouches for the counted arrays and the chain.
    unsafe {
        let values = Values::in_chain(info.p_next);
        for index in 0..info.wait_semaphore_count as usize {
            let stages = u64::from(info.p_wait_dst_stage_mask.add(index).read().as_raw());
            let stages = vk::PipelineStageFlags2::from_raw(stages);
            submit.add_wait(info.p_wait_semaphores.add(index).read(), values.wait(index), stages)?;
        }
        for index in 0..info.command_buffer_count as usize {
            submit.commands.try_push(info.p_command_buffers.add(index).read())?;
        }
        values.add_signals(queue, &mut submit, info.p_signal_semaphores, info.signal_semaphore_count)?;
        submit.protected = chain::find::<vk::ProtectedSubmitInfo<'_>>(info.p_next)
            .is_some_and(|info| info.protected_submit != vk::FALSE);
        submit.counter_pass = counter_pass(info.p_next);
    }
    Ok(submit)
}

/// # Safety
/// `info` is valid.
unsafe fn read_submit_2<D: Driver>(
    queue: &Queue<D>,
    info: &vk::SubmitInfo2<'_>,
) -> Result<NewSubmit<D>, SubmitError> {
    let mut submit = queue.new_submit()?;
    let (waits, signals) = (info.wait_semaphore_info_count, info.signal_semaphore_info_count);
    submit.reserve(waits, info.command_buffer_info_count, signals)?;
    // SAFETY: the caller vouches for the counted arrays and the chain.
    unsafe {
        for index in 0..waits as usize {
            let wait = &*info.p_wait_semaphore_infos.add(index);
            submit.add_wait(wait.semaphore, wait.value, wait.stage_mask)?;
        }
        for index in 0..info.command_buffer_info_count as usize {
            submit.commands.try_push((*info.p_command_buffer_infos.add(index)).command_buffer)?;
        }
        for index in 0..signals as usize {
            let signal = &*info.p_signal_semaphore_infos.add(index);
            submit.add_signal(queue.parent(), signal.semaphore, signal.value)?;
        }
        submit.protected = info.flags.contains(vk::SubmitFlags::PROTECTED);
        submit.counter_pass = counter_pass(info.p_next);
    }
    Ok(submit)
}

/// # Safety
/// `info` is valid.
unsafe fn read_bind_sparse<D: Driver>(
    queue: &Queue<D>,
    info: &vk::BindSparseInfo<'_>,
) -> Result<NewSubmit<D>, SubmitError> {
    let memory = queue.parent().root().shared_memory();
    let mut submit = queue.new_submit()?;
    submit.reserve(info.wait_semaphore_count, 0, info.signal_semaphore_count)?;
    // SAFETY: the caller vouches for the counted arrays and the chain.
    unsafe {
        let values = Values::in_chain(info.p_next);
        for index in 0..info.wait_semaphore_count as usize {
            let semaphore = info.p_wait_semaphores.add(index).read();
            submit.add_wait(semaphore, values.wait(index), vk::PipelineStageFlags2::ALL_COMMANDS)?;
        }
        for bind in list(info.p_buffer_binds, info.buffer_bind_count) {
            submit.buffer_binds.try_push(Binds::copied(
                bind.buffer,
                bind.p_binds,
                bind.bind_count,
                memory,
            )?)?;
        }
        for bind in list(info.p_image_opaque_binds, info.image_opaque_bind_count) {
            let binds = Binds::copied(bind.image, bind.p_binds, bind.bind_count, memory)?;
            submit.image_opaque_binds.try_push(binds)?;
        }
        for bind in list(info.p_image_binds, info.image_bind_count) {
            submit.image_binds.try_push(Binds::copied(bind.image, bind.p_binds, bind.bind_count, memory)?)?;
        }
        values.add_signals(queue, &mut submit, info.p_signal_semaphores, info.signal_semaphore_count)?;
    }
    Ok(submit)
}

/// # Safety
/// `chain` begins a pNext chain.
unsafe fn counter_pass(chain: *const core::ffi::c_void) -> u32 {
    // SAFETY: the caller vouches for the chain.
    let info = unsafe { chain::find::<vk::PerformanceQuerySubmitInfoKHR<'_>>(chain) };
    info.map_or(0, |info| info.counter_pass_index)
}

/// The timeline values of a submission whose semaphores have no members for them.
struct Values<'a>(Option<&'a vk::TimelineSemaphoreSubmitInfo<'a>>);

impl Values<'_> {
    /// # Safety
    /// `chain` begins a pNext chain that lives as long as the result, with valid counted arrays.
    unsafe fn in_chain(chain: *const core::ffi::c_void) -> Self {
        // SAFETY: the caller vouches for the chain.
        Self(unsafe { chain::find(chain) })
    }

    /// The values may be fewer than the semaphores, if no semaphore is a timeline.
    fn wait(&self, index: usize) -> u64 {
        let Some(info) = self.0 else { return 0 };
        // SAFETY: the structure is part of a valid submission, here and below.
        let values = unsafe { list(info.p_wait_semaphore_values, info.wait_semaphore_value_count) };
        values.get(index).copied().unwrap_or(0)
    }

    /// # Safety
    /// `semaphores` and `count` are a counted array of live handles, which stay so until the submission is committed.
    unsafe fn add_signals<D: Driver>(
        &self,
        queue: &Queue<D>,
        submit: &mut QueueSubmit<D>,
        semaphores: *const vk::Semaphore,
        count: u32,
    ) -> Result<(), SubmitError> {
        for index in 0..count as usize {
            // SAFETY: the caller vouches for the array and the handles.
            unsafe { submit.add_signal(queue.parent(), semaphores.add(index).read(), self.signal(index))? };
        }
        Ok(())
    }

    fn signal(&self, index: usize) -> u64 {
        let Some(info) = self.0 else { return 0 };
        // SAFETY: as above.
        let values = unsafe { list(info.p_signal_semaphore_values, info.signal_semaphore_value_count) };
        values.get(index).copied().unwrap_or(0)
    }
}

/// Submits nothing but a signal, and waits for that.
fn wait_idle<D: Driver>(queue: &Queue<D>) -> vk::Result {
    let device = queue.parent();
    let Some(kind) = device.sync_types().choose(Purpose::Idle, HandleKinds::NONE, HandleKinds::NONE) else {
        return wait_until(device, || queue.submit_queue().is_empty());
    };
    let signal = || -> Result<SyncRef<D>, SubmitError> {
        let sync = match queue.submit_queue().take_idle() {
            Some(sync) => sync,
            None => SyncRef::create(device, kind, 0)?,
        };
        let mut list = SubmitList::new();
        list.push(queue.new_submit()?);
        queue.submit_list(list, Some(sync.clone()))?;
        Ok(sync)
    };
    let sync = match signal() {
        Ok(sync) => sync,
        Err(error) => return error.into(),
    };
    let check = &mut |_: usize, pending: Option<&mut PendingWaits<D>>| {
        let is_reached = sync.value() != 0;
        if let (false, Some(pending)) = (is_reached, pending) {
            pending.add_binary(sync.clone())?;
        }
        Ok(is_reached)
    };
    let result = wait(device, u64::MAX, WaitList { count: 1, all: true, check });
    queue.submit_queue().free_finished();
    queue.submit_queue().keep_idle(sync);
    result
}
