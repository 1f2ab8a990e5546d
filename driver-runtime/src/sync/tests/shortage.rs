//! Memory runs out at each allocation of each call: the right error, nothing happened, nothing leaks.

use std::ptr::null;

use ash::vk::{self, Handle};

use super::bench::Bench;
use super::machine::{ASSISTED, EMULATED, Machine, SLOW};
use crate::testing::{Fail, Ledger, commands, failing};

const NULL: vk::Fence = vk::Fence::null();

/// Repeats the call with one more allocation granted each time, until it succeeds. Returns how often it failed.
///
/// Only the first failed call that reserves space for a timeline's points may leave memory allocated.
fn starve(ledger: &Ledger, mut call: impl FnMut() -> vk::Result) -> usize {
    let before = ledger.live_blocks();
    let mut granted = 0;
    loop {
        ledger.fail(Some(granted));
        let result = call();
        ledger.fail(None);
        if result == vk::Result::SUCCESS {
            return granted;
        }
        assert_eq!(result, vk::Result::ERROR_OUT_OF_HOST_MEMORY);
        assert!(ledger.live_blocks() <= before + 1, "{granted}");
        granted += 1;
    }
}

/// Makes the call with the first process allocation failing: the payload's, which the driver may keep beyond the life
/// of the application's allocator.
fn starve_payload(call: impl FnOnce() -> vk::Result) {
    let outcome = failing(Fail::Only(0), call);
    assert_eq!(outcome, (vk::Result::ERROR_OUT_OF_HOST_MEMORY, true, 0));
}

fn with_ledger<const MODE: u8>(test: impl FnOnce(&Ledger, &Bench<Machine<MODE>>)) {
    let ledger = Ledger::default();
    let callbacks = ledger.callbacks();
    test(&ledger, &Bench::with_memory(Some(&callbacks)));
    assert_eq!(ledger.live_blocks(), 0);
}

#[test]
fn fences_and_semaphores_without_memory() {
    with_ledger::<EMULATED>(|ledger, bench| {
        let (mut fence, mut lines) = (NULL, [vk::Semaphore::null(); 2]);
        let info = vk::FenceCreateInfo::default();
        let mut create = || unsafe {
            commands::create_fence::<Machine<EMULATED>>()(bench.device, &info, null(), &mut fence)
        };
        starve_payload(&mut create);
        let failures = starve(ledger, create);
        // The object.
        assert_eq!(failures, 1);
        for (index, kind) in [vk::SemaphoreType::BINARY, vk::SemaphoreType::TIMELINE].into_iter().enumerate()
        {
            let failures = starve(ledger, || match bench.try_semaphore(kind, Default::default()) {
                Ok(semaphore) => {
                    lines[index] = semaphore;
                    vk::Result::SUCCESS
                }
                Err(error) => error,
            });
            // The object, and the timeline.
            assert_eq!(failures, 1 + index);
        }
        let scopes = ledger.scopes();
        let (object, device) = (vk::SystemAllocationScope::OBJECT, vk::SystemAllocationScope::DEVICE);
        assert!(scopes.iter().all(|scope| *scope == object.as_raw() || *scope == device.as_raw()));
        assert!(scopes.contains(&object.as_raw()));
        bench.destroy(&lines, &[fence]);
    });
}

#[test]
fn submissions_without_memory_have_not_happened() {
    fn submissions<const MODE: u8>(fewest: usize) {
        with_ledger::<MODE>(|ledger, bench| {
            let (line, binary, fence) = (bench.timeline(), bench.binary(), bench.fence());
            let waits = [vk::SemaphoreSubmitInfo::default().semaphore(line).value(1)];
            let signals = [
                vk::SemaphoreSubmitInfo::default().semaphore(line).value(2),
                vk::SemaphoreSubmitInfo::default().semaphore(binary),
            ];
            let commands = [vk::CommandBufferSubmitInfo::default(); 3];
            let infos = [
                vk::SubmitInfo2::default()
                    .wait_semaphore_infos(&waits)
                    .command_buffer_infos(&commands)
                    .signal_semaphore_infos(&signals),
                vk::SubmitInfo2::default().wait_semaphore_infos(&signals[1..]),
            ];
            let failures = starve(ledger, || {
                let result = bench.submit_all(0, &infos, fence);
                assert_eq!((bench.world().queues().len(), bench.value(line)), (0, 0));
                result
            });
            assert!(failures >= fewest, "{failures}");
            bench.signal(line, 1);
            assert_eq!(bench.wait(fence, u64::MAX), vk::Result::SUCCESS);
            assert_eq!((bench.world().queues(), bench.value(line)), (std::vec![0, 0], 2));
            assert!(bench.get().lost().is_ok());
            bench.destroy(&[line, binary], &[fence]);
        });
    }
    submissions::<ASSISTED>(9);
    submissions::<EMULATED>(11);
    submissions::<SLOW>(11);
}

