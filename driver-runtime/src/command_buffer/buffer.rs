//! Command buffers, and what a driver says about them.

use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;

use ash::vk::{self, Handle};

use super::pool::CommandPool;
use super::recording::recorder::{Call, Recorder};
use crate::device::Device;
use crate::dispatch::EntryPoints;
use crate::driver::Driver;
use crate::object::{Exclusive, Object, VkObject};
use crate::result::CommandBufferError;

/// What a driver does with command buffers.
pub trait CommandBuffers: Driver {
    /// The driver's part of a command buffer.
    type CommandBuffer: Send + Sync;

    /// Which command buffers the runtime records.
    const RECORDING: Recording<Self> = Recording::None;

    /// Makes the driver's part of a command buffer, which has not begun.
    ///
    /// # Errors
    /// [`CommandBufferError`].
    fn create_command_buffer(
        pool: &CommandPool<Self>,
        level: vk::CommandBufferLevel,
    ) -> Result<Self::CommandBuffer, CommandBufferError>;

    /// Begins to record. What was recorded before was reset. Not called for secondary command buffers that the runtime records,
    /// as ending and resetting are not.
    ///
    /// # Errors
    /// [`CommandBufferError`].
    fn begin_command_buffer(
        commands: &mut ExclusiveCommandBuffer<'_, Self>,
        info: &vk::CommandBufferBeginInfo<'_>,
    ) -> Result<(), CommandBufferError> {
        let _ = (commands, info);
        Ok(())
    }

    /// Ends recording.
    ///
    /// # Errors
    /// [`CommandBufferError`], also for what went wrong while commands were recorded, which cannot say so.
    fn end_command_buffer(commands: &mut ExclusiveCommandBuffer<'_, Self>) -> Result<(), CommandBufferError> {
        let _ = commands;
        Ok(())
    }

    /// Forgets what was recorded. `release` asks for giving back the memory that it took.
    fn reset_command_buffer(commands: &mut ExclusiveCommandBuffer<'_, Self>, release: bool) {
        let _ = (commands, release);
    }
}

/// Which command buffers the runtime records, and the commands that what it recorded goes through later. These are not in
/// [`Driver::COMMANDS`]: [`entry_points`](super::entry_points) has the functions that record them.
///
/// A command that cannot be recorded (`vkCmdBuildAccelerationStructuresKHR`, push descriptors by template and a few others) is
/// called at once even so, also where the rest is recorded. It can record what it does with [`ExclusiveCommandBuffer::record`].
pub enum Recording<D: 'static> {
    /// None: the driver has all commands that record.
    None,
    /// Secondary ones, of a driver that has none. The commands record into primary ones, and get what is recorded into a
    /// secondary one when a primary one executes it.
    Secondaries(&'static EntryPoints<D>),
    /// All. The commands execute, when the driver has a command buffer [replayed](CommandBuffer::replay), and get the primary
    /// command buffer that is replayed. It may be replayed by several threads at a time then, so they have no exclusive access.
    All(&'static EntryPoints<D>),
}

impl<D> Clone for Recording<D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D> Copy for Recording<D> {}

impl<D> Recording<D> {
    /// The commands that what was recorded goes through.
    pub(super) const fn commands(self) -> Option<&'static EntryPoints<D>> {
        match self {
            Self::None => None,
            Self::Secondaries(commands) | Self::All(commands) => Some(commands),
        }
    }

    fn is_of(self, level: vk::CommandBufferLevel) -> bool {
        match self {
            Self::None => false,
            Self::Secondaries(_) => level == vk::CommandBufferLevel::SECONDARY,
            Self::All(_) => true,
        }
    }
}

/// A command buffer, with the driver's part behind what the runtime keeps.
pub type CommandBuffer<D> = Object<BufferState<D>>;

/// A command buffer that only this thread uses: it is begun, recorded, ended or reset. It leads to the driver's part.
pub struct ExclusiveCommandBuffer<'a, D: CommandBuffers>(Exclusive<'a, BufferState<D>>);

/// What is kept of a command buffer.
pub struct BufferState<D: CommandBuffers> {
    pub(super) pool: NonNull<CommandPool<D>>,
    pub(super) level: vk::CommandBufferLevel,
    pub(super) state: State,
    pub(super) recorder: Recorder,
    pub(super) driver: D::CommandBuffer,
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

// SAFETY: no other type is behind such handles.
unsafe impl<D: CommandBuffers> VkObject for BufferState<D> {
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
        self.state
    }

    /// Whether the runtime records the commands.
    #[inline]
    pub(super) fn is_recorded(&self) -> bool {
        D::RECORDING.is_of(self.level)
    }

    /// Whether the driver hears of beginning, ending and resetting.
    fn is_the_drivers(&self) -> bool {
        !self.is_recorded() || self.level == vk::CommandBufferLevel::PRIMARY
    }
}

