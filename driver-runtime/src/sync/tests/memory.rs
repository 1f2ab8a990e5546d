//! Memory that other processes work with, and that is waited for and signalled without semaphores of theirs.

use std::sync::atomic::Ordering;
use std::thread;

use ash::vk::{self, Handle};

use super::bench::Bench;
use super::machine::{ASSISTED, EMULATED, Machine, NATIVE};
use crate::device::Queue;
use crate::object::Object;

const NULL: vk::Fence = vk::Fence::null();

fn memory() -> vk::DeviceMemory {
    vk::DeviceMemory::from_raw(7)
}

fn queue<const MODE: u8>(bench: &Bench<Machine<MODE>>, index: u32) -> &Queue<Machine<MODE>> {
    // SAFETY: the handle is live as long as the bench.
    unsafe { Object::from_handle(bench.queue(index)) }.unwrap()
}

#[test]
fn fences_and_semaphores_follow_memory_once() {
    fn follow<const MODE: u8>() {
        let bench = Bench::<Machine<MODE>>::new();
        let (fence, binary) = (bench.fence(), bench.binary());
        let state = bench.world().memory.clone();
        *bench.world().knows_memory.lock().unwrap() = true;
        state.pending.store(1, Ordering::SeqCst);
        // SAFETY: live handles that nothing works with.
        unsafe {
            bench.get().signal_fence_with_memory(fence, memory()).unwrap();
            bench.get().signal_semaphore_with_memory(binary, memory()).unwrap();
        }
        assert_eq!(bench.status(fence), vk::Result::NOT_READY);
        state.value.store(1, Ordering::SeqCst);
        assert_eq!(bench.status(fence), vk::Result::SUCCESS);
        bench.reset(fence);
        assert_eq!((bench.status(fence), state.value.load(Ordering::SeqCst)), (vk::Result::NOT_READY, 1));
        // The semaphore waits for the memory, and is its own again.
        bench.submit_ok(0, &[(binary, 0)], &[], NULL);
        assert_eq!(state.value.load(Ordering::SeqCst), 0);
        bench.submit_ok(0, &[], &[(binary, 0)], NULL);
        bench.submit_ok(0, &[(binary, 0)], &[], fence);
        assert_eq!(bench.wait(fence, u64::MAX), vk::Result::SUCCESS);
        bench.destroy(&[binary], &[fence]);
    }
    follow::<ASSISTED>();
    follow::<EMULATED>();
    follow::<NATIVE>();
}

#[test]
fn without_a_driver_that_knows_memory_nothing_is_waited_for() {
    let bench = Bench::<Machine<EMULATED>>::new();
    let (fence, binary) = (bench.fence(), bench.binary());
    // SAFETY: live handles that nothing works with.
    unsafe {
        bench.get().signal_fence_with_memory(fence, memory()).unwrap();
        bench.get().signal_semaphore_with_memory(binary, memory()).unwrap();
        assert_eq!(bench.status(fence), vk::Result::SUCCESS);
        bench.reset(fence);
        queue(&bench, 0).signal_memory(&[binary], memory(), fence).unwrap();
    }
    assert_eq!((bench.wait(fence, 0), bench.world().queues().len()), (vk::Result::SUCCESS, 1));
    bench.destroy(&[binary], &[fence]);
}

/// When the call has returned the driver has the signal, even if a thread has to give it and something has to be waited for.
#[test]
fn a_signal_of_memory_was_given_when_the_call_returns() {
    fn signal<const MODE: u8>() {
        let bench = Bench::<Machine<MODE>>::new();
        *bench.world().knows_memory.lock().unwrap() = true;
        *bench.world().lazy.lock().unwrap() = true;
        let (line, binary, fence) = (bench.timeline(), bench.binary(), bench.fence());
        bench.submit_ok(0, &[(line, 1)], &[(binary, 0)], NULL);
        thread::scope(|scope| {
            scope.spawn(|| bench.signal(line, 1));
            // SAFETY: live handles; no other thread submits to the queue.
            unsafe { queue(&bench, 1).signal_memory(&[binary], memory(), fence).unwrap() };
            assert_eq!(bench.world().queues(), [0, 1]);
        });
        let value = || bench.world().memory.value.load(Ordering::SeqCst);
        assert_eq!((value(), bench.status(fence)), (0, vk::Result::NOT_READY));
        bench.world().finish();
        assert_eq!((value(), bench.status(fence)), (1, vk::Result::SUCCESS));
        bench.destroy(&[line, binary], &[fence]);
    }
    signal::<ASSISTED>();
    signal::<EMULATED>();
}
