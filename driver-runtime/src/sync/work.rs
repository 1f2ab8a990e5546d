//! What a driver is given to do.

use ash::vk;
use loader_core::memory::{OutOfMemory, TryGrow, Vec};

use super::Primitive;
use super::payload::SyncRef;
use crate::object::ParentMemory;
use crate::parts::Parts;

/// What a driver is given to do. A driver whose queues work on their own keeps clones of what it needs of it.
pub struct Work<'a, D: Parts> {
    /// What the work waits for.
    pub waits: &'a [Wait<D>],
    /// The command buffers, in order. Every device is a group of one, so their device masks say nothing.
    pub commands: &'a [vk::CommandBuffer],
    /// Memory that is bound to buffers: `vkQueueBindSparse`.
    pub buffer_binds: &'a [BufferBinds],
    /// Memory that is bound to images whose layout is not known.
    pub image_opaque_binds: &'a [ImageOpaqueBinds],
    /// Memory that is bound to images.
    pub image_binds: &'a [ImageBinds],
    /// What is signalled when the work is done.
    pub signals: &'a [Signal<D>],
    /// Whether the work is protected: `VkProtectedSubmitInfo`.
    pub protected: bool,
    /// The pass of performance counters: `VkPerformanceQuerySubmitInfoKHR`.
    pub counter_pass: u32,
}

/// A wait on a queue.
pub struct Wait<D: Parts> {
    /// What is waited for.
    pub sync: SyncRef<D>,
    /// The value; 1 for a binary object of the driver's.
    pub value: u64,
    /// The stages that wait.
    pub stages: vk::PipelineStageFlags2,
    /// Whether the wait uses the signal up, as that of a binary semaphore does. The values of an emulated timeline are binary
    /// objects too, and stay signalled.
    pub resets: bool,
}

/// A signal on a queue.
pub struct Signal<D: Parts> {
    /// What is signalled.
    pub sync: SyncRef<D>,
    /// The value; 1 for a binary object of the driver's.
    pub value: u64,
}

impl<D: Parts> Wait<D> {
    /// What a queue does when it has waited, where the system does not do it: sets a binary semaphore back.
    pub fn done(&self) {
        if self.resets {
            self.sync.reset();
        }
    }
}

impl<D: Parts> Signal<D> {
    /// What a queue does when the work is done, where the system does not do it.
    pub fn done(&self) {
        self.sync.signal(self.value);
    }
}

/// Memory that is bound to one resource.
pub struct Binds<R, B: Copy> {
    /// The buffer or image.
    pub resource: R,
    binds: Vec<B, ParentMemory>,
}

/// Memory that is bound to a buffer.
pub type BufferBinds = Binds<vk::Buffer, vk::SparseMemoryBind>;
/// Memory that is bound to an image whose layout is not known.
pub type ImageOpaqueBinds = Binds<vk::Image, vk::SparseMemoryBind>;
/// Memory that is bound to an image.
pub type ImageBinds = Binds<vk::Image, vk::SparseImageMemoryBind>;

impl<R, B: Copy> Binds<R, B> {
    /// The memory, and where it goes.
    pub fn binds(&self) -> &[B] {
        &self.binds
    }

    /// A copy of what the application says, which need not live longer than its call.
    ///
    /// # Safety
    /// `first` and `count` are a counted array.
    pub(crate) unsafe fn copied(
        resource: R,
        first: *const B,
        count: u32,
        memory: ParentMemory,
    ) -> Result<Self, OutOfMemory> {
        let mut binds = Vec::new_in(memory);
        if count > 0 {
            // SAFETY: the caller vouches for the array.
            binds.try_extend(unsafe { core::slice::from_raw_parts(first, count as usize) })?;
        }
        Ok(Self { resource, binds })
    }
}
