//! Queues with threads. Nothing sleeps and nothing is timed: tests wait for other threads.

use std::sync::atomic::Ordering;
use std::thread;
use std::vec::Vec;

use ash::vk;

use super::bench::{Bench, until};
use super::machine::{ASSISTED, EMULATED, JOINED, Machine, NATIVE, REFUSES, SETTING, SLOW, STARTED};
use crate::result::SubmitError;
use crate::sync_object::{SubmitMode, TimelineMode};
use crate::testing::Ledger;

type Assisted = Bench<Machine<ASSISTED>>;

const NULL: vk::Fence = vk::Fence::null();

fn ran_here<const MODE: u8>(bench: &Bench<Machine<MODE>>) -> Vec<bool> {
    bench.world().list().iter().map(|given| given.thread == thread::current().id()).collect()
}

fn threads() -> (u32, u32) {
    (STARTED.get(), JOINED.get())
}

#[test]
fn devices_have_the_modes_of_their_types() {
    let rows = [
        (modes::<ASSISTED>(), TimelineMode::Assisted, SubmitMode::ThreadedIfNeeded),
        (modes::<EMULATED>(), TimelineMode::Emulated, SubmitMode::Deferred),
        (modes::<NATIVE>(), TimelineMode::Native, SubmitMode::Immediate),
        (modes::<SLOW>(), TimelineMode::Emulated, SubmitMode::Threaded),
    ];
    for (has, timelines, submit) in rows {
        assert_eq!(has, (timelines, submit));
    }
}

fn modes<const MODE: u8>() -> (TimelineMode, SubmitMode) {
    let bench = Bench::<Machine<MODE>>::new();
    (bench.get().sync_types().timeline_mode(), bench.get().submit_mode())
}

#[test]
fn a_queue_has_a_thread_from_the_first_wait_that_cannot_be_given() {
    let bench = Assisted::new();
    let (fence, line) = (bench.fence(), bench.timeline());
    bench.submit_ok(0, &[], &[(line, 1)], NULL);
    bench.submit_ok(1, &[(line, 1)], &[], NULL);
    assert_eq!((ran_here(&bench), threads()), (std::vec![true, true], (0, 0)));
    bench.submit_ok(0, &[(line, 2)], &[(line, 3)], fence);
    assert_eq!((threads(), bench.wait(fence, 0), bench.value(line)), ((1, 0), vk::Result::TIMEOUT, 1));
    bench.signal(line, 2);
    assert_eq!((bench.wait(fence, u64::MAX), bench.value(line)), (vk::Result::SUCCESS, 3));
    bench.reset(fence);
    bench.submit_ok(1, &[(line, 3)], &[], NULL);
    bench.submit_ok(0, &[], &[], fence);
    assert_eq!(bench.wait(fence, u64::MAX), vk::Result::SUCCESS);
    assert_eq!((bench.world().queues(), threads()), (std::vec![0, 1, 0, 1, 0], (1, 0)));
    assert_eq!(ran_here(&bench), [true, true, false, true, false]);
    bench.destroy(&[line], &[fence]);
    drop(bench);
    assert_eq!(threads(), (1, 1));
}

#[test]
fn the_user_decides_about_threads() {
    for (setting, here, count) in [(Some(true), false, 1), (Some(false), true, 0)] {
        SETTING.set(setting);
        STARTED.set(0);
        let bench = Assisted::new();
        let (fence, line) = (bench.fence(), bench.timeline());
        bench.submit_ok(0, &[], &[], fence);
        assert_eq!(bench.wait(fence, u64::MAX), vk::Result::SUCCESS);
        bench.reset(fence);
        bench.submit_ok(0, &[(line, 1)], &[], fence);
        bench.signal(line, 1);
        assert_eq!(bench.wait(fence, u64::MAX), vk::Result::SUCCESS);
        assert_eq!((ran_here(&bench), STARTED.get()), (std::vec![here; 2], count), "{setting:?}");
        bench.destroy(&[line], &[fence]);
    }
}

#[test]
fn without_threads_lists_go_on_with_the_calls_of_the_application() {
    REFUSES.set(true);
    for setting in [None, Some(true)] {
        SETTING.set(setting);
        let bench = Assisted::new();
        let (fence, line) = (bench.fence(), bench.timeline());
        bench.submit_ok(0, &[(line, 2)], &[(line, 3)], fence);
        bench.submit_ok(1, &[(line, 1)], &[(line, 2)], NULL);
        bench.signal(line, 1);
        assert_eq!((bench.world().queues(), ran_here(&bench)), (std::vec![1, 0], std::vec![true; 2]));
        assert_eq!((bench.wait(fence, 0), threads()), (vk::Result::SUCCESS, (0, 0)));
        bench.destroy(&[line], &[fence]);
    }
}

#[test]
fn a_driver_that_submits_slowly_has_threads_with_any_timelines() {
    let bench = Bench::<Machine<SLOW>>::new();
    let (fence, line) = (bench.fence(), bench.timeline());
    bench.submit_ok(0, &[(line, 1)], &[(line, 2)], fence);
    bench.submit_ok(1, &[], &[(line, 1)], NULL);
    assert_eq!((bench.wait(fence, u64::MAX), bench.value(line)), (vk::Result::SUCCESS, 2));
    assert_eq!((bench.world().queues(), ran_here(&bench)), (std::vec![1, 0], std::vec![false; 2]));
    assert_eq!(threads(), (2, 0));
    bench.destroy(&[line], &[fence]);
}

