//! Command buffers, and a driver's functions for them.

use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;

use ash::vk::{self, Handle};

use super::pool::CommandPool;
use super::recording::recorder::{Call, Recorder};
use crate::device::device_object;
use crate::dispatch::EntryPoints;
use crate::driver::Driver;
use crate::object::{Exclusive, Object};
use crate::result::CommandBufferError;

/// A driver's functions for command buffers.
pub trait CommandBuffers: Driver {
    /// The driver's part of a command buffer.
    type CommandBuffer: Send + Sync;

    /// Which command buffers the runtime records.
    const RECORDING: Recording<Self> = Recording::None;

    /// Makes the driver's part of a command buffer, which has not begun.
    fn create_command_buffer(
        pool: &CommandPool<Self>,
        level: vk::CommandBufferLevel,
    ) -> Result<Self::CommandBuffer, CommandBufferError>;

    /// Begins to record. Any earlier recording was reset. Not called for secondary command buffers that the runtime
    /// records, as ending and resetting are not.
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
    /// [`CommandBufferError`], including errors from recording commands, which cannot return them.
    fn end_command_buffer(commands: &mut ExclusiveCommandBuffer<'_, Self>) -> Result<(), CommandBufferError> {
        let _ = commands;
        Ok(())
    }

    /// Discards the recording. `release` asks the driver to free the memory that the recording took.
    fn reset_command_buffer(commands: &mut ExclusiveCommandBuffer<'_, Self>, release: bool) {
        let _ = (commands, release);
    }
}

/// Which command buffers the runtime records, and the commands that later execute the recording. These are not in
/// [`Driver::COMMANDS`]: [`entry_points`](super::entry_points) has the functions that record them.
///
/// A command that cannot be recorded (`vkCmdBuildAccelerationStructuresKHR`, push descriptors by template and a few
/// others) is always called at once, even if the rest is recorded. It can record its work with
/// [`ExclusiveCommandBuffer::record`].
#[non_exhaustive]
pub enum Recording<D: 'static> {
    /// None: the driver has all commands that record.
    None,
    /// Secondary command buffers, for a driver without them. The commands record into primary ones; when a primary
    /// command buffer executes a secondary one, the secondary's recording is passed to them.
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
    /// Returns the commands that execute the recording.
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

/// A command buffer: the runtime's data, then the driver's part.
pub type CommandBuffer<D> = Object<BufferState<D>>;

/// A command buffer that only this thread uses: it is begun, recorded, ended or reset. It dereferences to the
/// driver's part.
pub struct ExclusiveCommandBuffer<'a, D: CommandBuffers>(Exclusive<'a, BufferState<D>>);

/// The runtime's data about a command buffer.
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
    /// Nothing is recorded.
    Initial,
    /// Commands are being recorded.
    Recording,
    /// Commands were recorded.
    Executable,
    /// The recording cannot be used.
    Invalid,
}

// SAFETY: the pool outlives its command buffers and may be shared.
unsafe impl<D: CommandBuffers> Send for BufferState<D> {}
// SAFETY: as above.
unsafe impl<D: CommandBuffers> Sync for BufferState<D> {}

device_object! { <D: CommandBuffers> BufferState<D> = CommandBuffer }

impl<D: CommandBuffers> BufferState<D> {
    /// Returns the pool.
    pub fn pool(&self) -> &CommandPool<D> {
        // SAFETY: a pool owns its command buffers.
        unsafe { self.pool.as_ref() }
    }

    /// Returns the level: primary or secondary.
    pub fn level(&self) -> vk::CommandBufferLevel {
        self.level
    }

    /// Returns the recording's state.
    pub fn state(&self) -> State {
        self.state
    }

    #[inline]
    pub(super) fn is_recorded(&self) -> bool {
        D::RECORDING.is_of(self.level)
    }

    /// Returns whether the driver's functions are called for beginning, ending and resetting.
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
    /// Calls the functions of [`CommandBuffers::RECORDING`] with the runtime's recording, in order: a driver does
    /// this with a submitted command buffer. Recordings of secondary command buffers are included at the point of
    /// execution.
    ///
    /// # Safety
    /// No thread records meanwhile, and all objects that the commands use are still valid, as the specification
    /// demands for pending command buffers.
    pub unsafe fn replay(&self) {
        // SAFETY: the caller vouches for the use.
        unsafe { self.replay_for(vk::CommandBuffer::from_raw(self.raw())) };
    }

    /// Returns the runtime's recording, for a driver that inspects the commands before it executes them.
    ///
    /// # Safety
    /// No thread records for the lifetime of the iterator.
    pub unsafe fn calls(&self) -> impl Iterator<Item = Call<'_>> {
        self.recorder.calls()
    }

    /// Does the same as [`CommandBuffer::replay`], for the primary command buffer that executes this one.
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
    /// Returns the command buffer of a handle, or `None` for the null handle. Access is exclusive to this thread, as
    /// in recording commands.
    ///
    /// # Safety
    /// As for [`Object::exclusive_from_handle`](crate::Object::exclusive_from_handle).
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

    /// Returns the command buffer as others see it.
    pub fn object(&self) -> &CommandBuffer<D> {
        self.0.object()
    }

    /// Records a call of `function` with `data`, for commands that the runtime cannot record: a private command of
    /// the driver, or one whose parameters it cannot copy. On replay `function` gets the primary command buffer, like
    /// all commands. If memory runs out, ending the command buffer fails.
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
