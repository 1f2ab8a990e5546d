//! error[E0308]: arguments to this function are incorrect
#![forbid(unsafe_code)]

// Gives each of two command buffers the other one's pool.
use vkload_driver_runtime::command_buffer::{BufferState, CommandBuffers, ExclusiveCommandBuffer};

pub fn swap<D: CommandBuffers>(
    one: &mut ExclusiveCommandBuffer<'_, D>,
    other: &mut ExclusiveCommandBuffer<'_, D>,
) {
    core::mem::swap::<BufferState<D>>(&mut **one, &mut **other);
}
