//! Fences, semaphores and submission. The numbers are those of the checklist in the README.

use std::ptr::null;
use std::vec::Vec;

use ash::vk;

use super::{Ability, SubmitMode, SyncType, SyncTypeError, SyncTypes, TimelineMode};
use crate::device::get_device_queue;
use crate::device::tests::{MadeDevice, make, queues};
use crate::result::SubmitError;
use crate::testing::{TestDriver, plan};

const BINARY: SyncType = SyncType::new(
    Ability::BINARY
        .and(Ability::GPU_WAIT)
        .and(Ability::CPU_WAIT)
        .and(Ability::CPU_RESET)
        .and(Ability::WAIT_PENDING),
);
const TIMELINE: Ability = Ability::TIMELINE.and(Ability::GPU_WAIT).and(Ability::CPU_WAIT);

#[test]
fn b58_and_b59_modes_follow_from_the_types() {
    let native = SyncType::new(TIMELINE.and(Ability::WAIT_BEFORE_SIGNAL));
    let assisted = SyncType::new(TIMELINE.and(Ability::WAIT_PENDING));
    let rows: [(&[SyncType], _, _); 5] = [
        (&[], TimelineMode::None, SubmitMode::Immediate),
        (&[BINARY], TimelineMode::None, SubmitMode::Immediate),
        (&[BINARY, native], TimelineMode::Native, SubmitMode::Immediate),
        (&[BINARY, SyncType::EMULATED_TIMELINE], TimelineMode::Emulated, SubmitMode::Deferred),
        (&[assisted, BINARY], TimelineMode::Assisted, SubmitMode::Deferred),
    ];
    for (list, mode, submit) in rows {
        let types = SyncTypes::new(list).unwrap();
        assert_eq!((types.timeline_mode(), types.submit_mode()), (mode, submit), "{list:?}");
    }
}

#[test]
fn b58_lists_that_cannot_work_are_rejected() {
    let blind = SyncType::new(Ability::BINARY.and(Ability::GPU_WAIT).and(Ability::CPU_RESET));
    let fixed = SyncType::new(Ability::BINARY.and(Ability::GPU_WAIT).and(Ability::WAIT_PENDING));
    let assisted = SyncType::new(TIMELINE.and(Ability::WAIT_PENDING));
    let rows: [(&[SyncType], _); 4] = [
        (&[assisted, assisted], SyncTypeError::TwoTimelines),
        (&[SyncType::EMULATED_TIMELINE], SyncTypeError::NothingToEmulateWith),
        (&[assisted, blind], SyncTypeError::CannotTellPending),
        (&[assisted, fixed], SyncTypeError::CannotReset),
    ];
    for (list, error) in rows {
        assert_eq!(SyncTypes::new(list), Err(error), "{list:?}");
    }
}

#[test]
fn the_first_type_that_can_do_it_is_taken() {
    let host_only = SyncType::new(Ability::BINARY.and(Ability::CPU_WAIT).and(Ability::CPU_RESET));
    let queue_only = SyncType::new(Ability::BINARY.and(Ability::GPU_WAIT));
    let types = SyncTypes::new(&[queue_only, host_only, BINARY]).unwrap();
    assert_eq!((types.semaphore(), types.fence(), types.timeline()), (Some(0), Some(1), None));
}

/// A device with two queues, and what tests do with it.
struct Bench(MadeDevice);

impl Bench {
    fn new() -> Self {
        Self(make(&vk::DeviceCreateInfo::default().queue_create_infos(&[queues(0, 2)])).unwrap())
    }

    fn queue(&self, index: u32) -> vk::Queue {
        let mut queue = vk::Queue::null();
        // SAFETY: a live handle and a valid pointer, here and below.
        unsafe { get_device_queue::<TestDriver>(self.0.0, 0, index, &mut queue) };
        queue
    }

