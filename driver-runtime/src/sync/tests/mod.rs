//! Fences, semaphores and submission. `docs/rules/drivers.md` has the rules.
#![allow(clippy::undocumented_unsafe_blocks, reason = "valid use of Vulkan, unless a comment says more")]

mod bench;
mod growth;
mod machine;
mod memory;
mod sharing;
mod shortage;
mod sleep;
mod threads;
mod types;

use std::ptr::null;
use std::vec::Vec;

use ash::vk;

use crate::driver::Search;
use crate::physical_device::Description;
use crate::result::SubmitError;
use crate::sync_object::{
    Ability, HandleKind, HandleKinds, Purpose, SubmitMode, SyncType, SyncTypeError, SyncTypes, TimelineMode,
};
use crate::testing::{TestDriver, commands, plan};
use bench::Bench;

const BINARY: SyncType = SyncType::new(
    Ability::BINARY
        .and(Ability::GPU_WAIT)
        .and(Ability::CPU_WAIT)
        .and(Ability::CPU_RESET)
        .and(Ability::WAIT_PENDING),
);
const TIMELINE: Ability = Ability::TIMELINE.and(Ability::GPU_WAIT).and(Ability::CPU_WAIT);

#[test]
fn modes_follow_from_the_types() {
    let native = SyncType::new(TIMELINE.and(Ability::WAIT_BEFORE_SIGNAL));
    let assisted = SyncType::new(TIMELINE.and(Ability::WAIT_PENDING));
    let rows: [(&[SyncType], _, _); 4] = [
        (&[BINARY], TimelineMode::None, [SubmitMode::Immediate; 3]),
        (&[BINARY, native], TimelineMode::Native, [SubmitMode::Immediate; 3]),
        (&[BINARY, SyncType::EMULATED_TIMELINE], TimelineMode::Emulated, [SubmitMode::Deferred; 3]),
        (
            &[assisted, BINARY],
            TimelineMode::Assisted,
            [SubmitMode::ThreadedIfNeeded, SubmitMode::Threaded, SubmitMode::Deferred],
        ),
    ];
    for (list, mode, submit) in rows {
        let types = SyncTypes::new(list).unwrap();
        assert_eq!(types.timeline_mode(), mode, "{list:?}");
        assert_eq!(
            [None, Some(true), Some(false)].map(|thread| mode.submit_mode(thread)),
            submit,
            "{list:?}"
        );
    }
}

