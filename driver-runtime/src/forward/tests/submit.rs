//! Submissions.

use std::vec::Vec;
use std::{ptr, vec};

use ash::vk;

use super::{Made, all, equal, first, handle, see, seen};
use crate::dispatch::EntryPoints;
use crate::entry_points;
use crate::testing::Ledger;

/// A semaphore, its value, its stages, its device.
type Semaphore = (vk::Semaphore, u64, vk::PipelineStageFlags2, u32);

#[derive(PartialEq)]
struct Submission {
    flags: vk::SubmitFlags,
    waits: Vec<Semaphore>,
    commands: Vec<(vk::CommandBuffer, u32)>,
    signals: Vec<Semaphore>,
    fence: vk::Fence,
}

fn semaphores(first: *const vk::SemaphoreSubmitInfo<'_>, count: u32) -> Vec<Semaphore> {
    let all = all(first, count);
    all.iter().map(|one| (one.semaphore, one.value, one.stage_mask, one.device_index)).collect()
}

// SAFETY: each function implements its command, with the objects of this driver; forwarders pass valid structures.
pub(super) const SECOND: EntryPoints<()> = unsafe {
    entry_points! {
        QueueSubmit2 = |call| {
            for info in call.submits() {
                let commands = all(info.p_command_buffer_infos, info.command_buffer_info_count);
                see(Submission {
                    flags: info.flags,
                    waits: semaphores(info.p_wait_semaphore_infos, info.wait_semaphore_info_count),
                    commands: commands.iter().map(|one| (one.command_buffer, one.device_mask)).collect(),
                    signals: semaphores(info.p_signal_semaphore_infos, info.signal_semaphore_info_count),
                    fence: call.fence,
                });
            }
            vk::Result::ERROR_DEVICE_LOST
        },
    }
};

const TRANSFER: vk::PipelineStageFlags2 = vk::PipelineStageFlags2::TRANSFER;
const ALL: vk::PipelineStageFlags2 = vk::PipelineStageFlags2::ALL_COMMANDS;

/// Submits two submissions, of which the second has everything.
fn submit_two(made: &Made) -> vk::Result {
    let (waits, signals) = ([handle(1), handle(2)], [handle(3)]);
    let stages = [vk::PipelineStageFlags::TRANSFER; 2];
    let commands = [handle(4), handle(5)];
    let (wait_values, signal_values) = ([10, 20], [30]);
    let mut values = vk::TimelineSemaphoreSubmitInfo::default()
        .wait_semaphore_values(&wait_values)
        .signal_semaphore_values(&signal_values);
    let mut protected = vk::ProtectedSubmitInfo::default().protected_submit(true);
    let mut group = vk::DeviceGroupSubmitInfo::default()
        .wait_semaphore_device_indices(&[0, 1])
        .command_buffer_device_masks(&[1, 2])
        .signal_semaphore_device_indices(&[1]);
    let infos = [
        vk::SubmitInfo::default().command_buffers(&commands[..1]).signal_semaphores(&signals),
        vk::SubmitInfo::default()
            .wait_semaphores(&waits)
            .wait_dst_stage_mask(&stages)
            .command_buffers(&commands)
            .signal_semaphores(&signals)
            .push_next(&mut values)
            .push_next(&mut protected)
            .push_next(&mut group),
    ];
    // SAFETY: a live queue and valid structures.
    unsafe { first!(QUEUE_SUBMIT: PFN_vkQueueSubmit)(made.queue, 2, infos.as_ptr(), handle(9)) }
}

#[test]
fn submissions_arrive_in_one_call_with_what_is_chained() {
    let made = Made::new();
    equal!(submit_two(&made), vk::Result::ERROR_DEVICE_LOST);
    equal!(
        seen::<Submission>(),
        [
            Submission {
                flags: vk::SubmitFlags::empty(),
                waits: vec![],
                commands: vec![(handle(4), 0)],
                signals: vec![(handle(3), 0, ALL, 0)],
                fence: handle(9),
            },
            Submission {
                flags: vk::SubmitFlags::PROTECTED,
                waits: vec![(handle(1), 10, TRANSFER, 0), (handle(2), 20, TRANSFER, 1)],
                commands: vec![(handle(4), 1), (handle(5), 2)],
                signals: vec![(handle(3), 30, ALL, 1)],
                fence: handle(9),
            },
        ]
    );
}

#[test]
fn a_fence_alone_is_submitted() {
    let made = Made::new();
    // SAFETY: a live queue and no structures.
    let result = unsafe { first!(QUEUE_SUBMIT: PFN_vkQueueSubmit)(made.queue, 0, ptr::null(), handle(9)) };
    equal!(result, vk::Result::ERROR_DEVICE_LOST, "the driver was called");
}

#[test]
fn submissions_without_memory_do_not_arrive_and_leave_none() {
    let ledger = Ledger::default();
    let callbacks = ledger.callbacks();
    let made = Made::with(Some(&callbacks));
    let before = ledger.live_blocks();
    for failing in 0..3 {
        ledger.fail(Some(failing));
        equal!(submit_two(&made), vk::Result::ERROR_OUT_OF_HOST_MEMORY, "{failing}");
        ledger.fail(None);
        equal!((seen::<Submission>().len(), ledger.live_blocks()), (0, before));
    }
    let _ = submit_two(&made);
    equal!((seen::<Submission>().len(), ledger.live_blocks()), (2, before));
}