    fn fence(&self) -> vk::Fence {
        let mut fence = vk::Fence::null();
        let info = vk::FenceCreateInfo::default();
        // SAFETY: as above.
        let result = unsafe { super::create_fence::<TestDriver>(self.0.0, &info, null(), &mut fence) };
        assert_eq!(result, vk::Result::SUCCESS);
        fence
    }

    fn semaphore(&self, kind: vk::SemaphoreType) -> vk::Semaphore {
        let mut semaphore = vk::Semaphore::null();
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(kind);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
        // SAFETY: as above.
        let result =
            unsafe { super::create_semaphore::<TestDriver>(self.0.0, &info, null(), &mut semaphore) };
        assert_eq!(result, vk::Result::SUCCESS);
        semaphore
    }

    /// Submits one command buffer between waits and signals.
    fn submit(
        &self,
        queue: u32,
        waits: &[(vk::Semaphore, u64)],
        signals: &[(vk::Semaphore, u64)],
        fence: vk::Fence,
    ) -> vk::Result {
        let list = |list: &[(vk::Semaphore, u64)]| -> Vec<_> {
            let info = |(semaphore, value): &(_, _)| {
                vk::SemaphoreSubmitInfo::default().semaphore(*semaphore).value(*value)
            };
            list.iter().map(info).collect()
        };
        let (waits, signals) = (list(waits), list(signals));
        let commands = [vk::CommandBufferSubmitInfo::default()];
        let info = vk::SubmitInfo2::default()
            .wait_semaphore_infos(&waits)
            .command_buffer_infos(&commands)
            .signal_semaphore_infos(&signals);
        // SAFETY: as above; the test driver does not look at command buffers.
        unsafe { super::queue_submit_2::<TestDriver>(self.queue(queue), 1, &info, fence) }
    }

    /// As [`Bench::submit`], which must succeed.
    fn give(
        &self,
        queue: u32,
        waits: &[(vk::Semaphore, u64)],
        signals: &[(vk::Semaphore, u64)],
        fence: vk::Fence,
    ) {
        assert_eq!(self.submit(queue, waits, signals, fence), vk::Result::SUCCESS);
    }

    fn signal(&self, semaphore: vk::Semaphore, value: u64) {
        let info = vk::SemaphoreSignalInfo::default().semaphore(semaphore).value(value);
        // SAFETY: as above.
        assert_eq!(unsafe { super::signal_semaphore::<TestDriver>(self.0.0, &info) }, vk::Result::SUCCESS);
    }

    fn value(&self, semaphore: vk::Semaphore) -> u64 {
        let mut value = 0;
        // SAFETY: as above.
        let result =
            unsafe { super::get_semaphore_counter_value::<TestDriver>(self.0.0, semaphore, &mut value) };
        assert_eq!(result, vk::Result::SUCCESS);
        value
    }

    fn wait(&self, fence: vk::Fence, timeout: u64) -> vk::Result {
        // SAFETY: as above.
        unsafe { super::wait_for_fences::<TestDriver>(self.0.0, 1, &fence, vk::TRUE, timeout) }
    }

    fn destroy(&self, semaphores: &[vk::Semaphore], fence: vk::Fence) {
        // SAFETY: the handles are live or null and not used any more.
        unsafe {
            for semaphore in semaphores {
                super::destroy_semaphore::<TestDriver>(self.0.0, *semaphore, null());
            }
            super::destroy_fence::<TestDriver>(self.0.0, fence, null());
        }
    }
}

fn submitted() -> Vec<(u32, usize)> {
    let mut list = Vec::new();
    plan(|plan| list = plan.submitted.clone());
    list
}

