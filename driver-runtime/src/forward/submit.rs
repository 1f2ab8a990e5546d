//! `vkQueueSubmit` for drivers that write `vkQueueSubmit2` themselves instead of [`Driver::submit`](crate::Driver::submit).

use ash::vk;
use vkload_core::abi::chain;
use vkload_core::memory::{CopiedCallbacks, OutOfMemory, TryGrow, Vec};

use super::calls::{call, memory_of};
use crate::calls;
use crate::dispatch::{Forward, forwards};
use crate::out_array::list;

fn queue_submit(call: &calls::QueueSubmit<'_>) -> vk::Result {
    // SAFETY: the second form has the same handles and contents.
    unsafe {
        let Ok(submits) = Submits::new(call.submits(), memory_of(call.queue)) else {
            return vk::Result::ERROR_OUT_OF_HOST_MEMORY;
        };
        let count = u32::try_from(submits.infos.len()).unwrap_or_default();
        call!(call.queue, QueueSubmit2(count, submits.infos.as_slice(), call.fence))
    }
    .unwrap_or(vk::Result::ERROR_UNKNOWN)
}

/// Submissions in the second form, with the lists that they point to. Lists get all of their memory before anything points
/// into them.
struct Submits<'a> {
    semaphores: Vec<vk::SemaphoreSubmitInfo<'a>, CopiedCallbacks>,
    commands: Vec<vk::CommandBufferSubmitInfo<'a>, CopiedCallbacks>,
    infos: Vec<vk::SubmitInfo2<'a>, CopiedCallbacks>,
}

impl Submits<'_> {
    /// # Safety
    /// The submissions are valid, and stay valid while this lives.
    unsafe fn new(infos: &[vk::SubmitInfo<'_>], memory: CopiedCallbacks) -> Result<Self, OutOfMemory> {
        let mut submits = Self {
            semaphores: Vec::new_in(memory),
            commands: Vec::new_in(memory),
            infos: Vec::new_in(memory),
        };
        let sum = |count: fn(&vk::SubmitInfo<'_>) -> u32| {
            infos.iter().map(|info| count(info) as usize).fold(0, usize::saturating_add)
        };
        let semaphores =
            sum(|info| info.wait_semaphore_count).saturating_add(sum(|info| info.signal_semaphore_count));
        submits.semaphores.try_reserve_exact(semaphores).map_err(|_| OutOfMemory)?;
        submits.commands.try_reserve_exact(sum(|info| info.command_buffer_count)).map_err(|_| OutOfMemory)?;
        submits.infos.try_reserve_exact(infos.len()).map_err(|_| OutOfMemory)?;
        for info in infos {
            // SAFETY: the caller vouches for the submissions.
            unsafe { submits.add(info)? };
        }
        Ok(submits)
    }

    /// # Safety
    /// As for [`Submits::new`].
    unsafe fn add(&mut self, info: &vk::SubmitInfo<'_>) -> Result<(), OutOfMemory> {
        // SAFETY: the caller vouches for the structure with its chain and its arrays.
        unsafe {
            let group = chain::find::<vk::DeviceGroupSubmitInfo<'_>>(info.p_next);
            let values = chain::find::<vk::TimelineSemaphoreSubmitInfo<'_>>(info.p_next);
            let protected = chain::find::<vk::ProtectedSubmitInfo<'_>>(info.p_next);
            let waits = self.semaphores.as_ptr().wrapping_add(self.semaphores.len());
            let stages = list(info.p_wait_dst_stage_mask, info.wait_semaphore_count);
            let wait_values = values
                .map_or(&[][..], |all| list(all.p_wait_semaphore_values, all.wait_semaphore_value_count));
            let wait_devices = group
                .map_or(&[][..], |all| list(all.p_wait_semaphore_device_indices, all.wait_semaphore_count));
            for (index, semaphore) in
                list(info.p_wait_semaphores, info.wait_semaphore_count).iter().enumerate()
            {
                let stages = stages.get(index).map_or(0, |stages| stages.as_raw());
                let stages = vk::PipelineStageFlags2::from_raw(stages.into());
                self.semaphores.try_push(at(index, *semaphore, wait_values, wait_devices, stages))?;
            }
            let signals = self.semaphores.as_ptr().wrapping_add(self.semaphores.len());
            let signal_values = values
                .map_or(&[][..], |all| list(all.p_signal_semaphore_values, all.signal_semaphore_value_count));
            let signal_devices = group.map_or(&[][..], |all| {
                list(all.p_signal_semaphore_device_indices, all.signal_semaphore_count)
            });
            let all = vk::PipelineStageFlags2::ALL_COMMANDS;
            for (index, semaphore) in
                list(info.p_signal_semaphores, info.signal_semaphore_count).iter().enumerate()
            {
                self.semaphores.try_push(at(index, *semaphore, signal_values, signal_devices, all))?;
            }
            let commands = self.commands.as_ptr().wrapping_add(self.commands.len());
            let masks = group
                .map_or(&[][..], |all| list(all.p_command_buffer_device_masks, all.command_buffer_count));
            for (index, one) in list(info.p_command_buffers, info.command_buffer_count).iter().enumerate() {
                let mask = masks.get(index).copied().unwrap_or_default();
                let one = vk::CommandBufferSubmitInfo::default().command_buffer(*one).device_mask(mask);
                self.commands.try_push(one)?;
            }
            let is_protected = protected.is_some_and(|info| info.protected_submit != vk::FALSE);
            let flags = if is_protected { vk::SubmitFlags::PROTECTED } else { vk::SubmitFlags::empty() };
            self.infos.try_push(vk::SubmitInfo2 {
                p_next: info.p_next,
                flags,
                wait_semaphore_info_count: info.wait_semaphore_count,
                p_wait_semaphore_infos: waits,
                command_buffer_info_count: info.command_buffer_count,
                p_command_buffer_infos: commands,
                signal_semaphore_info_count: info.signal_semaphore_count,
                p_signal_semaphore_infos: signals,
                ..Default::default()
            })
        }
    }
}

/// Converts a semaphore and its list elements; lists may be shorter: they exist for timelines and groups only.
fn at<'a>(
    index: usize,
    semaphore: vk::Semaphore,
    values: &[u64],
    devices: &[u32],
    stages: vk::PipelineStageFlags2,
) -> vk::SemaphoreSubmitInfo<'a> {
    vk::SemaphoreSubmitInfo::default()
        .semaphore(semaphore)
        .value(values.get(index).copied().unwrap_or_default())
        .device_index(devices.get(index).copied().unwrap_or_default())
        .stage_mask(stages)
}

pub(super) const FORWARDS: &[Forward] = forwards! {
    QueueSubmit = queue_submit => QUEUE_SUBMIT_2;
};
