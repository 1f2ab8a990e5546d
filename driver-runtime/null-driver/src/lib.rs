//! A Vulkan driver without a GPU.
//!
//! Objects are created, memory is host memory that can be mapped, buffers are filled, updated and copied when a queue gets
//! to it, fences and semaphores signal. Nothing is drawn and no shader runs. It is there to test loaders with, and as the
//! longest example of a driver on [`driver_runtime`].
//!
//! The variable `VKLOAD_NULL_DRIVER` shapes it: see [`scenario`].

mod buffer;
mod command_buffer;
mod device;
mod host;
mod memory;
mod objects;
mod physical_device;
pub mod scenario;

use driver_runtime::dispatch::{Command, EntryPoints};
use driver_runtime::driver_prelude::*;
use driver_runtime::registry::ExtensionSet;

/// The driver.
pub struct Null;

driver_runtime::export_icd!(Null);
#[cfg(any(target_os = "android", feature = "hal"))]
driver_runtime::export_hal!(Null, c"vkload null driver", c"vkload");

impl Driver for Null {
    type Instance = ();
    type PhysicalDevice = ();
    type Device = ();
    type Queue = ();
    type Sync = host::Value;

    const SYNC_TYPES: &'static [SyncType] = &[
        SyncType::new(
            Ability::BINARY
                .and(Ability::GPU_WAIT)
                .and(Ability::CPU_WAIT)
                .and(Ability::CPU_RESET)
                .and(Ability::CPU_SIGNAL),
        ),
        SyncType::EMULATED_TIMELINE,
    ];

    const COMMANDS: EntryPoints = entry_points! {
        GET_PHYSICAL_DEVICE_FORMAT_PROPERTIES_2: PFN_vkGetPhysicalDeviceFormatProperties2
            = physical_device::get_format_properties,
        GET_PHYSICAL_DEVICE_IMAGE_FORMAT_PROPERTIES_2: PFN_vkGetPhysicalDeviceImageFormatProperties2
            = physical_device::get_image_format_properties,
        GET_PHYSICAL_DEVICE_SPARSE_IMAGE_FORMAT_PROPERTIES_2: PFN_vkGetPhysicalDeviceSparseImageFormatProperties2
            = physical_device::get_sparse_image_format_properties,
        GET_PHYSICAL_DEVICE_EXTERNAL_BUFFER_PROPERTIES: PFN_vkGetPhysicalDeviceExternalBufferProperties
            = physical_device::get_external_buffer_properties,
        GET_PHYSICAL_DEVICE_EXTERNAL_FENCE_PROPERTIES: PFN_vkGetPhysicalDeviceExternalFenceProperties
            = physical_device::get_external_fence_properties,
        GET_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_PROPERTIES: PFN_vkGetPhysicalDeviceExternalSemaphoreProperties
            = physical_device::get_external_semaphore_properties,
        ALLOCATE_MEMORY: PFN_vkAllocateMemory = memory::allocate_memory,
        FREE_MEMORY: PFN_vkFreeMemory = memory::free_memory,
        MAP_MEMORY: PFN_vkMapMemory = memory::map_memory,
        UNMAP_MEMORY: PFN_vkUnmapMemory = memory::unmap_memory,
        FLUSH_MAPPED_MEMORY_RANGES: PFN_vkFlushMappedMemoryRanges = memory::flush_mapped_memory_ranges,
        INVALIDATE_MAPPED_MEMORY_RANGES: PFN_vkInvalidateMappedMemoryRanges = memory::flush_mapped_memory_ranges,
        GET_DEVICE_MEMORY_COMMITMENT: PFN_vkGetDeviceMemoryCommitment = memory::get_device_memory_commitment,
        CREATE_BUFFER: PFN_vkCreateBuffer = buffer::create_buffer,
        DESTROY_BUFFER: PFN_vkDestroyBuffer = buffer::destroy_buffer,
        GET_BUFFER_MEMORY_REQUIREMENTS: PFN_vkGetBufferMemoryRequirements = buffer::get_buffer_memory_requirements,
        GET_BUFFER_MEMORY_REQUIREMENTS_2: PFN_vkGetBufferMemoryRequirements2
            = buffer::get_buffer_memory_requirements_2,
        BIND_BUFFER_MEMORY: PFN_vkBindBufferMemory = buffer::bind_buffer_memory,
        BIND_BUFFER_MEMORY_2: PFN_vkBindBufferMemory2 = buffer::bind_buffer_memory_2,
        GET_BUFFER_DEVICE_ADDRESS: PFN_vkGetBufferDeviceAddress = buffer::get_buffer_device_address,
        CREATE_IMAGE: PFN_vkCreateImage = buffer::create_image,
        DESTROY_IMAGE: PFN_vkDestroyImage = buffer::destroy_image,
        GET_IMAGE_MEMORY_REQUIREMENTS: PFN_vkGetImageMemoryRequirements = buffer::get_image_memory_requirements,
        GET_IMAGE_MEMORY_REQUIREMENTS_2: PFN_vkGetImageMemoryRequirements2 = buffer::get_image_memory_requirements_2,
        BIND_IMAGE_MEMORY: PFN_vkBindImageMemory = buffer::bind_image_memory,
        BIND_IMAGE_MEMORY_2: PFN_vkBindImageMemory2 = buffer::bind_image_memory_2,
        ALLOCATE_COMMAND_BUFFERS: PFN_vkAllocateCommandBuffers = command_buffer::allocate_command_buffers,
        FREE_COMMAND_BUFFERS: PFN_vkFreeCommandBuffers = command_buffer::free_command_buffers,
        CREATE_COMMAND_POOL: PFN_vkCreateCommandPool = command_buffer::create_command_pool,
        DESTROY_COMMAND_POOL: PFN_vkDestroyCommandPool = command_buffer::destroy_command_pool,
        RESET_COMMAND_POOL: PFN_vkResetCommandPool = command_buffer::reset_command_pool,
        BEGIN_COMMAND_BUFFER: PFN_vkBeginCommandBuffer = command_buffer::begin_command_buffer,
        END_COMMAND_BUFFER: PFN_vkEndCommandBuffer = command_buffer::end_command_buffer,
        RESET_COMMAND_BUFFER: PFN_vkResetCommandBuffer = command_buffer::reset_command_buffer,
        CMD_FILL_BUFFER: PFN_vkCmdFillBuffer = command_buffer::cmd_fill_buffer,
        CMD_UPDATE_BUFFER: PFN_vkCmdUpdateBuffer = command_buffer::cmd_update_buffer,
        CMD_COPY_BUFFER: PFN_vkCmdCopyBuffer = command_buffer::cmd_copy_buffer,
        CMD_COPY_BUFFER_2: PFN_vkCmdCopyBuffer2 = command_buffer::cmd_copy_buffer_2,
        CMD_EXECUTE_COMMANDS: PFN_vkCmdExecuteCommands = command_buffer::cmd_execute_commands,
    }
    .and(&objects::COMMANDS)
    .with_all("vkCmd", ignore_command());

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
        if scenario::get().fails("vkCreateInstance") {
            return Err(CreateInstanceError::InitializationFailed);
        }
        Ok(())
    }

    fn enumerate(_: &Instance<Self>, found: &mut Enumeration<'_, Self>) -> Result<Search, EnumerateError> {
        for number in 0..scenario::get().devices {
            found.push(physical_device::describe(number), ())?;
        }
        if scenario::get().fails("vkEnumeratePhysicalDevices") {
            return Err(EnumerateError::InitializationFailed);
        }
        Ok(Search::Done)
    }

    fn create_device(_: &PhysicalDevice<Self>, _: &DeviceRequest<'_>) -> Result<(), CreateDeviceError> {
        if scenario::get().fails("vkCreateDevice") {
            return Err(CreateDeviceError::InitializationFailed);
        }
        Ok(())
    }

    fn create_queue(_: &Device<Self>, _: QueuePlace) -> Result<(), CreateDeviceError> {
        Ok(())
    }

    fn create_sync(_: &Device<Self>, _: usize, initial: u64) -> Result<host::Value, SubmitError> {
        Ok(host::Value::new(initial))
    }

    /// The host does the work, now: what it waits for is done, since it was submitted before.
    fn submit(_: &Queue<Self>, work: &Work<'_, Self>) -> Result<(), SubmitError> {
        work.waits.iter().for_each(|wait| wait.sync.reset());
        for commands in work.commands {
            // SAFETY: the application submits live command buffers whose commands are about live objects.
            unsafe { command_buffer::execute(*commands) };
        }
        work.signals.iter().for_each(|signal| signal.sync.signal(signal.value));
        Ok(())
    }
}

/// What commands do that are recorded and have no effect.
extern "system" fn ignored() {}

const fn ignore_command() -> Command {
    // SAFETY: a function of the C calling convention without parameters may be given some: the caller removes them.
    unsafe { core::mem::transmute::<extern "system" fn(), Command>(ignored) }
}
