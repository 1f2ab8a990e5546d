//! Command pools and command buffers, for drivers that leave them to the runtime.
//!
//! A driver defines its part of a command buffer and how to begin, end and reset one ([`CommandBuffers`]). The
//! runtime implements the pools: they own their command buffers, keep freed ones for the next allocation, and release
//! them on trimming.
//!
//! The driver chooses whether the runtime records ([`CommandBuffers::RECORDING`]). A driver that has hardware for it
//! records itself. A driver that executes later, as one without a GPU does, lets the runtime record everything, and
//! replays it when a queue reaches it ([`CommandBuffer::replay`]). A driver that only lacks secondary command buffers
//! lets the runtime record these. A recording contains each call with copies of all data that its parameters point
//! to.
//!
//! The specification gives a command pool and its command buffers to one thread at a time, so nothing here takes a lock. A
//! command that records gets its command buffer with [`ExclusiveCommandBuffer::from_handle`]; while a command buffer is executed,
//! several threads may look at it with [`Object::from_handle`].
//!
//! [`Object::from_handle`]: crate::Object::from_handle
//!
//! # Example
//!
//! The code of a driver that executes command buffers when a queue reaches them:
//!
//! ```
//! use vkload_driver_runtime::command_buffer::{CommandBuffer, CommandBuffers, Recording};
//! use vkload_driver_runtime::dispatch::EntryPoints;
//! use vkload_driver_runtime::prelude::*;
//! use vkload_driver_runtime::{entry_points, vk};
//!
//! struct Small;
//!
//! // SAFETY: the function, which is called when a fill is executed, not when it is recorded, implements the command.
//! const EXECUTE: EntryPoints<Small> = unsafe { entry_points! { CmdFillBuffer = |_call| () } };
//!
//! // In `impl CommandBuffers`, with `command_buffer::entry_points::<Self>()` in `Driver::COMMANDS`:
//! const RECORDING: Recording<Small> = Recording::All(&EXECUTE);
//!
//! // In `impl Driver`:
//! fn submit<D: CommandBuffers>(_: &Queue<D>, work: &Work<'_, D>) -> Result<(), SubmitError> {
//!     work.waits.iter().for_each(|wait| wait.done());
//!     for commands in work.commands {
//!         // SAFETY: the application submits live command buffers, and leaves them alone while they are pending.
//!         unsafe {
//!             if let Some(commands) = CommandBuffer::<D>::from_handle(*commands) {
//!                 commands.replay();
//!             }
//!         }
//!     }
//!     work.signals.iter().for_each(|signal| signal.done());
//!     Ok(())
//! }
//! ```

mod buffer;
mod commands;
#[cfg(test)]
mod later_tests;
mod pool;
mod recording;
#[cfg(test)]
mod tests;

pub use buffer::{BufferState, CommandBuffer, CommandBuffers, ExclusiveCommandBuffer, Recording, State};
pub use commands::entry_points;
pub use pool::{CommandPool, PoolState};
pub use recording::recorder::Call;