#[test]
fn a_thread_goes_on_when_another_process_has_submitted_something() {
    let bench = Assisted::new();
    let (fence, line) = (bench.fence(), bench.timeline());
    let state = super::sharing::share_timeline(&bench, line);
    bench.submit_ok(0, &[(line, 5)], &[], fence);
    assert_eq!((threads().0, bench.world().queues().len()), (1, 0));
    state.pending.store(5, Ordering::SeqCst);
    // No thread of the application waits in the runtime.
    until(|| bench.world().queues() == [0]);
    assert_eq!(bench.wait(fence, u64::MAX), vk::Result::SUCCESS);
    bench.destroy(&[line], &[fence]);
}

#[test]
fn what_fails_in_a_thread_is_a_loss() {
    let bench = Assisted::new();
    let (fence, line) = (bench.fence(), bench.timeline());
    bench.submit_ok(0, &[(line, 1)], &[], fence);
    bench.submit_ok(0, &[], &[], NULL);
    *bench.world().fails.lock().unwrap() = Err(SubmitError::OutOfDeviceMemory);
    bench.signal(line, 1);
    assert_eq!(bench.wait(fence, u64::MAX), vk::Result::ERROR_DEVICE_LOST);
    *bench.world().fails.lock().unwrap() = Ok(());
    assert_eq!(bench.submit(1, &[], &[], NULL), vk::Result::ERROR_DEVICE_LOST);
    assert_eq!(bench.wait_idle(), vk::Result::ERROR_DEVICE_LOST);
    let reasons: Vec<_> = bench.get().queues().iter().map(|queue| queue.lost_reason()).collect();
    assert_eq!(reasons, [Some("a submission that was held back failed"), None, None, None]);
    assert_eq!(bench.get().lost_reason(), reasons[0]);
    bench.destroy(&[line], &[fence]);
    drop(bench);
    assert_eq!(threads(), (1, 1));
}

#[test]
fn a_device_is_destroyed_whatever_its_threads_wait_for() {
    let bench = Assisted::new();
    let (here, elsewhere) = (bench.timeline(), bench.timeline());
    let _state = super::sharing::share_timeline(&bench, elsewhere);
    bench.submit_ok(0, &[(here, 1)], &[(here, 2)], NULL);
    bench.submit_ok(1, &[(elsewhere, 1)], &[], NULL);
    bench.submit_ok(2, &[(here, 7), (elsewhere, 7)], &[], NULL);
    bench.destroy(&[here, elsewhere], &[]);
    drop(bench);
    assert_eq!(threads(), (3, 3));
}

#[test]
fn chains_through_all_queues_end_on_any_thread() {
    fn chain<const MODE: u8>() {
        let bench = Bench::<Machine<MODE>>::new();
        let (line, fence) = (bench.timeline(), bench.fence());
        let last = if cfg!(miri) { 6 } else { 200 };
        // The wait for the end comes first, on its own queue.
        bench.submit_ok(3, &[(line, last)], &[], fence);
        thread::scope(|scope| {
            scope.spawn(|| {
                for value in 1..=last {
                    bench.submit_ok((value % 3) as u32, &[(line, value - 1)], &[(line, value)], NULL);
                }
            });
            assert_eq!(bench.wait(fence, u64::MAX), vk::Result::SUCCESS);
        });
        assert_eq!((bench.value(line), bench.wait_idle()), (last, vk::Result::SUCCESS));
        bench.destroy(&[line], &[fence]);
    }
    chain::<ASSISTED>();
    chain::<EMULATED>();
    chain::<SLOW>();
}

#[test]
fn callbacks_are_called_by_threads_of_the_application_only() {
    for assisted in [true, false] {
        let ledger = Ledger::default();
        let callbacks = ledger.callbacks();
        if assisted {
            work::<ASSISTED>(&callbacks)
        } else {
            work::<SLOW>(&callbacks)
        }
        assert_eq!((ledger.threads().len(), ledger.live_blocks()), (1, 0));
    }
    assert!(STARTED.get() >= 2);
}

fn work<const MODE: u8>(callbacks: &vk::AllocationCallbacks<'_>) {
    let bench = Bench::<Machine<MODE>>::with_memory(Some(callbacks));
    let (line, binary, fence) = (bench.timeline(), bench.binary(), bench.fence());
    for round in 0..10 {
        bench.submit_ok(0, &[(line, round * 2 + 1)], &[(line, round * 2 + 2), (binary, 0)], NULL);
        bench.submit_ok(1, &[(binary, 0)], &[], fence);
        bench.signal(line, round * 2 + 1);
        assert_eq!(bench.wait(fence, u64::MAX), vk::Result::SUCCESS);
        bench.reset(fence);
        assert_eq!(bench.value(line), round * 2 + 2);
    }
    assert_eq!(bench.wait_idle(), vk::Result::SUCCESS);
    bench.destroy(&[line, binary], &[fence]);
}
