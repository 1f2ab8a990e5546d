//! Command buffers: the runtime records them, and commands with an effect run when a queue reaches the command
//! buffer.

mod transfer;

use core::sync::atomic::Ordering;

use vkload_driver_runtime::command_buffer::{self, CommandBuffer, CommandBuffers, CommandPool, Recording};
use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::driver_prelude::CommandBufferError;
use vkload_driver_runtime::{Queue, calls, entry_points, vk};

use crate::device::list;
use crate::dispatchable::mark;
use crate::{Null, checkpoints, events, queries, rendering};

/// The functions that run when a command buffer is executed. Other recorded commands have no effect.
const EFFECTS: EntryPoints<Null> = transfer::COMMANDS
    .and(&queries::EFFECTS)
    .and(&events::EFFECTS)
    .and(&rendering::EFFECTS)
    .and(&checkpoints::EFFECTS);

impl CommandBuffers for Null {
    type CommandBuffer = rendering::Current;
    const RECORDING: Recording<Self> = Recording::All(&EFFECTS);

    fn create_command_buffer(
        _: &CommandPool<Self>,
        _: vk::CommandBufferLevel,
    ) -> Result<rendering::Current, CommandBufferError> {
        Ok(rendering::Current::nothing())
    }
}

/// Executes a command buffer's recording on the queue.
///
/// # Safety
/// The handle and all recorded objects are live, and no thread records meanwhile.
pub(crate) unsafe fn execute(queue: &Queue<Null>, commands: vk::CommandBuffer) {
    // SAFETY: the caller vouches for the handle.
    unsafe {
        if let Some(commands) = CommandBuffer::<Null>::from_handle(commands) {
            commands.queue.store(queue.raw(), Ordering::Relaxed);
            commands.replay();
        }
    }
}

static RUNTIME: EntryPoints<Null> = command_buffer::entry_points::<Null>();

/// Allocates as the runtime does, and writes the scenario's first word.
fn allocate_command_buffers(call: &calls::AllocateCommandBuffers<'_>) -> vk::Result {
    // SAFETY: the call obeys the specification: the array has the requested length.
    unsafe {
        let result =
            call.make(|command| RUNTIME.get(command)).unwrap_or(vk::Result::ERROR_INITIALIZATION_FAILED);
        if result == vk::Result::SUCCESS {
            let all = list(call.command_buffers, call.allocate_info.command_buffer_count);
            all.iter().for_each(|commands| mark(*commands));
        }
        result
    }
}

/// The commands for command pools and command buffers, and the recording commands.
// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const COMMANDS: EntryPoints<Null> = unsafe {
    entry_points! { AllocateCommandBuffers = allocate_command_buffers }
}
.or(&command_buffer::entry_points::<Null>());
