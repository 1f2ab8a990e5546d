//! Waiting application threads sleep, and every event that ends the wait wakes them. The system of these tests has no
//! deadlines, so a lost wake-up makes a test hang.

use std::thread;

use ash::vk;

use super::bench::{Bench, until};
use super::machine::{Machine, WAKING, sleeps_at};

const NULL: vk::Fence = vk::Fence::null();
const SUCCESS: vk::Result = vk::Result::SUCCESS;
const EVER: u64 = u64::MAX;

type Waking = Bench<Machine<WAKING>>;

/// Lets a thread wait, and calls `wake` when it sleeps. Returns the wait's result.
fn woken(bench: &Waking, wait: impl Fn() -> vk::Result + Sync, wake: impl FnOnce()) -> vk::Result {
    thread::scope(|scope| {
        let waiting = scope.spawn(&wait);
        until(|| sleeps_at(bench.get().event_count().word()));
        wake();
        waiting.join().unwrap()
    })
}

fn lazy() -> Waking {
    let bench = Waking::new();
    *bench.world().lazy.lock().unwrap() = true;
    bench
}

#[test]
fn who_waits_for_a_fence_sleeps_until_the_queue_signals_it() {
    let bench = lazy();
    let fences = [bench.fence(), bench.fence()];
    for all in [true, false] {
        bench.submit_ok(0, &[], &[], fences[0]);
        bench.submit_ok(0, &[], &[], fences[1]);
        let waited = woken(&bench, || bench.wait_for(&fences, all, EVER), || bench.world().finish());
        assert_eq!(waited, SUCCESS);
        fences.iter().for_each(|fence| bench.reset(*fence));
        // The driver receives the list of objects to wait for.
        assert_eq!(bench.world().waits.lock().unwrap().remove(0), (2, all));
        bench.world().waits.lock().unwrap().clear();
    }
    bench.destroy(&[], &fences);
}

#[test]
fn who_waits_for_queues_sleeps() {
    let bench = lazy();
    bench.submit_ok(0, &[], &[], NULL);
    thread::scope(|scope| {
        let waiting = scope.spawn(|| bench.wait_idle());
        // Each queue has a sleep of its own.
        for _ in bench.get().queues() {
            until(|| sleeps_at(bench.get().event_count().word()));
            bench.world().finish();
            until(|| !sleeps_at(bench.get().event_count().word()) || bench.world().has_left());
        }
        assert_eq!(waiting.join().unwrap(), SUCCESS);
    });
}

/// Nothing was submitted when the wait begins; the host signals the value that a held submission waits for.
#[test]
fn who_waits_for_something_that_is_held_back_is_woken_by_what_releases_it() {
    let bench = lazy();
    let (line, fence) = (bench.timeline(), bench.fence());
    bench.submit_ok(0, &[(line, 1)], &[(line, 2)], fence);
    let waited = woken(
        &bench,
        || bench.wait(fence, EVER),
        || {
            bench.signal(line, 1);
            bench.world().finish();
        },
    );
    assert_eq!((waited, bench.value(line)), (SUCCESS, 2));
    // A value without any submission to signal it.
    let waited = woken(
        &bench,
        || bench.wait_value(line, 3),
        || {
            bench.submit_ok(1, &[], &[(line, 3)], NULL);
            bench.world().finish();
        },
    );
    assert_eq!(waited, SUCCESS);
    let waited = woken(&bench, || bench.wait_value(line, 4), || bench.signal(line, 4));
    assert_eq!(waited, SUCCESS);
    bench.destroy(&[line], &[fence]);
}

#[test]
fn a_loss_of_the_device_wakes() {
    let bench = lazy();
    let fence = bench.fence();
    bench.submit_ok(0, &[], &[], fence);
    let lose = || {
        let _ = bench.get().set_lost("the test says so");
    };
    assert_eq!(woken(&bench, || bench.wait(fence, EVER), lose), vk::Result::ERROR_DEVICE_LOST);
    bench.world().finish();
    bench.destroy(&[], &[fence]);
}

/// Signals come at any moment, also between a look and the sleep that follows.
#[test]
fn no_wake_up_is_lost() {
    let bench = lazy();
    let line = bench.timeline();
    let last = if cfg!(miri) { 20 } else { 2000 };
    thread::scope(|scope| {
        scope.spawn(|| {
            for value in 1..=last {
                bench.submit_ok(0, &[(line, value - 1)], &[(line, value)], NULL);
                bench.world().finish();
            }
        });
        for value in 1..=last {
            assert_eq!(bench.wait_value(line, value), SUCCESS);
        }
    });
    bench.destroy(&[line], &[]);
}
