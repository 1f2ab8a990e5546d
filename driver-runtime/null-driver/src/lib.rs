//! A Vulkan driver without a GPU.
//!
//! It has every command of the registry. Objects are created, memory is host memory that can be mapped; buffers and
//! images are filled, updated, copied and cleared when a queue reaches the command; queries have results, fences and
//! semaphores signal. Nothing is drawn and no shader runs. It serves to test loaders, and as the longest example of a
//! driver on [`vkload_driver_runtime`].
//!
//! The variable `VKLOAD_NULL_DRIVER` shapes it: see [`scenario`].
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod checkpoints;
mod commands;
mod defaults;
mod description;
mod descriptors;
mod device;
mod dispatchable;
mod events;
mod extensions;
mod external;
mod heaps;
mod host;
mod image;
mod look_up;
mod memory;
mod native_buffer;
mod objects;
mod outcome;
mod physical_device;
mod pipelines;
mod queries;
mod rendering;
mod resource;
mod runtime;
pub mod scenario;
mod surface;
mod watch;

use vkload_driver_runtime::Chainable;
use vkload_driver_runtime::dispatch::{Command, EntryPoints, PrivateCommand};
use vkload_driver_runtime::extensions::Unlisted;
use vkload_driver_runtime::prelude::*;
use vkload_driver_runtime::registry::ExtensionSet;
use vkload_driver_runtime::trace::TraceSettings;
use vkload_driver_runtime::{headless, vk};

pub use look_up::{get_instance_proc_addr, get_physical_device_proc_addr, negotiate};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

pub struct Null;

impl Driver for Null {
    type Instance = ();
    type PhysicalDevice = heaps::Heaps;
    type Device = ();
    type Queue = checkpoints::Checkpoints;
    type Sync = host::Value;

    const SYNC_TYPES: &'static [SyncType] = external::SYNC_TYPES;

    const COMMANDS: EntryPoints<Self> = look_up::COMMANDS
        .and(&dispatchable::COMMANDS)
        .and(&physical_device::COMMANDS)
        .and(&memory::COMMANDS)
        .and(&resource::COMMANDS)
        .and(&image::COMMANDS)
        .and(&commands::COMMANDS)
        .and(&descriptors::COMMANDS)
        .and(&queries::COMMANDS)
        .and(&events::COMMANDS)
        .and(&checkpoints::COMMANDS)
        .and(&objects::COMMANDS)
        .and(&rendering::COMMANDS)
        .and(&pipelines::COMMANDS)
        .and(&surface::COMMANDS)
        .and(&external::COMMANDS)
        .and(&defaults::BY_HAND);
    const WINDOW_SYSTEM: EntryPoints<Self> = headless::entry_points::<Self>();
    // SAFETY: the function takes no parameters, and the driver draws nothing.
    const DEFAULTS: EntryPoints<Self> = unsafe { defaults::COMMANDS.with_all("vkCmd", ignore_command()) };

