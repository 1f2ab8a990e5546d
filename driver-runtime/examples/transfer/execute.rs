//! The execution of recorded commands. The runtime records them and calls these functions when a queue reaches the
//! command buffer.

use std::ffi::c_void;

use vkload_driver_runtime::command_buffer::CommandBuffer;
use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::{entry_points, events, vk};

use crate::memory::Buffer;
use crate::{Transfer, compute};

/// Executes a command buffer.
///
/// # Safety
/// The handle, and every object that its commands use, is live, and no thread records into it.
pub(crate) unsafe fn execute(commands: vk::CommandBuffer) {
    // SAFETY: the caller vouches for the command buffer.
    if let Some(commands) = unsafe { CommandBuffer::<Transfer>::from_handle(commands) } {
        // SAFETY: as above.
        unsafe { commands.replay() };
    }
}

unsafe extern "system" fn fill_buffer(
    _: vk::CommandBuffer,
    buffer: vk::Buffer,
    offset: u64,
    size: u64,
    value: u32,
) {
    // SAFETY: the application keeps the buffer while the command buffer is executed.
    if let Some(range) = unsafe { Buffer::range(buffer, offset, size) } {
        range.fill(value);
    }
}

unsafe extern "system" fn update_buffer(
    _: vk::CommandBuffer,
    buffer: vk::Buffer,
    offset: u64,
    size: u64,
    values: *const c_void,
) {
    // SAFETY: the application passes as many bytes as it says, and keeps the buffer while the command buffer is executed.
    unsafe {
        if let Some(range) = Buffer::range(buffer, offset, size) {
            range.write(std::slice::from_raw_parts(values.cast(), size as usize));
        }
    }
}

unsafe extern "system" fn copy_buffer(_: vk::CommandBuffer, info: *const vk::CopyBufferInfo2<'_>) {
    // SAFETY: the application passes a valid structure, and keeps the buffers while the command buffer is executed.
    unsafe {
        for region in (0..(*info).region_count as usize).map(|index| &*(*info).p_regions.add(index)) {
            let from = Buffer::range((*info).src_buffer, region.src_offset, region.size);
            let to = Buffer::range((*info).dst_buffer, region.dst_offset, region.size);
            if let (Some(from), Some(to)) = (from, to) {
                to.copy(from);
            }
        }
    }
}

/// Commands are executed one after the other, and all memory is coherent.
unsafe extern "system" fn pipeline_barrier(_: vk::CommandBuffer, _: *const vk::DependencyInfo<'_>) {}

// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const COMMANDS: EntryPoints<Transfer> = unsafe {
    entry_points! {
        CMD_FILL_BUFFER: PFN_vkCmdFillBuffer = fill_buffer,
        CMD_UPDATE_BUFFER: PFN_vkCmdUpdateBuffer = update_buffer,
        CMD_COPY_BUFFER_2: PFN_vkCmdCopyBuffer2 = copy_buffer,
        CMD_PIPELINE_BARRIER_2: PFN_vkCmdPipelineBarrier2 = pipeline_barrier,
    }
}
.and(&events::recorded())
.and(&compute::RECORDED);
