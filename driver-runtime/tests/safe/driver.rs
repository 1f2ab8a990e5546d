//! A driver without unsafe code that misuses the runtime.
#![forbid(unsafe_code)]

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::thread;

use vkload_driver_runtime::host::Linux;
use vkload_driver_runtime::prelude::*;
use vkload_driver_runtime::sync_object::SyncRef;
use vkload_driver_runtime::{NoThread, Thread, ThreadWork, Waiting, vk};

use crate::no_parts::no_parts;

pub(crate) struct Careless;

/// The driver's references to submissions, which outlive their device.
pub(crate) static KEPT: Mutex<Vec<SyncRef<Careless>>> = Mutex::new(Vec::new());

/// The work of threads that the host has not run.
pub(crate) static UNSTARTED: Mutex<Vec<ThreadWork>> = Mutex::new(Vec::new());

/// The number of times that the runtime has requested the host.
pub(crate) static ASKED: AtomicU32 = AtomicU32::new(0);

/// The device is to be lost.
pub(crate) static GONE: AtomicBool = AtomicBool::new(false);

/// The host keeps the work of threads instead of running it.
pub(crate) static KEEPS_WORK: AtomicBool = AtomicBool::new(false);

/// Submissions panic.
pub(crate) static PANICS: AtomicBool = AtomicBool::new(false);

/// A thread of a queue has come to its end, whether by returning or by a panic.
pub(crate) static ENDED: AtomicBool = AtomicBool::new(false);

struct End;

impl Drop for End {
    fn drop(&mut self) {
        ENDED.store(true, Ordering::Release);
    }
}

/// A host whose threads cannot be joined.
struct Unjoined;

impl Waiting for Unjoined {
    fn wait(&self, _: u32) {
        thread::yield_now();
    }
    fn thread(&self) -> usize {
        Linux.thread()
    }
}

impl Host for Unjoined {
    fn now(&self) -> u64 {
        Linux.now()
    }
    fn spawn(&self, work: ThreadWork) -> Result<Thread, NoThread> {
        if KEEPS_WORK.load(Ordering::Acquire) {
            UNSTARTED.lock().expect("the list").push(work);
        } else {
            thread::spawn(|| {
                let _end = End;
                work.run();
            });
        }
        Ok(Thread::new(0, |_| {}))
    }
}

impl Driver for Careless {
    no_parts!();
    type Sync = AtomicU64;
    const SYNC_TYPES: &'static [SyncType] = &[
        SyncType::new(Ability::BINARY.and(Ability::GPU_WAIT).and(Ability::CPU_WAIT).and(Ability::CPU_RESET)),
        SyncType::EMULATED_TIMELINE,
    ];

    fn host() -> &'static dyn Host {
        ASKED.fetch_add(1, Ordering::AcqRel);
        &Unjoined
    }
    fn enumerate(_: &Instance<Self>, found: &mut Enumeration<'_, Self>) -> Result<Search, EnumerateError> {
        let mut known = Description::new(b"careless", vk::API_VERSION_1_3, vk::PhysicalDeviceType::OTHER);
        known.queue_family_count = 1;
        known.queue_families[0].queue_count = 1;
        found.push(known, ())?;
        Ok(Search::Done)
    }
    fn submits_slowly(_: &PhysicalDevice<Self>, _: &()) -> bool {
        true
    }
    fn create_sync(_: &Device<Self>, _: usize, initial: u64) -> Result<AtomicU64, SubmitError> {
        Ok(initial.into())
    }
    fn submit(_: &Queue<Self>, work: &Work<'_, Self>) -> Result<(), SubmitError> {
        assert!(!PANICS.load(Ordering::Acquire), "the driver gives up");
        work.waits.iter().for_each(|wait| wait.done());
        for signal in work.signals {
            KEPT.lock().expect("the list").push(signal.sync.clone());
            signal.done();
        }
        Ok(())
    }
    fn check_status(device: &Device<Self>) -> Result<(), Lost> {
        if GONE.load(Ordering::Acquire) { Err(device.set_lost("it is gone")) } else { Ok(()) }
    }
}