    /// Timestamps use the host's clock, which is therefore the device's clock, unless the scenario has one.
    const TIME_DOMAINS: &'static [vk::TimeDomainKHR] = &[
        vk::TimeDomainKHR::DEVICE,
        vk::TimeDomainKHR::CLOCK_MONOTONIC,
        vk::TimeDomainKHR::CLOCK_MONOTONIC_RAW,
    ];

    const HAL_DEVICE_EXTENSIONS: Unlisted = native_buffer::EXTENSIONS;
    const PRIVATE_COMMANDS: &'static [PrivateCommand<Self>] = native_buffer::COMMANDS;

    fn host() -> &'static dyn Host {
        &host::System
    }

    fn api_version() -> u32 {
        scenario::get().api_version
    }

    fn instance_extensions() -> ExtensionSet {
        scenario::get().instance_extensions
    }

    fn create_instance(_: &InstanceRequest<'_>) -> Result<(), CreateInstanceError> {
        if scenario::get().broken { Err(CreateInstanceError::InitializationFailed) } else { Ok(()) }
    }

    fn enumerate(_: &Instance<Self>, found: &mut Enumeration<'_, Self>) -> Result<Search, EnumerateError> {
        if scenario::get().drm {
            return Ok(Search::Drm);
        }
        for number in 0..scenario::get().devices {
            found.push(physical_device::describe(number), heaps::Heaps::default())?;
        }
        Ok(Search::Done)
    }

    fn try_create_for_drm(
        _: &Instance<Self>,
        device: &DrmDevice,
    ) -> Result<Option<(Description, heaps::Heaps)>, EnumerateError> {
        Ok(Some((physical_device::describe_drm(device), heaps::Heaps::default())))
    }

    fn write_properties(_: &PhysicalDevice<Self>, structure: &mut Chainable) {
        native_buffer::write_properties(structure);
    }

    fn create_device(_: &PhysicalDevice<Self>, _: &DeviceRequest<'_>) -> Result<(), CreateDeviceError> {
        Ok(())
    }

    fn submits_slowly(_: &PhysicalDevice<Self>, _: &()) -> bool {
        scenario::get().asynchronous
    }

    fn trace(_: &InstanceRequest<'_>) -> TraceSettings {
        scenario::get().trace()
    }

    fn capture_trace(_: &Queue<Self>) {
        scenario::get().log_next_frame();
    }

    fn device_time(_: &Device<Self>) -> Option<u64> {
        Some(scenario::get().now())
    }

    fn create_queue(_: &Device<Self>, _: QueueInfo) -> Result<checkpoints::Checkpoints, CreateDeviceError> {
        Ok(checkpoints::Checkpoints::none())
    }

    fn create_sync(_: &Device<Self>, kind: usize, initial: u64) -> Result<host::Value, SubmitError> {
        external::create_sync(kind, initial)
    }

    fn import_sync(_: &Device<Self>, _: usize, handle: Handle) -> Result<host::Value, ImportError> {
        external::import_sync(handle)
    }

    fn export_sync(_: &Device<Self>, sync: &host::Value, kind: HandleKind) -> Result<Handle, ExportError> {
        external::export_sync(sync, kind)
    }

    /// Runs the work now, on the application's thread or the queue's: the signals that it waits for have occurred,
    /// since they were submitted earlier, or another process is about to raise them.
    fn submit(queue: &Queue<Self>, work: &Work<'_, Self>) -> Result<(), SubmitError> {
        external::wait_for(work);
        host::pause(scenario::get().delay);
        if scenario::get().before_own(scenario::SUBMISSION).is_some() {
            return Err(queue.set_lost("the scenario wants it").into());
        }
        for commands in work.commands {
            // SAFETY: the application submits live command buffers whose commands are about live objects.
            unsafe { commands::execute(queue, *commands) };
        }
        if queue.lost_reason().is_some() {
            return Err(queue.set_lost("the scenario wants it").into());
        }
        work.signals.iter().for_each(|signal| signal.done());
        Ok(())
    }
}

/// Implements recorded commands that have no effect.
extern "system" fn ignored() {}

const fn ignore_command() -> Command {
    // SAFETY: a function of the C calling convention without parameters may be given some: the caller removes them.
    unsafe { core::mem::transmute::<extern "system" fn(), Command>(ignored) }
}

#[cfg(test)]
mod tests {
    use vkload_driver_runtime::Tables;
    use vkload_driver_runtime::registry::CommandId;

    use super::*;

    #[test]
    fn every_command_of_the_registry_is_there() {
        let lacking = |id: &CommandId| Null::TABLE.get(*id).is_none();
        let missing: std::vec::Vec<_> = CommandId::all().filter(lacking).map(CommandId::name).collect();
        assert_eq!(missing, [c""; 0]);
        assert_eq!(CommandId::all().filter_map(CommandId::core).max(), Some(4));
    }
}
