//! The driver of the README as a shared library: a test compares the two.
#![allow(
    clippy::expect_used,
    clippy::undocumented_unsafe_blocks,
    clippy::missing_safety_doc,
    dead_code,
    missing_docs,
    reason = "the text around it explains it"
)]

use std::sync::atomic::AtomicU64;
use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::host::Linux;
use vkload_driver_runtime::prelude::*;
use vkload_driver_runtime::{Object, VkObject, calls, vk};

pub struct Small;

// Its own objects: a type behind each handle, and the commands that create them.

pub struct Buffer {
    pub size: u64,
}

// SAFETY: no other type is behind such handles.
unsafe impl VkObject for Buffer {
    type Handle = vk::Buffer;
    type Parent = Device<Small>;
}

fn create_buffer(call: &calls::CreateBuffer<'_>) -> vk::Result {
    let buffer = Buffer { size: call.create_info.size };
    unsafe { Object::create_command(call.device, call.allocator.as_ptr(), call.buffer.as_ptr(), buffer) }
}

// The driver: its parts of the runtime's objects, and its commands.

impl Driver for Small {
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
    // SAFETY: each function does what its command demands, with the objects of this driver.
    const COMMANDS: EntryPoints<Self> = unsafe {
        entry_points! {
            CreateBuffer = create_buffer,
            DestroyBuffer = |call| Object::<Buffer>::destroy(call.buffer, call.allocator.as_ptr()),
        }
    };

    fn host() -> &'static dyn Host {
        &Linux
    }
    fn api_version() -> u32 {
        vk::API_VERSION_1_3
    }
    fn create_instance(_: &InstanceRequest<'_>) -> Result<(), CreateInstanceError> {
        Ok(())
    }
    fn enumerate(_: &Instance<Self>, found: &mut Enumeration<'_, Self>) -> Result<Search, EnumerateError> {
        let mut device = Description::new(b"small", vk::API_VERSION_1_3, vk::PhysicalDeviceType::OTHER);
        device.queue_family_count = 1;
        device.queue_families[0].queue_flags = vk::QueueFlags::TRANSFER;
        device.queue_families[0].queue_count = 1;
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

// In a crate of the type `cdylib` this makes it a driver that any Vulkan loader takes:
vkload_driver_runtime::export_icd!(Small);