impl<D: CommandBuffers> Deref for BufferState<D> {
    type Target = D::CommandBuffer;
    fn deref(&self) -> &D::CommandBuffer {
        &self.driver
    }
}

impl<D: CommandBuffers> CommandBuffer<D> {
    /// Calls the functions of [`CommandBuffers::RECORDING`] with what the runtime recorded, in order: what a driver does with a
    /// submitted command buffer. What secondary command buffers recorded comes where they are executed.
    ///
    /// # Safety
    /// Nobody records meanwhile, and what the commands are about is still valid, as the specification has it for pending command
    /// buffers.
    pub unsafe fn replay(&self) {
        // SAFETY: the caller vouches for the use.
        unsafe { self.replay_for(vk::CommandBuffer::from_raw(self.raw())) };
    }

    /// What the runtime recorded, for a driver that looks at the commands before it executes them.
    ///
    /// # Safety
    /// Nobody records for the lifetime of the iterator.
    pub unsafe fn calls(&self) -> impl Iterator<Item = Call<'_>> {
        self.recorder.calls()
    }

    /// As [`CommandBuffer::replay`], for the primary command buffer that executes this one.
    ///
    /// # Safety
    /// As there.
    pub(super) unsafe fn replay_for(&self, primary: vk::CommandBuffer) {
        for call in self.recorder.calls() {
            // SAFETY: the caller vouches for the use; the function is the command's.
            unsafe { call.make_with(super::recording::real::<D>, primary) };
        }
    }
}

impl<D: CommandBuffers> Deref for ExclusiveCommandBuffer<'_, D> {
    type Target = D::CommandBuffer;
    fn deref(&self) -> &D::CommandBuffer {
        &self.0.driver
    }
}

impl<D: CommandBuffers> DerefMut for ExclusiveCommandBuffer<'_, D> {
    fn deref_mut(&mut self) -> &mut D::CommandBuffer {
        &mut self.0.part_mut().driver
    }
}

impl<'a, D: CommandBuffers> ExclusiveCommandBuffer<'a, D> {
    /// The command buffer of a handle, or `None` for the null handle, for this thread alone, as commands that record have it.
    ///
    /// # Safety
    /// As for [`Object::exclusive_from_handle`](crate::Object::exclusive_from_handle).
    #[must_use]
    #[inline]
    pub unsafe fn from_handle(commands: vk::CommandBuffer) -> Option<Self> {
        // SAFETY: the caller vouches for handle and use.
        unsafe { Object::exclusive(commands).map(Self) }
    }

    /// # Safety
    /// As for [`Exclusive::new`].
    pub(super) unsafe fn new(commands: NonNull<CommandBuffer<D>>) -> Self {
        // SAFETY: the caller vouches for the object.
        Self(unsafe { Exclusive::new(commands) })
    }

    /// The command buffer as others see it.
    pub fn object(&self) -> &CommandBuffer<D> {
        self.0.object()
    }

    /// Records a call of `function` with `data`, for what the runtime has no way to record: a command of the driver's own, or one
    /// whose parameters it cannot copy. When it is replayed, `function` gets the primary command buffer, as all commands do.
    /// Without memory, ending the command buffer fails.
    ///
    /// # Safety
    /// `function` may be called with `data` whenever the command buffer is replayed, by any thread.
    pub unsafe fn record<T: Copy + Send + Sync + 'static>(
        &mut self,
        function: unsafe fn(vk::CommandBuffer, &T),
        data: T,
    ) {
        // SAFETY: the caller vouches for the call.
        unsafe { self.0.part_mut().recorder.record_own(function, data) };
    }

    /// Forgets what was recorded.
    pub(super) fn reset(&mut self, release: bool) {
        self.0.base().clear_labels();
        let is_empty = self.0.state == State::Initial && !release;
        if !is_empty && self.0.is_recorded() {
            self.0.part_mut().recorder.clear(release);
        }
        if !is_empty && self.0.is_the_drivers() {
            D::reset_command_buffer(self, release);
        }
        self.0.part_mut().state = State::Initial;
    }

    pub(super) fn begin(&mut self, info: &vk::CommandBufferBeginInfo<'_>) -> Result<(), CommandBufferError> {
        if self.0.state != State::Initial {
            self.reset(false);
        }
        if self.0.is_the_drivers() {
            D::begin_command_buffer(self, info)?;
        }
        self.0.part_mut().state = State::Recording;
        Ok(())
    }

    pub(super) fn end(&mut self) -> Result<(), CommandBufferError> {
        let recorded = if self.0.is_recorded() { self.0.part_mut().recorder.end() } else { Ok(()) };
        let ended = if self.0.is_the_drivers() { D::end_command_buffer(self) } else { Ok(()) };
        let result = recorded.and(ended);
        self.0.part_mut().state = if result.is_ok() { State::Executable } else { State::Invalid };
        result
    }
}
