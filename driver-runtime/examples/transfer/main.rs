//! A driver that fills and copies buffers and computes with them: without a GPU, on the threads of its queues.
//!
//! It has memory, buffers, events, timelines and their recorded commands, so that programs which only transfer run on
//! it. `execute.rs` implements the recorded commands. The runtime does the rest: it records command buffers and
//! replays them, has a thread for each queue, and keeps the order of submissions. The runtime's README describes how
//! to build the driver and how a loader finds it.

mod compute;
mod execute;
mod memory;
mod shader;

use std::sync::Mutex;
use std::sync::atomic::AtomicU64;

use vkload_driver_runtime::command_buffer::{self, CommandBuffers, CommandPool, Recording};
use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::features::{Features, name};
use vkload_driver_runtime::host::Linux;
use vkload_driver_runtime::prelude::*;
use vkload_driver_runtime::registry::{ExtensionSet, extension};
use vkload_driver_runtime::{default_commands, entry_points, events, vk};

pub struct Transfer;

impl Driver for Transfer {
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
    const COMMANDS: EntryPoints<Self> = command_buffer::entry_points::<Self>()
        .and(&memory::COMMANDS)
        .and(&compute::COMMANDS)
        .and(&events::entry_points())
        .and(&FORMATS);
    const DEFAULTS: EntryPoints<Self> = default_commands();

    fn host() -> &'static dyn Host {
        &Linux
    }

    fn api_version() -> u32 {
        vk::API_VERSION_1_3
    }

    /// Returns the extension whose messengers receive the runtime's messages.
    fn instance_extensions() -> ExtensionSet {
        ExtensionSet::new(&[extension::EXT_DEBUG_UTILS])
    }

    fn create_instance(_: &InstanceRequest<'_>) -> Result<(), CreateInstanceError> {
        Ok(())
    }

    fn enumerate(_: &Instance<Self>, found: &mut Enumeration<'_, Self>) -> Result<Search, EnumerateError> {
        found.push(describe(), ())?;
        Ok(Search::Done)
    }

    fn create_device(_: &PhysicalDevice<Self>, _: &DeviceRequest<'_>) -> Result<(), CreateDeviceError> {
        Ok(())
    }

    /// A submission takes as long as its command buffers do, so each queue has a thread for them.
    fn submits_slowly(_: &PhysicalDevice<Self>, _: &()) -> bool {
        true
    }
    fn create_queue(_: &Device<Self>, _: QueueInfo) -> Result<(), CreateDeviceError> {
        Ok(())
    }

    fn create_sync(_: &Device<Self>, _: usize, initial: u64) -> Result<AtomicU64, SubmitError> {
        Ok(initial.into())
    }

    /// Runs the work at once. The signals that it waits for have occurred: their work was submitted earlier, to this
    /// queue or to another that has signalled them.
    fn submit(_: &Queue<Self>, work: &Work<'_, Self>) -> Result<(), SubmitError> {
        for wait in work.waits {
            wait.done();
        }
        for commands in work.commands {
            // SAFETY: the application keeps what it submits until it is done.
            unsafe { execute::execute(*commands) };
        }
        for signal in work.signals {
            signal.done();
        }
        Ok(())
    }
}

impl CommandBuffers for Transfer {
    type CommandBuffer = Mutex<compute::State>;

    const RECORDING: Recording<Self> = Recording::All(&execute::COMMANDS);

    fn create_command_buffer(
        _: &CommandPool<Self>,
        _: vk::CommandBufferLevel,
    ) -> Result<Self::CommandBuffer, CommandBufferError> {
        Ok(Mutex::default())
    }
}

/// Describes the only physical device. Unset limits have the minimum that the specification requires.
fn describe() -> Description {
    let mut device = Description::new(b"transfer", vk::API_VERSION_1_3, vk::PhysicalDeviceType::CPU);
    device.features = Features::NONE.with(name::TIMELINE_SEMAPHORE).with(name::SYNCHRONIZATION_2);
    device.memory.memory_heap_count = 1;
    device.memory.memory_heaps[0] =
        vk::MemoryHeap { size: memory::HEAP, flags: vk::MemoryHeapFlags::DEVICE_LOCAL };
    device.memory.memory_type_count = 1;
    device.memory.memory_types[0].property_flags = vk::MemoryPropertyFlags::DEVICE_LOCAL
        | vk::MemoryPropertyFlags::HOST_VISIBLE
        | vk::MemoryPropertyFlags::HOST_COHERENT;
    device.queue_family_count = 1;
    // Events are commands of queues that compute.
    device.queue_families[0].queue_flags = vk::QueueFlags::COMPUTE | vk::QueueFlags::TRANSFER;
    device.queue_families[0].queue_count = 4;
    device
}

/// The driver has no images, so every format query reports no support.
// SAFETY: each function implements its command, with the objects of this driver.
const FORMATS: EntryPoints<Transfer> = unsafe {
    entry_points! {
        GetPhysicalDeviceFormatProperties2 = |call| {
            call.format_properties.as_mut().format_properties = vk::FormatProperties::default();
        },
        GetPhysicalDeviceImageFormatProperties2 = |_| vk::Result::ERROR_FORMAT_NOT_SUPPORTED,
    }
};

vkload_driver_runtime::export_icd!(Transfer);
