//! What is used again and again does not grow.

use ash::vk;

use super::bench::Bench;
use super::machine::{EMULATED, Machine, SLOW};
use crate::testing::Ledger;

const NULL: vk::Fence = vk::Fence::null();

/// Submits `count` times what goes from one value of a timeline to the next, and lets the queue finish every `rest` times. Returns
/// the most blocks of memory that were there at once, and how many objects the driver has made.
fn most<const MODE: u8>(count: u64, rest: u64, waits: bool) -> (usize, usize) {
    let ledger = Ledger::default();
    let callbacks = ledger.callbacks();
    let bench = Bench::<Machine<MODE>>::with_memory(Some(&callbacks));
    let (line, mut most) = (bench.line(), 0);
    *bench.world().lazy.lock().unwrap() = rest > 1;
    for value in 0..count {
        let wait = [(line, value)];
        bench.give(0, if waits { &wait } else { &[] }, &[(line, value + 1)], NULL);
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

/// Nobody asks for the value, so submitting is what has to notice that it was reached.
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
    // How far the thread is behind is up to the system, but what it is done with goes.
    assert!(blocks < 10_000);
}
