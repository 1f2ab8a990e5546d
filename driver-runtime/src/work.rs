//! What a driver receives: work for a queue, and waits of application threads.

use ash::vk;
use vkload_core::memory::{OutOfMemory, TryGrow, Vec};

use crate::driver_types::{DriverTypes, SyncObject};
use crate::host::Waiter;
use crate::object::ParentMemory;
use crate::out_array::list;
use crate::sync_object::SyncRef;

/// The work that a driver receives. A driver whose queues work on their own keeps clones of the parts that it
/// needs.
pub struct Work<'a, D: DriverTypes> {
    /// The waits before the work.
    pub waits: &'a [Wait<D>],
    /// The command buffers, in order. Every device is a group of one, so their device masks have no meaning.
    pub commands: &'a [vk::CommandBuffer],
    /// Memory that is bound to buffers: `vkQueueBindSparse`.
    pub buffer_binds: &'a [BufferBinds],
    /// Memory that is bound to images of unknown layout.
    pub image_opaque_binds: &'a [ImageOpaqueBinds],
    /// Memory that is bound to images.
    pub image_binds: &'a [ImageBinds],
    /// The signals after the work.
    pub signals: &'a [Signal<D>],
    /// Whether the work is protected: `VkProtectedSubmitInfo`.
    pub protected: bool,
    /// The pass of performance counters: `VkPerformanceQuerySubmitInfoKHR`.
    pub counter_pass: u32,
}

/// A wait on a queue.
pub struct Wait<D: DriverTypes> {
    /// The object to wait for.
    pub sync: SyncRef<D>,
    /// The value; 1 for a binary object of the driver's.
    pub value: u64,
    /// The stages that wait.
    pub stages: vk::PipelineStageFlags2,
    /// Whether the wait uses the signal up, as a binary semaphore's wait does. The values of an emulated timeline are
    /// also binary objects, but they stay signalled.
    pub resets: bool,
}

/// A signal on a queue.
pub struct Signal<D: DriverTypes> {
    /// The object to signal.
    pub sync: SyncRef<D>,
    /// The value; 1 for a binary object of the driver's.
    pub value: u64,
}

impl<D: DriverTypes> Wait<D> {
    /// Resets a binary semaphore after a queue's wait. Call it if the system does not do so.
    pub fn done(&self) {
        if self.resets {
            self.sync.reset();
        }
    }
}

impl<D: DriverTypes> Signal<D> {
    /// Signals the object after the work. Call it if the system does not do so.
    pub fn done(&self) {
        self.sync.signal(self.value);
    }
}

/// A wait of a thread of the application, for [`Driver::wait`](crate::Driver::wait). The driver has received every signal that is
/// waited for.
pub struct HostWait<'a, D: DriverTypes> {
    /// The objects that have not been reached yet, and the values: 1 for the driver's binary objects.
    pub objects: &'a [(SyncRef<D>, u64)],
    /// Whether all objects are waited for, or any of them.
    pub all: bool,
    /// The end of the wait in any case, by [`Host::now`](crate::host::Host::now); the runtime then asks whether the device
    /// was lost, and waits again if the application's own time is not up.
    pub deadline: u64,
    /// How often the runtime has looked since the wait began.
    pub turn: u32,
    pub(crate) waiter: &'a Waiter<'a>,
    pub(crate) wakes: bool,
}

impl<D: DriverTypes> HostWait<'_, D> {
    /// Waits without help from the driver's system: sleeps if every object [wakes](crate::sync_object::Ability::WAKES) its waiting
    /// threads, and otherwise yields to other threads for a moment.
    pub fn rest(&self) {
        if self.wakes {
            self.waiter.sleep(D::host(), self.deadline);
        } else {
            D::host().wait(self.turn);
        }
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
/// Memory that is bound to an image of unknown layout.
pub type ImageOpaqueBinds = Binds<vk::Image, vk::SparseMemoryBind>;
/// Memory that is bound to an image.
pub type ImageBinds = Binds<vk::Image, vk::SparseImageMemoryBind>;

impl<R, B: Copy> Binds<R, B> {
    /// Returns the memory bindings.
    pub fn binds(&self) -> &[B] {
        &self.binds
    }

    /// Copies the application's arguments, which need not outlive its call.
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
        // SAFETY: the caller vouches for the array.
        binds.try_extend(unsafe { list(first, count) })?;
        Ok(Self { resource, binds })
    }
}
