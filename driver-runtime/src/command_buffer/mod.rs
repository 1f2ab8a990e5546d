//! Command pools and command buffers, for drivers that leave them to the runtime.
//!
//! A driver says what it keeps in a command buffer and what beginning, ending and resetting one means
//! ([`CommandBuffers`]). The runtime has the pools: they own their command buffers, keep those that were freed for the next
//! allocation, and give them back on trimming. Commands that record are the driver's.
//!
//! A driver without secondary command buffers has the runtime record them ([`CommandBuffers::REPLAYED`]): commands into a
//! secondary one are copied with everything that they point to, and called again when a primary one executes it.

mod pool;
mod recording;
#[cfg(test)]
mod tests;

use core::ops::Deref;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicU8, Ordering};

use ash::vk;

use crate::device::Device;
use crate::dispatch::EntryPoints;
use crate::driver::Driver;
use crate::object::{Object, VkObject};
use crate::result::CommandBufferError;

pub use pool::{CommandPool, PoolState, entry_points};
use recording::Recording;

/// What a driver does with command buffers.
pub trait CommandBuffers: Driver {
    /// The driver's part of a command buffer.
    type CommandBuffer: Send + Sync;

    /// The commands that record into primary command buffers, of a driver that has no secondary ones: they are not in
    /// [`Driver::COMMANDS`] then. What is recorded into a secondary command buffer goes through these when it is executed.
    const REPLAYED: Option<&'static EntryPoints> = None;

    /// Makes the driver's part of a command buffer, which has not begun.
    ///
    /// # Errors
    /// [`CommandBufferError`].
    fn create_command_buffer(
        pool: &CommandPool<Self>,
        level: vk::CommandBufferLevel,
    ) -> Result<Self::CommandBuffer, CommandBufferError>;

    /// Begins to record. What was recorded before was reset.
    ///
    /// # Errors
    /// [`CommandBufferError`].
    fn begin_command_buffer(
        commands: &CommandBuffer<Self>,
        info: &vk::CommandBufferBeginInfo<'_>,
    ) -> Result<(), CommandBufferError>;

    /// Ends recording.
    ///
    /// # Errors
    /// [`CommandBufferError`], also for what went wrong while commands were recorded, which cannot say so.
    fn end_command_buffer(commands: &CommandBuffer<Self>) -> Result<(), CommandBufferError>;

    /// Forgets what was recorded. `release` asks for giving back the memory that it took.
    fn reset_command_buffer(commands: &CommandBuffer<Self>, release: bool);
}

/// A command buffer, with the driver's part behind what the runtime keeps.
pub type CommandBuffer<D> = Object<BufferState<D>>;

/// What is kept of a command buffer.
pub struct BufferState<D: CommandBuffers> {
    pool: NonNull<CommandPool<D>>,
    level: vk::CommandBufferLevel,
    state: AtomicU8,
    recording: Recording,
    driver: D::CommandBuffer,
}

/// Whether something is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing is.
    Initial,
    /// Commands are being recorded.
    Recording,
    /// Commands were recorded.
    Executable,
    /// What was recorded cannot be used.
    Invalid,
}

// SAFETY: the pool outlives its command buffers and may be shared.
unsafe impl<D: CommandBuffers> Send for BufferState<D> {}
// SAFETY: as above.
unsafe impl<D: CommandBuffers> Sync for BufferState<D> {}

impl<D: CommandBuffers> VkObject for BufferState<D> {
    type Handle = vk::CommandBuffer;
    type Parent = Device<D>;
}

impl<D: CommandBuffers> BufferState<D> {
    /// The pool.
    pub fn pool(&self) -> &CommandPool<D> {
        // SAFETY: a pool owns its command buffers.
        unsafe { self.pool.as_ref() }
    }

    /// Primary or secondary.
    pub fn level(&self) -> vk::CommandBufferLevel {
        self.level
    }

    /// Whether something is recorded.
    pub fn state(&self) -> State {
        match self.state.load(Ordering::Relaxed) {
            0 => State::Initial,
            1 => State::Recording,
            2 => State::Executable,
            _ => State::Invalid,
        }
    }

    fn set_state(&self, state: State) {
        self.state.store(state as u8, Ordering::Relaxed);
    }

    /// Whether the runtime records the commands.
    fn is_replayed(&self) -> bool {
        D::REPLAYED.is_some() && self.level == vk::CommandBufferLevel::SECONDARY
    }
}

impl<D: CommandBuffers> Deref for BufferState<D> {
    type Target = D::CommandBuffer;
    fn deref(&self) -> &D::CommandBuffer {
        &self.driver
    }
}

impl<D: CommandBuffers> CommandBuffer<D> {
    /// Forgets what was recorded.
    fn reset(&self, release: bool) {
        self.base().clear_labels();
        if self.is_replayed() {
            self.recording.clear();
        } else if self.state() != State::Initial || release {
            D::reset_command_buffer(self, release);
        }
        self.set_state(State::Initial);
    }

    fn begin(&self, info: &vk::CommandBufferBeginInfo<'_>) -> Result<(), CommandBufferError> {
        if self.state() != State::Initial {
            self.reset(false);
        }
        if !self.is_replayed() {
            D::begin_command_buffer(self, info)?;
        }
        self.set_state(State::Recording);
        Ok(())
    }

    fn end(&self) -> Result<(), CommandBufferError> {
        let ended = if self.is_replayed() { self.recording.end() } else { D::end_command_buffer(self) };
        self.set_state(if ended.is_ok() { State::Executable } else { State::Invalid });
        ended
    }
}
