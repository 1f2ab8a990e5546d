//! Fences and binary semaphores of a driver that has timelines only.

use std::vec::Vec;

use ash::vk;

use super::bench::Bench;
use super::machine::{LINES, Machine};
use crate::testing::commands;

const NULL: vk::Fence = vk::Fence::null();

fn reset(bench: &Bench<Machine<LINES>>, fence: vk::Fence) {
    // SAFETY: live handles.
    let result = unsafe { commands::reset_fences::<Machine<LINES>>()(bench.device, 1, &fence) };
    assert_eq!(result, vk::Result::SUCCESS);
}

#[test]
fn fences_are_signalled_and_reset_again_and_again() {
    let bench = Bench::<Machine<LINES>>::new();
    let signalled = vk::FenceCreateInfo::default().flags(vk::FenceCreateFlags::SIGNALED);
    let (fence, other) = (bench.fence(), bench.try_fence(&signalled).unwrap());
    assert_eq!((bench.status(fence), bench.status(other)), (vk::Result::NOT_READY, vk::Result::SUCCESS));
    for _ in 0..5 {
        // Resetting an unsignalled fence has no effect.
        reset(&bench, fence);
        assert_eq!(bench.wait(fence, 0), vk::Result::TIMEOUT);
        *bench.world().lazy.lock().unwrap() = true;
        assert_eq!(bench.submit(0, &[], &[], fence), vk::Result::SUCCESS);
        assert_eq!(bench.status(fence), vk::Result::NOT_READY);
        bench.world().finish();
        assert_eq!(bench.wait(fence, u64::MAX), vk::Result::SUCCESS);
        reset(&bench, fence);
    }
    reset(&bench, other);
    assert_eq!(bench.status(other), vk::Result::NOT_READY);
    assert!(bench.world().made.lock().unwrap().iter().all(|kind| *kind == 0), "timelines only");
    bench.destroy(&[], &[fence, other]);
}

/// The driver is given a timeline with the value of the signal, for the wait as for the signal.
#[test]
fn binary_semaphores_go_from_queue_to_queue() {
    let bench = Bench::<Machine<LINES>>::new();
    let (there, back) = (bench.binary(), bench.binary());
    for round in 0..4 {
        let waits: &[_] = if round == 0 { &[] } else { &[(back, 0)] };
        assert_eq!(bench.submit(0, waits, &[(there, 0)], NULL), vk::Result::SUCCESS);
        assert_eq!(bench.submit(1, &[(there, 0)], &[(back, 0)], NULL), vk::Result::SUCCESS);
    }
    // Waited for and signalled by one submission.
    assert_eq!(bench.submit(0, &[(back, 0)], &[(back, 0)], NULL), vk::Result::SUCCESS);
    assert_eq!(bench.submit(1, &[(back, 0)], &[], NULL), vk::Result::SUCCESS);
    let values: Vec<_> = bench.world().values.lock().unwrap().clone();
    let expected = [
        (&[][..], &[1][..]),
        (&[1], &[1]),
        (&[1], &[2]),
        (&[2], &[2]),
        (&[2], &[3]),
        (&[3], &[3]),
        (&[3], &[4]),
        (&[4], &[4]),
        (&[4], &[5]),
        (&[5], &[]),
    ];
    assert_eq!(values, expected.map(|(waits, signals)| (waits.to_vec(), signals.to_vec())));
    // SAFETY: a live handle.
    let idle = unsafe { commands::device_wait_idle::<Machine<LINES>>()(bench.device) };
    assert_eq!(idle, vk::Result::SUCCESS);
    bench.destroy(&[there, back], &[]);
}

/// A submission that the driver refuses uses up no value.
#[test]
fn a_refused_submission_uses_no_value_up() {
    let bench = Bench::<Machine<LINES>>::new();
    let (semaphore, fence) = (bench.binary(), bench.fence());
    assert_eq!(bench.submit(0, &[], &[(semaphore, 0)], NULL), vk::Result::SUCCESS);
    *bench.world().fails.lock().unwrap() = Err(crate::result::SubmitError::OutOfDeviceMemory);
    let refused = bench.submit(1, &[(semaphore, 0)], &[], fence);
    assert_eq!(refused, vk::Result::ERROR_OUT_OF_DEVICE_MEMORY);
    *bench.world().fails.lock().unwrap() = Ok(());
    assert_eq!(bench.submit(1, &[(semaphore, 0)], &[], fence), vk::Result::SUCCESS);
    assert_eq!(bench.wait(fence, u64::MAX), vk::Result::SUCCESS);
    let values = bench.world().values.lock().unwrap().clone();
    assert_eq!(values.last().unwrap(), &(std::vec![1], std::vec![1]));
    bench.destroy(&[semaphore], &[fence]);
}
