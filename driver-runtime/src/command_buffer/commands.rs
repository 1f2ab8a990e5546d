//! The commands of command pools and command buffers.

use ash::vk;
use vkload_core::memory::OutOfMemory;

use super::buffer::{CommandBuffers, ExclusiveCommandBuffer};
use super::pool::PoolState;
use super::recording;
use crate::device::Device;
use crate::dispatch::EntryPoints;
use crate::object::{Object, ParentObject};
use crate::result::CommandBufferError;
use crate::{calls, entry_points};

fn create_pool<D: CommandBuffers>(call: &calls::CreateCommandPool<'_>) -> Result<(), OutOfMemory> {
    // SAFETY: the call obeys the specification.
    unsafe {
        let device = Device::<D>::from_handle(call.device).ok_or(OutOfMemory)?;
        let memory = device.root().memory().or(call.allocator.as_ptr(), vk::SystemAllocationScope::OBJECT);
        let state = PoolState::<D>::new(&call.create_info, memory);
        call.command_pool.write(Object::create(device, call.allocator.as_ptr(), state)?.into_handle());
    }
    Ok(())
}

fn reset_pool<D: CommandBuffers>(call: &calls::ResetCommandPool<'_>) -> vk::Result {
    // SAFETY: the call obeys the specification, which synchronises the pool.
    unsafe {
        if let Some(pool) = Object::<PoolState<D>>::from_handle(call.command_pool) {
            pool.reset_all(call.flags.contains(vk::CommandPoolResetFlags::RELEASE_RESOURCES));
        }
    }
    vk::Result::SUCCESS
}

fn trim_pool<D: CommandBuffers>(call: &calls::TrimCommandPool<'_>) -> Option<()> {
    // SAFETY: the call obeys the specification, which synchronises the pool.
    unsafe { Object::<PoolState<D>>::from_handle(call.command_pool)?.trim() };
    Some(())
}

fn allocate<D: CommandBuffers>(call: &calls::AllocateCommandBuffers<'_>) -> Result<(), CommandBufferError> {
    let (info, out) = (&call.allocate_info, call.command_buffers);
    let count = info.command_buffer_count as usize;
    // SAFETY: the call obeys the specification, which synchronises the pool: the array has the requested length.
    unsafe {
        let pool = Object::<PoolState<D>>::from_handle(info.command_pool).ok_or(OutOfMemory)?;
        for index in 0..count {
            match pool.allocate(info.level) {
                Ok(handle) => out.add(index).write(handle),
                Err(error) => {
                    (0..index).for_each(|index| pool.free(out.add(index).read()));
                    (0..count).for_each(|index| out.add(index).write(vk::CommandBuffer::null()));
                    return Err(error);
                }
            }
        }
    }
    Ok(())
}

fn free<D: CommandBuffers>(call: &calls::FreeCommandBuffers<'_>) -> Option<()> {
    // SAFETY: the call obeys the specification, which synchronises the pool.
    unsafe {
        let pool = Object::<PoolState<D>>::from_handle(call.command_pool)?;
        call.command_buffers().iter().for_each(|commands| pool.free(*commands));
    }
    Some(())
}

fn begin<D: CommandBuffers>(call: &calls::BeginCommandBuffer<'_>) -> Result<(), CommandBufferError> {
    // SAFETY: the call obeys the specification, which synchronises the command buffer.
    let commands = unsafe { ExclusiveCommandBuffer::<D>::from_handle(call.command_buffer) };
    commands.ok_or(OutOfMemory)?.begin(&call.begin_info)
}

fn end<D: CommandBuffers>(call: &calls::EndCommandBuffer<'_>) -> Result<(), CommandBufferError> {
    // SAFETY: the call obeys the specification, which synchronises the command buffer.
    let commands = unsafe { ExclusiveCommandBuffer::<D>::from_handle(call.command_buffer) };
    commands.ok_or(OutOfMemory)?.end()
}

fn reset<D: CommandBuffers>(call: &calls::ResetCommandBuffer<'_>) -> vk::Result {
    // SAFETY: the call obeys the specification, which synchronises the command buffer.
    let commands = unsafe { ExclusiveCommandBuffer::<D>::from_handle(call.command_buffer) };
    if let Some(mut commands) = commands {
        commands.reset(call.flags.contains(vk::CommandBufferResetFlags::RELEASE_RESOURCES));
    }
    vk::Result::SUCCESS
}

/// Returns the commands, for [`Driver::COMMANDS`](crate::Driver::COMMANDS): `entry_points! { ...
/// }.and(&command_buffer::entry_points::<Self>())`. With [`CommandBuffers::RECORDING`] these are also all commands
/// that record.
pub const fn entry_points<D: CommandBuffers>() -> EntryPoints<D> {
    // SAFETY: each function implements its command, with the runtime's objects for this driver.
    let own = unsafe {
        entry_points! {
            CreateCommandPool = create_pool::<D>,
            DestroyCommandPool = |call| {
                Object::<PoolState<D>>::destroy(call.command_pool, call.allocator.as_ptr());
            },
            ResetCommandPool = reset_pool::<D>,
            TrimCommandPool = trim_pool::<D>,
            AllocateCommandBuffers = allocate::<D>,
            FreeCommandBuffers = free::<D>,
            BeginCommandBuffer = begin::<D>,
            EndCommandBuffer = end::<D>,
            ResetCommandBuffer = reset::<D>,
        }
    };
    match D::RECORDING.commands() {
        Some(later) => own.and(&recording::entry_points::<D>(later)),
        None => own,
    }
}
