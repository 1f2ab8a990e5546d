//! The commands of command pools and command buffers.

use ash::vk;

use super::buffer::{CommandBuffers, ExclusiveCommandBuffer};
use super::pool::PoolState;
use super::recording;
use crate::device::Device;
use crate::dispatch::EntryPoints;
use crate::entry_points;
use crate::object::{Object, ParentObject};
use crate::result::code;

/// # Safety
/// As specified for `vkCreateCommandPool`.
pub(super) unsafe extern "system" fn create_pool<D: CommandBuffers>(
    device: vk::Device,
    info: *const vk::CommandPoolCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::CommandPool,
) -> vk::Result {
    // SAFETY: the caller vouches for handle and pointers.
    unsafe {
        let Some(device) = Device::<D>::from_handle(device) else {
            return vk::Result::ERROR_OUT_OF_HOST_MEMORY;
        };
        let memory = device.root().memory().or(callbacks, vk::SystemAllocationScope::OBJECT);
        let state = PoolState::<D>::new(&*info, memory);
        code(Object::create(device, callbacks, state).map(|pool| out.write(pool.into_handle())))
    }
}

/// # Safety
/// As specified for `vkDestroyCommandPool`.
pub(super) unsafe extern "system" fn destroy_pool<D: CommandBuffers>(
    _: vk::Device,
    pool: vk::CommandPool,
    callbacks: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: the caller vouches for handle and callbacks.
    unsafe { Object::<PoolState<D>>::destroy(pool, callbacks) };
}

unsafe extern "system" fn reset_pool<D: CommandBuffers>(
    _: vk::Device,
    pool: vk::CommandPool,
    flags: vk::CommandPoolResetFlags,
) -> vk::Result {
    // SAFETY: the caller passes a live handle, and synchronises the pool.
    unsafe {
        if let Some(pool) = Object::<PoolState<D>>::from_handle(pool) {
            pool.reset_all(flags.contains(vk::CommandPoolResetFlags::RELEASE_RESOURCES));
        }
    }
    vk::Result::SUCCESS
}

unsafe extern "system" fn trim_pool<D: CommandBuffers>(
    _: vk::Device,
    pool: vk::CommandPool,
    _: vk::CommandPoolTrimFlags,
) {
    // SAFETY: the caller passes a live handle, and synchronises the pool.
    unsafe {
        if let Some(pool) = Object::<PoolState<D>>::from_handle(pool) {
            pool.trim();
        }
    }
}

/// # Safety
/// As specified for `vkAllocateCommandBuffers`.
pub(super) unsafe extern "system" fn allocate<D: CommandBuffers>(
    device: vk::Device,
    info: *const vk::CommandBufferAllocateInfo<'_>,
    out: *mut vk::CommandBuffer,
) -> vk::Result {
    // SAFETY: the caller vouches for handles, and for an array of the requested length, and synchronises the pool.
    unsafe {
        let info = &*info;
        let count = info.command_buffer_count;
        let Some(pool) = Object::<PoolState<D>>::from_handle(info.command_pool) else {
            return vk::Result::ERROR_OUT_OF_HOST_MEMORY;
        };
        for index in 0..count {
            match pool.allocate(info.level) {
                Ok(handle) => out.add(index as usize).write(handle),
                Err(error) => {
                    free::<D>(device, info.command_pool, index, out);
                    (0..count as usize).for_each(|index| out.add(index).write(vk::CommandBuffer::null()));
                    return error.into();
                }
            }
        }
    }
    vk::Result::SUCCESS
}

/// # Safety
/// As specified for `vkFreeCommandBuffers`.
pub(super) unsafe extern "system" fn free<D: CommandBuffers>(
    _: vk::Device,
    pool: vk::CommandPool,
    count: u32,
    commands: *const vk::CommandBuffer,
) {
    // SAFETY: the caller vouches for the handles in the counted array, and synchronises the pool.
    unsafe {
        let Some(pool) = Object::<PoolState<D>>::from_handle(pool) else { return };
        (0..count as usize).for_each(|index| pool.free(commands.add(index).read()));
    }
}

unsafe extern "system" fn begin<D: CommandBuffers>(
    commands: vk::CommandBuffer,
    info: *const vk::CommandBufferBeginInfo<'_>,
) -> vk::Result {
    // SAFETY: the caller passes a live handle, which it synchronises, and a valid pointer.
    unsafe {
        let commands = ExclusiveCommandBuffer::<D>::from_handle(commands);
        commands.map_or(vk::Result::ERROR_OUT_OF_HOST_MEMORY, |mut commands| code(commands.begin(&*info)))
    }
}

unsafe extern "system" fn end<D: CommandBuffers>(commands: vk::CommandBuffer) -> vk::Result {
    // SAFETY: the caller passes a live handle, which it synchronises.
    let commands = unsafe { ExclusiveCommandBuffer::<D>::from_handle(commands) };
    commands.map_or(vk::Result::ERROR_OUT_OF_HOST_MEMORY, |mut commands| code(commands.end()))
}

unsafe extern "system" fn reset<D: CommandBuffers>(
    commands: vk::CommandBuffer,
    flags: vk::CommandBufferResetFlags,
) -> vk::Result {
    // SAFETY: the caller passes a live handle, which it synchronises.
    let commands = unsafe { ExclusiveCommandBuffer::<D>::from_handle(commands) };
    if let Some(mut commands) = commands {
        commands.reset(flags.contains(vk::CommandBufferResetFlags::RELEASE_RESOURCES));
    }
    vk::Result::SUCCESS
}

/// Returns the commands, for [`Driver::COMMANDS`](crate::Driver::COMMANDS): `entry_points! { ...
/// }.and(&command_buffer::entry_points::<Self>())`. With [`CommandBuffers::RECORDING`] these are also all commands
/// that record.
#[must_use]
pub const fn entry_points<D: CommandBuffers>() -> EntryPoints<D> {
    // SAFETY: each function implements its command, with the runtime's objects for this driver.
    let own = unsafe {
        entry_points! {
        CREATE_COMMAND_POOL: PFN_vkCreateCommandPool = create_pool::<D>,
        DESTROY_COMMAND_POOL: PFN_vkDestroyCommandPool = destroy_pool::<D>,
        RESET_COMMAND_POOL: PFN_vkResetCommandPool = reset_pool::<D>,
        TRIM_COMMAND_POOL: PFN_vkTrimCommandPool = trim_pool::<D>,
        ALLOCATE_COMMAND_BUFFERS: PFN_vkAllocateCommandBuffers = allocate::<D>,
        FREE_COMMAND_BUFFERS: PFN_vkFreeCommandBuffers = free::<D>,
        BEGIN_COMMAND_BUFFER: PFN_vkBeginCommandBuffer = begin::<D>,
        END_COMMAND_BUFFER: PFN_vkEndCommandBuffer = end::<D>,
        RESET_COMMAND_BUFFER: PFN_vkResetCommandBuffer = reset::<D>,
        }
    };
    match D::RECORDING.commands() {
        Some(later) => own.and(&recording::entry_points::<D>(later)),
        None => own,
    }
}