#[test]
fn fences_signal_when_work_is_done() {
    let bench = Bench::new();
    let fence = bench.fence();
    assert_eq!(bench.wait(fence, 0), vk::Result::TIMEOUT);
    assert_eq!(bench.wait(fence, 5_000_000_000), vk::Result::TIMEOUT);
    // SAFETY: live handles.
    unsafe {
        assert_eq!(super::get_fence_status::<TestDriver>(bench.0.0, fence), vk::Result::NOT_READY);
        assert_eq!(bench.submit(0, &[], &[], fence), vk::Result::SUCCESS);
        assert_eq!(super::get_fence_status::<TestDriver>(bench.0.0, fence), vk::Result::SUCCESS);
        assert_eq!(bench.wait(fence, 0), vk::Result::SUCCESS);
        assert_eq!(super::reset_fences::<TestDriver>(bench.0.0, 1, &fence), vk::Result::SUCCESS);
        assert_eq!(super::get_fence_status::<TestDriver>(bench.0.0, fence), vk::Result::NOT_READY);
        assert_eq!(super::queue_submit::<TestDriver>(bench.queue(1), 0, null(), fence), vk::Result::SUCCESS);
    }
    assert_eq!(bench.wait(fence, 0), vk::Result::SUCCESS);
    assert_eq!(submitted(), [(0, 1), (1, 0)]);
    bench.destroy(&[], fence);
}

#[test]
fn a_wait_may_be_submitted_before_its_signal() {
    let bench = Bench::new();
    let (fence, line) = (bench.fence(), bench.semaphore(vk::SemaphoreType::TIMELINE));
    assert_eq!(bench.submit(0, &[(line, 5)], &[(line, 7)], fence), vk::Result::SUCCESS);
    assert_eq!((submitted().len(), bench.wait(fence, 0), bench.value(line)), (0, vk::Result::TIMEOUT, 0));
    assert_eq!(bench.submit(1, &[], &[(line, 5)], vk::Fence::null()), vk::Result::SUCCESS);
    assert_eq!((bench.wait(fence, 0), bench.value(line)), (vk::Result::SUCCESS, 7));
    assert_eq!(submitted(), [(1, 1), (0, 1)]);
    bench.destroy(&[line], fence);
}

#[test]
fn the_host_signals_a_timeline_and_chains_of_submissions_go_on() {
    let bench = Bench::new();
    let (fence, line) = (bench.fence(), bench.semaphore(vk::SemaphoreType::TIMELINE));
    for step in (1..10).rev() {
        bench.give((step % 2) as u32, &[(line, step)], &[], vk::Fence::null());
    }
    let other = bench.semaphore(vk::SemaphoreType::TIMELINE);
    bench.give(0, &[(other, 1)], &[], fence);
    assert_eq!(submitted(), []);
    bench.signal(line, 20);
    assert_eq!(submitted().len(), 9);
    assert_eq!(bench.value(line), 20);
    bench.signal(other, 1);
    assert_eq!((submitted().len(), bench.wait(fence, 0)), (10, vk::Result::SUCCESS));
    bench.destroy(&[line, other], fence);
}

#[test]
fn binary_semaphores_follow_their_signal_even_when_that_is_held_back() {
    let bench = Bench::new();
    let (fence, line) = (bench.fence(), bench.semaphore(vk::SemaphoreType::TIMELINE));
    let binary = bench.semaphore(vk::SemaphoreType::BINARY);
    bench.give(0, &[(line, 1)], &[(binary, 0)], vk::Fence::null());
    bench.give(1, &[(binary, 0)], &[], fence);
    assert_eq!(submitted(), []);
    bench.signal(line, 1);
    assert_eq!((submitted(), bench.wait(fence, 0)), (std::vec![(0, 1), (1, 1)], vk::Result::SUCCESS));
    bench.destroy(&[line, binary], fence);
}

