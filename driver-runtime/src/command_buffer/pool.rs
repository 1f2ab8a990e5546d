//! Command pools.

use core::cell::UnsafeCell;
use core::ptr::NonNull;

use ash::vk;
use vkload_core::memory::CopiedCallbacks;

use super::buffer::{BufferState, CommandBuffers, ExclusiveCommandBuffer, State};
use super::recording::recorder::Recorder;
use crate::device::device_object;
use crate::object::{Members, Object};
use crate::result::CommandBufferError;

/// A command pool.
pub type CommandPool<D> = Object<PoolState<D>>;

/// The runtime's data about a command pool. By the specification one thread at a time uses a pool and its command
/// buffers.
pub struct PoolState<D: CommandBuffers> {
    family: u32,
    flags: vk::CommandPoolCreateFlags,
    memory: CopiedCallbacks,
    buffers: UnsafeCell<Buffers<D>>,
}

struct Buffers<D: CommandBuffers> {
    primary: Members<BufferState<D>>,
    secondary: Members<BufferState<D>>,
}

// SAFETY: command buffers are touched by the commands alone to which the specification gives the pool exclusively; threads
// that execute command buffers read what does not change.
unsafe impl<D: CommandBuffers> Sync for PoolState<D> {}

device_object! { <D: CommandBuffers> PoolState<D> = CommandPool }

impl<D: CommandBuffers> PoolState<D> {
    pub(super) fn new(info: &vk::CommandPoolCreateInfo<'_>, memory: CopiedCallbacks) -> Self {
        let buffers = Buffers { primary: Members::new(memory), secondary: Members::new(memory) };
        let (family, flags) = (info.queue_family_index, info.flags);
        Self { family, flags, memory, buffers: UnsafeCell::new(buffers) }
    }

    /// Returns the queue family whose queues the command buffers are for.
    pub fn family(&self) -> u32 {
        self.family
    }

    /// Returns the flags that the pool was created with.
    pub fn flags(&self) -> vk::CommandPoolCreateFlags {
        self.flags
    }

    /// Returns the allocator of the pool and its command buffers.
    ///
    /// # Safety
    /// Everything allocated with it, or with copies of it, is freed before the pool is destroyed.
    pub unsafe fn memory(&self) -> CopiedCallbacks {
        self.memory
    }

    /// # Safety
    /// The pool is this thread's alone, and the last reference from here is no longer in use.
    #[expect(clippy::mut_from_ref, reason = "the specification synchronises pools")]
    unsafe fn buffers(&self) -> &mut Buffers<D> {
        // SAFETY: the caller vouches for the use.
        unsafe { &mut *self.buffers.get() }
    }
}

impl<D: CommandBuffers> Buffers<D> {
    fn of(&mut self, level: vk::CommandBufferLevel) -> &mut Members<BufferState<D>> {
        if level == vk::CommandBufferLevel::SECONDARY { &mut self.secondary } else { &mut self.primary }
    }
}

/// The functions are for commands that have the pool exclusively.
impl<D: CommandBuffers> CommandPool<D> {
    /// Returns an unused command buffer: a freed one, or a new one.
    ///
    /// # Safety
    /// The pool is this thread's alone.
    pub(super) unsafe fn allocate(
        &self,
        level: vk::CommandBufferLevel,
    ) -> Result<vk::CommandBuffer, CommandBufferError> {
        // SAFETY: the caller vouches for the pool, whose device outlives it; the reference ends before the driver is called.
        unsafe {
            if let Some(commands) = self.buffers().of(level).reuse() {
                return Ok(commands);
            }
            let state = BufferState {
                pool: NonNull::from(self),
                level,
                state: State::Initial,
                recorder: Recorder::new(self.memory),
                driver: D::create_command_buffer(self, level)?,
            };
            Ok(self.buffers().of(level).create(self.parent(), state)?)
        }
    }

    /// Takes a command buffer back, as new. Inlined although it has two callers: one calls it for each of many.
    ///
    /// # Safety
    /// Only this thread uses the pool, and the handle is null or a command buffer of the pool that is no longer in
    /// use.
    #[inline(always)]
    pub(super) unsafe fn free(&self, handle: vk::CommandBuffer) {
        // SAFETY: the caller vouches for pool and handle.
        unsafe {
            let Some(mut commands) = ExclusiveCommandBuffer::<D>::from_handle(handle) else { return };
            commands.reset(false);
            let level = commands.object().level;
            self.buffers().of(level).free(handle);
        }
    }

    /// Releases the freed command buffers.
    ///
    /// # Safety
    /// The pool is this thread's alone.
    pub(super) unsafe fn trim(&self) {
        // SAFETY: the caller vouches for the pool.
        let Buffers { primary, secondary } = unsafe { self.buffers() };
        primary.trim();
        secondary.trim();
    }

    /// # Safety
    /// Only this thread uses the pool, and its command buffers are not in use.
    pub(super) unsafe fn reset_all(&self, release: bool) {
        // SAFETY: the caller vouches for pool and command buffers; resetting changes no list.
        unsafe {
            let used = self.buffers().primary.used().chain(self.buffers().secondary.used());
            used.for_each(|commands| ExclusiveCommandBuffer::new(commands).reset(release));
            if release {
                self.trim();
            }
        }
    }
}
