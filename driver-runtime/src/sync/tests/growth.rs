//! Memory does not grow with repeated use.

use ash::vk;

use super::bench::Bench;
use super::machine::{EMULATED, Machine, SLOW};
use crate::testing::Ledger;

const NULL: vk::Fence = vk::Fence::null();

/// Submits the step from one value of a timeline to the next `count` times, and lets the queue finish every `rest`
/// times. Returns the maximum number of memory blocks at one time, and the number of objects that the driver has
/// created.
fn most<const MODE: u8>(count: u64, rest: u64, waits: bool) -> (usize, usize) {
    let ledger = Ledger::default();
    let callbacks = ledger.callbacks();
    let bench = Bench::<Machine<MODE>>::with_memory(Some(&callbacks));
    let (line, mut most) = (bench.timeline(), 0);
    *bench.world().lazy.lock().unwrap() = rest > 1;
    for value in 0..count {
        let wait = [(line, value)];
        bench.submit_ok(0, if waits { &wait } else { &[] }, &[(line, value + 1)], NULL);
        if rest > 1 && value % rest == rest - 1 {
            bench.world().finish();
        }
        most = most.max(ledger.live_blocks());
        bench.world().list().clear();
    }
    *bench.world().lazy.lock().unwrap() = false;
    bench.world().finish();
    assert_eq!(bench.wait_idle(), vk::Result::SUCCESS);
    assert_eq!(bench.value(line), count);
    let made = bench.world().made.lock().unwrap().len();
    bench.destroy(&[line], &[]);
    drop(bench);
    assert_eq!(ledger.live_blocks(), 0);
    (most, made)
}

/// The application never queries the value, so submitting must notice that it was reached.
#[test]
fn timelines_that_only_queues_use_do_not_grow() {
    let (few, many) = if cfg!(miri) { (20, 60) } else { (100, 3000) };
    for waits in [true, false] {
        for rest in [1, 8] {
            assert_eq!(most::<EMULATED>(few, rest, waits), most::<EMULATED>(many, rest, waits));
        }
    }
}

#[test]
fn timelines_of_queues_with_threads_do_not_grow() {
    let (blocks, _) = most::<SLOW>(if cfg!(miri) { 20 } else { 2000 }, 1, false);
    // The system decides how far the thread lags, but finished submissions are freed.
    assert!(blocks < 10_000);
}