#[test]
fn semaphores_are_waited_for_all_or_any() {
    let bench = Bench::new();
    let lines = [bench.semaphore(vk::SemaphoreType::TIMELINE), bench.semaphore(vk::SemaphoreType::TIMELINE)];
    bench.signal(lines[0], 3);
    for (flags, values, result) in [
        (vk::SemaphoreWaitFlags::empty(), [3, 1], vk::Result::TIMEOUT),
        (vk::SemaphoreWaitFlags::ANY, [3, 1], vk::Result::SUCCESS),
        (vk::SemaphoreWaitFlags::ANY, [4, 1], vk::Result::TIMEOUT),
        (vk::SemaphoreWaitFlags::empty(), [2, 0], vk::Result::SUCCESS),
    ] {
        let info = vk::SemaphoreWaitInfo::default().flags(flags).semaphores(&lines).values(&values);
        // SAFETY: live handles and valid structures.
        assert_eq!(unsafe { super::wait_semaphores::<TestDriver>(bench.0.0, &info, 0) }, result);
    }
    bench.destroy(&lines, vk::Fence::null());
}

#[test]
fn the_plain_submission_has_values_in_its_chain() {
    let bench = Bench::new();
    let line = bench.semaphore(vk::SemaphoreType::TIMELINE);
    let (lines, values, stages) = ([line], [4], [vk::PipelineStageFlags::ALL_COMMANDS]);
    let mut first = vk::TimelineSemaphoreSubmitInfo::default().signal_semaphore_values(&values);
    let mut second = vk::TimelineSemaphoreSubmitInfo::default().wait_semaphore_values(&values);
    let infos = [
        vk::SubmitInfo::default().wait_semaphores(&lines).wait_dst_stage_mask(&stages).push_next(&mut second),
        vk::SubmitInfo::default().signal_semaphores(&lines).push_next(&mut first),
    ];
    // SAFETY: live handles and valid structures.
    unsafe {
        let waiting = super::queue_submit::<TestDriver>(bench.queue(0), 1, &infos[0], vk::Fence::null());
        assert_eq!((waiting, submitted().len()), (vk::Result::SUCCESS, 0));
        let given = super::queue_submit::<TestDriver>(bench.queue(1), 1, &infos[1], vk::Fence::null());
        assert_eq!(given, vk::Result::SUCCESS);
    }
    assert_eq!((submitted(), bench.value(line)), (std::vec![(1, 0), (0, 0)], 4));
    bench.destroy(&[line], vk::Fence::null());
}

#[test]
fn b63_nothing_goes_on_after_a_loss() {
    let bench = Bench::new();
    let fence = bench.fence();
    plan(|plan| plan.submit = Err(SubmitError::OutOfDeviceMemory));
    assert_eq!(bench.submit(0, &[], &[], fence), vk::Result::ERROR_DEVICE_LOST);
    plan(|plan| plan.submit = Ok(()));
    assert!(bench.0.get().lost_reason().is_some());
    let before = submitted().len();
    assert_eq!(bench.submit(0, &[], &[], fence), vk::Result::ERROR_DEVICE_LOST);
    assert_eq!(submitted().len(), before);
    assert_eq!(bench.wait(fence, u64::MAX), vk::Result::ERROR_DEVICE_LOST);
    // SAFETY: live handles.
    unsafe {
        let lost = vk::Result::ERROR_DEVICE_LOST;
        assert_eq!(super::get_fence_status::<TestDriver>(bench.0.0, fence), lost);
        assert_eq!(super::device_wait_idle::<TestDriver>(bench.0.0), lost);
        assert_eq!(super::queue_wait_idle::<TestDriver>(bench.queue(0)), lost);
    }
    bench.destroy(&[], fence);
}

#[test]
fn b62_a_wait_notices_that_the_device_is_gone() {
    let bench = Bench::new();
    let fence = bench.fence();
    plan(|plan| plan.gone = true);
    assert_eq!(bench.wait(fence, u64::MAX), vk::Result::ERROR_DEVICE_LOST);
    assert_eq!(bench.0.get().lost_reason(), Some("the test said so"));
    bench.destroy(&[], fence);
}

#[test]
fn b64_every_queue_is_waited_for() {
    let bench = Bench::new();
    // SAFETY: a live handle.
    assert_eq!(unsafe { super::device_wait_idle::<TestDriver>(bench.0.0) }, vk::Result::SUCCESS);
    assert_eq!(submitted(), [(0, 0), (1, 0)]);
}
