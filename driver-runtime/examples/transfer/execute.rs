//! The execution of recorded commands. The runtime records them and calls these functions when a queue reaches the
//! command buffer.

use vkload_driver_runtime::command_buffer::CommandBuffer;
use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::{calls, entry_points, events, vk};

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

fn copy_buffer(call: &calls::CmdCopyBuffer2<'_>) {
    let info = &call.copy_buffer_info;
    // SAFETY: the application passes a valid structure, and keeps the buffers while the command buffer is executed.
    unsafe {
        for region in (0..info.region_count as usize).map(|index| &*info.p_regions.add(index)) {
            let from = Buffer::range(info.src_buffer, region.src_offset, region.size);
            let to = Buffer::range(info.dst_buffer, region.dst_offset, region.size);
            if let (Some(from), Some(to)) = (from, to) {
                to.copy(from);
            }
        }
    }
}

// SAFETY: each function implements its command, with the objects of this driver. The application keeps the buffers
// while the command buffer is executed.
pub(crate) const COMMANDS: EntryPoints<Transfer> = unsafe {
    entry_points! {
        CmdFillBuffer = |call| {
            if let Some(range) = Buffer::range(call.dst_buffer, call.dst_offset, call.size) {
                range.fill(call.data);
            }
        },
        CmdUpdateBuffer = |call| {
            if let Some(range) = Buffer::range(call.dst_buffer, call.dst_offset, call.data_size) {
                range.write(std::slice::from_raw_parts(call.data.cast(), call.data_size as usize));
            }
        },
        CmdCopyBuffer2 = copy_buffer,
        // Commands are executed one after the other, and all memory is coherent.
        CmdPipelineBarrier2 = |_| (),
    }
}
.and(&events::recorded())
.and(&compute::RECORDED);