#[test]
fn lists_that_cannot_work_are_rejected() {
    let blind = SyncType::new(Ability::BINARY.and(Ability::GPU_WAIT).and(Ability::CPU_RESET));
    let fixed = SyncType::new(Ability::BINARY.and(Ability::GPU_WAIT).and(Ability::WAIT_PENDING));
    let assisted = SyncType::new(TIMELINE.and(Ability::WAIT_PENDING));
    let deaf = SyncType::new(Ability::TIMELINE.and(Ability::CPU_WAIT));
    let host_only = SyncType::new(Ability::BINARY.and(Ability::CPU_WAIT).and(Ability::CPU_RESET));
    let native = SyncType::new(TIMELINE.and(Ability::WAIT_BEFORE_SIGNAL));
    let rows: [(&[SyncType], _); 9] = [
        (&[], SyncTypeError::NothingForFences),
        (&[native], SyncTypeError::NothingForFences),
        (&[fixed], SyncTypeError::NothingForFences),
        (&[host_only], SyncTypeError::NothingForSemaphores),
        (&[BINARY, deaf], SyncTypeError::TimelineCannotWait),
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
    let list = [queue_only, BINARY, SyncType::EMULATED_TIMELINE];
    let types = SyncTypes::new(&list).unwrap();
    assert_eq!((types.semaphore(), types.fence(), types.timeline()), (Some(0), Some(1), Some(2)));
    let none = HandleKinds::NONE;
    assert_eq!(types.choose(Purpose::Point, none, none), Some(1));
}

#[test]
fn a_handle_is_one_more_criterion() {
    let fds = HandleKinds::of(&[HandleKind::OpaqueFd, HandleKind::SyncFd]);
    let (opaque, none) = (HandleKinds::of(&[HandleKind::OpaqueFd]), HandleKinds::NONE);
    let list = [BINARY, BINARY.sharing(opaque, none), BINARY.sharing(fds, fds)];
    let types = SyncTypes::new(&list).unwrap();
    for purpose in [Purpose::Fence, Purpose::Semaphore] {
        assert_eq!(types.choose(purpose, none, none), Some(0));
        assert_eq!(types.choose(purpose, opaque, none), Some(1));
        assert_eq!(types.choose(purpose, none, opaque), Some(2));
        assert_eq!(types.choose(purpose, fds, fds), Some(2));
        assert_eq!(types.choose(purpose, HandleKinds::of(&[HandleKind::ZirconEvent]), none), None);
    }
    assert_eq!(types.choose(Purpose::Timeline, none, none), None);
}

/// Returns a bench of the driver of other tests, which keeps a plan.
fn bench() -> Bench<TestDriver> {
    plan(|plan| {
        plan.device = || {
            let mut known = Description::new(b"x", vk::API_VERSION_1_3, vk::PhysicalDeviceType::CPU);
            known.queue_family_count = 1;
            known.queue_families[0].queue_count = 4;
            known
        };
        plan.searches = std::vec![(1, Ok(Search::Done))];
    });
    Bench::new()
}

fn submitted() -> Vec<(u32, usize)> {
    let mut list = Vec::new();
    plan(|plan| list = plan.submitted.clone());
    list
}

#[test]
fn fences_signal_when_work_is_done() {
    let bench = bench();
    let fence = bench.fence();
    assert_eq!(bench.wait(fence, 0), vk::Result::TIMEOUT);
    assert_eq!(bench.wait(fence, 5_000_000_000), vk::Result::TIMEOUT);
    unsafe {
        assert_eq!(commands::get_fence_status::<TestDriver>()(bench.device, fence), vk::Result::NOT_READY);
        assert_eq!(bench.submit(0, &[], &[], fence), vk::Result::SUCCESS);
        assert_eq!(commands::get_fence_status::<TestDriver>()(bench.device, fence), vk::Result::SUCCESS);
        assert_eq!(bench.wait(fence, 0), vk::Result::SUCCESS);
        assert_eq!(commands::reset_fences::<TestDriver>()(bench.device, 1, &fence), vk::Result::SUCCESS);
        assert_eq!(commands::get_fence_status::<TestDriver>()(bench.device, fence), vk::Result::NOT_READY);
        assert_eq!(
            commands::queue_submit::<TestDriver>()(bench.queue(1), 0, null(), fence),
            vk::Result::SUCCESS
        );
    }
    assert_eq!(bench.wait(fence, 0), vk::Result::SUCCESS);
    assert_eq!(submitted(), [(0, 1), (1, 0)]);
    bench.destroy(&[], &[fence]);
}

#[test]
fn a_wait_may_be_submitted_before_its_signal() {
    let bench = bench();
    let (fence, line) = (bench.fence(), bench.timeline());
    assert_eq!(bench.submit(0, &[(line, 5)], &[(line, 7)], fence), vk::Result::SUCCESS);
    assert_eq!((submitted().len(), bench.wait(fence, 0), bench.value(line)), (0, vk::Result::TIMEOUT, 0));
    assert_eq!(bench.submit(1, &[], &[(line, 5)], vk::Fence::null()), vk::Result::SUCCESS);
    assert_eq!((bench.wait(fence, 0), bench.value(line)), (vk::Result::SUCCESS, 7));
    assert_eq!(submitted(), [(1, 1), (0, 1)]);
    bench.destroy(&[line], &[fence]);
}

#[test]
fn the_host_signals_a_timeline_and_chains_of_submissions_go_on() {
    let bench = bench();
    let (fence, line) = (bench.fence(), bench.timeline());
    for step in (1..10).rev() {
        bench.submit_ok((step % 2) as u32, &[(line, step)], &[], vk::Fence::null());
    }
    let other = bench.timeline();
    bench.submit_ok(0, &[(other, 1)], &[], fence);
    assert_eq!(submitted(), []);
    bench.signal(line, 20);
    assert_eq!(submitted().len(), 9);
    assert_eq!(bench.value(line), 20);
    bench.signal(other, 1);
    assert_eq!((submitted().len(), bench.wait(fence, 0)), (10, vk::Result::SUCCESS));
    bench.destroy(&[line, other], &[fence]);
}

#[test]
fn binary_semaphores_follow_their_signal_even_when_that_is_held_back() {
    let bench = bench();
    let (fence, line) = (bench.fence(), bench.timeline());
    let binary = bench.binary();
    bench.submit_ok(0, &[(line, 1)], &[(binary, 0)], vk::Fence::null());
    bench.submit_ok(1, &[(binary, 0)], &[], fence);
    assert_eq!(submitted(), []);
    bench.signal(line, 1);
    assert_eq!((submitted(), bench.wait(fence, 0)), (std::vec![(0, 1), (1, 1)], vk::Result::SUCCESS));
    bench.destroy(&[line, binary], &[fence]);
}

/// The second wait must not take the first signal, although it has occurred when the second wait is submitted.
#[test]
fn a_wait_of_a_binary_semaphore_goes_with_its_own_signal() {
    let bench = bench();
    let (binary, line, gate) = (bench.binary(), bench.timeline(), bench.timeline());
    let null = vk::Fence::null();
    bench.submit_ok(0, &[], &[(binary, 0)], null);
    bench.submit_ok(1, &[(binary, 0), (gate, 1)], &[(line, 1)], null);
    bench.submit_ok(0, &[(line, 1)], &[(binary, 0)], null);
    bench.submit_ok(2, &[(binary, 0)], &[], null);
    assert_eq!(submitted(), [(0, 1)]);
    bench.signal(gate, 1);
    assert_eq!(submitted(), [(0, 1), (1, 1), (0, 1), (2, 1)]);
    bench.destroy(&[binary, line, gate], &[]);
}

#[test]
fn fences_are_waited_for_all_or_any() {
    let bench = bench();
    let fences = [bench.fence(), bench.fence()];
    assert_eq!(bench.wait_for(&fences, false, 0), vk::Result::TIMEOUT);
    bench.submit_ok(0, &[], &[], fences[1]);
    assert_eq!(bench.wait_for(&fences, false, 0), vk::Result::SUCCESS);
    assert_eq!(bench.wait_for(&fences, true, 9), vk::Result::TIMEOUT);
    bench.submit_ok(0, &[], &[], fences[0]);
    assert_eq!(bench.wait_for(&fences, true, 0), vk::Result::SUCCESS);
    let info = vk::FenceCreateInfo::default().flags(vk::FenceCreateFlags::SIGNALED);
    let signalled = bench.try_fence(&info).unwrap();
    assert_eq!(bench.wait(signalled, 0), vk::Result::SUCCESS);
    bench.destroy(&[], &[fences[0], fences[1], signalled]);
}

#[test]
fn semaphores_are_waited_for_all_or_any() {
    let bench = bench();
    let lines = [bench.timeline(), bench.timeline()];
    bench.signal(lines[0], 3);
    for (flags, values, result) in [
        (vk::SemaphoreWaitFlags::empty(), [3, 1], vk::Result::TIMEOUT),
        (vk::SemaphoreWaitFlags::ANY, [3, 1], vk::Result::SUCCESS),
        (vk::SemaphoreWaitFlags::ANY, [4, 1], vk::Result::TIMEOUT),
        (vk::SemaphoreWaitFlags::empty(), [2, 0], vk::Result::SUCCESS),
    ] {
        let info = vk::SemaphoreWaitInfo::default().flags(flags).semaphores(&lines).values(&values);
        assert_eq!(unsafe { commands::wait_semaphores::<TestDriver>()(bench.device, &info, 0) }, result);
    }
    bench.destroy(&lines, &[]);
}

#[test]
fn the_plain_submission_has_values_in_its_chain() {
    let bench = bench();
    let line = bench.timeline();
    let (lines, values, stages) = ([line], [4], [vk::PipelineStageFlags::ALL_COMMANDS]);
    let mut first = vk::TimelineSemaphoreSubmitInfo::default().signal_semaphore_values(&values);
    let mut second = vk::TimelineSemaphoreSubmitInfo::default().wait_semaphore_values(&values);
    let infos = [
        vk::SubmitInfo::default().wait_semaphores(&lines).wait_dst_stage_mask(&stages).push_next(&mut second),
        vk::SubmitInfo::default().signal_semaphores(&lines).push_next(&mut first),
    ];
    unsafe {
        let waiting = commands::queue_submit::<TestDriver>()(bench.queue(0), 1, &infos[0], vk::Fence::null());
        assert_eq!((waiting, submitted().len()), (vk::Result::SUCCESS, 0));
        let given = commands::queue_submit::<TestDriver>()(bench.queue(1), 1, &infos[1], vk::Fence::null());
        assert_eq!(given, vk::Result::SUCCESS);
    }
    assert_eq!((submitted(), bench.value(line)), (std::vec![(1, 0), (0, 0)], 4));
    bench.destroy(&[line], &[]);
}

#[test]
fn nothing_goes_on_after_a_loss() {
    let bench = bench();
    let fence = bench.fence();
    plan(|plan| plan.submit = Err(SubmitError::OutOfDeviceMemory));
    let failed = bench.submit(0, &[], &[], fence);
    assert_eq!(failed, vk::Result::ERROR_OUT_OF_DEVICE_MEMORY);
    assert!(bench.get().lost_reason().is_none());
    // The application saw the held submission succeed, so its failure is a device loss.
    let line = bench.timeline();
    bench.submit_ok(0, &[(line, 1)], &[], fence);
    bench.signal(line, 1);
    plan(|plan| plan.submit = Ok(()));
    assert!(bench.get().lost_reason().is_some());
    let before = submitted().len();
    assert_eq!(bench.submit(0, &[], &[], vk::Fence::null()), vk::Result::ERROR_DEVICE_LOST);
    assert_eq!(submitted().len(), before);
    assert_eq!(bench.wait(fence, u64::MAX), vk::Result::ERROR_DEVICE_LOST);
    unsafe {
        let lost = vk::Result::ERROR_DEVICE_LOST;
        assert_eq!(commands::get_fence_status::<TestDriver>()(bench.device, fence), lost);
        assert_eq!(commands::device_wait_idle::<TestDriver>()(bench.device), lost);
        assert_eq!(commands::queue_wait_idle::<TestDriver>()(bench.queue(0)), lost);
    }
    bench.destroy(&[line], &[fence]);
}

#[test]
fn a_wait_notices_that_the_device_is_gone() {
    let bench = bench();
    let fence = bench.fence();
    plan(|plan| plan.gone = true);
    assert_eq!(bench.wait(fence, u64::MAX), vk::Result::ERROR_DEVICE_LOST);
    assert_eq!(bench.get().lost_reason(), Some("the test said so"));
    bench.destroy(&[], &[fence]);
}

#[test]
fn a_submission_notices_that_the_device_is_gone() {
    let bench = bench();
    plan(|plan| plan.gone = true);
    assert_eq!(bench.submit(0, &[], &[], vk::Fence::null()), vk::Result::ERROR_DEVICE_LOST);
    plan(|plan| assert_eq!((plan.submitted.len(), plan.status_checks), (0, 1)));
    assert_eq!(bench.submit(0, &[], &[], vk::Fence::null()), vk::Result::ERROR_DEVICE_LOST);
    plan(|plan| assert_eq!((plan.submitted.len(), plan.status_checks), (0, 1)));
}

#[test]
fn each_queue_has_a_reason_of_its_own() {
    let bench = bench();
    let queues = bench.get().queues();
    for (queue, reason) in [(1, "first"), (2, "second"), (1, "third")] {
        let lost = queues[queue].set_lost(reason);
        assert_eq!(vk::Result::from(lost), vk::Result::ERROR_DEVICE_LOST);
    }
    let reasons: Vec<_> = queues.iter().map(|queue| queue.lost_reason()).collect();
    assert_eq!(reasons, [None, Some("first"), Some("second"), None]);
    assert_eq!(bench.get().lost_reason(), Some("first"));
}

#[test]
fn a_call_that_fails_half_way_is_a_loss() {
    let bench = Bench::<machine::Machine<{ machine::NATIVE }>>::new();
    let infos = [vk::SubmitInfo2::default(); 3];
    *bench.world().fails.lock().unwrap() = Err(SubmitError::OutOfDeviceMemory);
    let result = bench.submit_all(0, &infos, vk::Fence::null());
    assert_eq!((result, bench.get().lost_reason()), (vk::Result::ERROR_OUT_OF_DEVICE_MEMORY, None));
    *bench.world().spared.lock().unwrap() = 1;
    let result = bench.submit_all(0, &infos, vk::Fence::null());
    assert_eq!((result, bench.world().queues()), (vk::Result::ERROR_DEVICE_LOST, std::vec![0]));
    assert!(bench.get().lost_reason().is_some());
}

/// Both commands pass the submission's options to the driver.
#[test]
fn protection_and_counter_passes_reach_the_driver() {
    type Driver = machine::Machine<{ machine::NATIVE }>;
    let bench = Bench::<Driver>::new();
    let mut pass = vk::PerformanceQuerySubmitInfoKHR::default().counter_pass_index(3);
    let mut protected = vk::ProtectedSubmitInfo::default().protected_submit(true);
    let commands = [vk::CommandBuffer::null(); 2];
    let plain = [
        vk::SubmitInfo::default().command_buffers(&commands).push_next(&mut pass),
        vk::SubmitInfo::default().push_next(&mut protected),
    ];
    // SAFETY: live handles and valid structures; the driver does not look at command buffers.
    let result =
        unsafe { commands::queue_submit::<Driver>()(bench.queue(0), 2, plain.as_ptr(), vk::Fence::null()) };
    assert_eq!(result, vk::Result::SUCCESS);
    let mut pass = vk::PerformanceQuerySubmitInfoKHR::default().counter_pass_index(4);
    let info = vk::SubmitInfo2::default().flags(vk::SubmitFlags::PROTECTED).push_next(&mut pass);
    assert_eq!(bench.submit_all(1, &[info], vk::Fence::null()), vk::Result::SUCCESS);
    let list = bench.world().list();
    let notes: Vec<_> = list.iter().map(|given| (given.commands, given.notes.as_str())).collect();
    assert_eq!(notes, [(2, "pass 3 "), (0, "protected "), (0, "protected pass 4 ")]);
}

#[test]
fn every_queue_is_waited_for() {
    let bench = bench();
    assert_eq!(unsafe { commands::device_wait_idle::<TestDriver>()(bench.device) }, vk::Result::SUCCESS);
    assert_eq!(submitted(), [(0, 0), (1, 0), (2, 0), (3, 0)]);
    plan(|plan| plan.submit = Err(SubmitError::OutOfDeviceMemory));
    // The first error counts, and the other queues are waited for nevertheless.
    assert_eq!(bench.wait_idle(), vk::Result::ERROR_OUT_OF_DEVICE_MEMORY);
    assert_eq!(submitted().len(), 8);
}