#[test]
fn points_of_timelines_without_memory() {
    with_ledger::<EMULATED>(|ledger, bench| {
        let line = bench.timeline();
        for value in 1..20 {
            *bench.world().lazy.lock().unwrap() = true;
            starve(ledger, || bench.submit(0, &[], &[(line, value)], NULL));
        }
        assert_eq!((bench.value(line), bench.world().queues().len()), (0, 19));
        bench.world().finish();
        assert_eq!(bench.value(line), 19);
        bench.destroy(&[line], &[]);
    });
}

#[test]
fn sparse_binds_without_memory() {
    with_ledger::<EMULATED>(|ledger, bench| {
        let (line, fence) = (bench.timeline(), bench.fence());
        let memory = [vk::SparseMemoryBind::default().size(9); 2];
        let regions = [vk::SparseImageMemoryBind::default()];
        let (buffer, image) = (vk::Buffer::from_raw(1), vk::Image::from_raw(2));
        let buffers = [vk::SparseBufferMemoryBindInfo::default().buffer(buffer).binds(&memory); 2];
        let opaque = [vk::SparseImageOpaqueMemoryBindInfo::default().image(image).binds(&memory)];
        let images = [vk::SparseImageMemoryBindInfo::default().image(image).binds(&regions)];
        let (lines, values) = ([line], [1]);
        let mut timeline = vk::TimelineSemaphoreSubmitInfo::default()
            .wait_semaphore_values(&values)
            .signal_semaphore_values(&[2]);
        let info = vk::BindSparseInfo::default()
            .wait_semaphores(&lines)
            .buffer_binds(&buffers)
            .image_opaque_binds(&opaque)
            .image_binds(&images)
            .signal_semaphores(&lines)
            .push_next(&mut timeline);
        // SAFETY: live handles and valid structures; the test driver does not look at buffers and images.
        let failures = starve(ledger, || unsafe {
            commands::queue_bind_sparse::<Machine<EMULATED>>()(bench.queue(0), 1, &info, fence)
        });
        assert!(failures >= 13, "{failures}");
        assert_eq!(bench.wait(fence, 0), vk::Result::TIMEOUT);
        bench.signal(line, 1);
        assert_eq!((bench.wait(fence, 0), bench.value(line)), (vk::Result::SUCCESS, 2));
        assert_eq!(bench.world().list()[0].notes, "binds [4, 2, 1] ");
        bench.destroy(&[line], &[fence]);
    });
}

#[test]
fn waits_without_memory() {
    with_ledger::<EMULATED>(|ledger, bench| {
        let wait = || unsafe { commands::queue_wait_idle::<Machine<EMULATED>>()(bench.queue(0)) };
        starve_payload(wait);
        let failures = starve(ledger, wait);
        // The submission, and the application's and driver's forms of the signal.
        assert_eq!(failures, 3);
    });
}

#[test]
fn imports_and_exports_without_memory_leave_the_handle() {
    with_ledger::<EMULATED>(|ledger, bench| {
        let fence = bench.shared_fence();
        bench.submit_ok(0, &[], &[], fence);
        let kind = vk::ExternalFenceHandleTypeFlags::SYNC_FD;
        let mut fd = 0;
        let get = vk::FenceGetFdInfoKHR::default().fence(fence).handle_type(kind);
        // SAFETY: live handles and valid structures, here and below.
        let mut export = || unsafe {
            let result = commands::get_fence_fd::<Machine<EMULATED>>()(bench.device, &get, &mut fd);
            assert_eq!(bench.world().open.lock().unwrap().len(), (result == vk::Result::SUCCESS).into());
            result
        };
        starve_payload(&mut export);
        assert_eq!(starve(ledger, export), 0);
        let info = vk::ImportFenceFdInfoKHR::default().fence(fence).handle_type(kind).fd(fd);
        let import = || unsafe {
            let result = commands::import_fence_fd::<Machine<EMULATED>>()(bench.device, &info);
            assert_eq!(bench.world().open.lock().unwrap().len(), (result != vk::Result::SUCCESS).into());
            result
        };
        starve_payload(import);
        assert_eq!((starve(ledger, import), bench.status(fence)), (0, vk::Result::SUCCESS));
        bench.destroy(&[], &[fence]);
    });
}
