//! A driver for `cargo bench -p vkload-tests -- --driver`, which compares the cost of a runtime-based driver with
//! lavapipe. It runs everything at once on the submitting thread, so that the benchmark measures only the runtime and
//! the data that any driver keeps.
#![allow(
    clippy::undocumented_unsafe_blocks,
    clippy::missing_safety_doc,
    missing_docs,
    dead_code,
    reason = "every function is called as the specification has it"
)]

mod objects;

use std::sync::atomic::AtomicU64;

use vkload_driver_runtime::command_buffer;
use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::features::Features;
use vkload_driver_runtime::prelude::*;
use vkload_driver_runtime::{Waiting, vk};

pub(crate) struct Bench;

impl Driver for Bench {
    type Instance = ();
    type PhysicalDevice = ();
    type Device = ();
    type Queue = ();
    type Sync = AtomicU64;

    const SYNC_TYPES: &'static [SyncType] = &[
        SyncType::new(
            Ability::BINARY
                .and(Ability::GPU_WAIT)
                .and(Ability::CPU_WAIT)
                .and(Ability::CPU_RESET)
                .and(Ability::WAKES),
        ),
        SyncType::EMULATED_TIMELINE,
    ];
    const COMMANDS: EntryPoints<Self> = objects::COMMANDS.and(&command_buffer::entry_points::<Self>());

    fn host() -> &'static dyn Host {
        &System
    }
    fn api_version() -> u32 {
        vk::API_VERSION_1_3
    }
    fn create_instance(_: &InstanceRequest<'_>) -> Result<(), CreateInstanceError> {
        Ok(())
    }
    fn enumerate(_: &Instance<Self>, found: &mut Enumeration<'_, Self>) -> Result<Search, EnumerateError> {
        let mut device = Description::new(b"bench", vk::API_VERSION_1_3, vk::PhysicalDeviceType::OTHER);
        device.queue_family_count = 1;
        device.queue_families[0].queue_flags = vk::QueueFlags::TRANSFER;
        device.queue_families[0].queue_count = 1;
        device.features = Features::core(3);
        found.push(device, ())?;
        Ok(Search::Done)
    }
    fn create_device(_: &PhysicalDevice<Self>, _: &DeviceRequest<'_>) -> Result<(), CreateDeviceError> {
        Ok(())
    }
    fn create_queue(_: &Device<Self>, _: QueueInfo) -> Result<(), CreateDeviceError> {
        Ok(())
    }
    fn create_sync(_: &Device<Self>, _: usize, initial: u64) -> Result<AtomicU64, SubmitError> {
        Ok(initial.into())
    }
    fn submit(_: &Queue<Self>, work: &Work<'_, Self>) -> Result<(), SubmitError> {
        work.waits.iter().for_each(|wait| wait.done());
        work.signals.iter().for_each(|signal| signal.done());
        Ok(())
    }
}

struct System;

impl Waiting for System {
    fn wait(&self, _: u32) {
        std::thread::yield_now();
    }
    fn thread(&self) -> usize {
        thread_local!(static HERE: usize = const { 0 });
        HERE.with(|here| std::ptr::from_ref(here) as usize)
    }
}

impl Host for System {
    fn now(&self) -> u64 {
        static START: std::sync::LazyLock<std::time::Instant> =
            std::sync::LazyLock::new(std::time::Instant::now);
        START.elapsed().as_nanos() as u64
    }
}

vkload_driver_runtime::export_icd!(Bench);
