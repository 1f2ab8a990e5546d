//! What objects are created from.

use core::alloc::Layout;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicU32, Ordering};

use loader_core::memory::{AllocError, Allocator, Application};

use super::base::ObjectBase;
use super::foreign::Foreign;
use super::private_data::Slot;
use crate::Host;

/// Whether something was created from an instance or from a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParentKind {
    /// From an instance: physical devices, surfaces, messengers; the instance itself.
    Instance,
    /// From a device: everything else; the device itself.
    Device,
}

/// Instances and devices of the runtime, which other objects are created from.
///
/// # Safety
/// The type begins with its [`Root`]; only this crate can promise that, so only it implements the trait.
pub unsafe trait ParentObject: Sync + 'static {
    /// Which of the two.
    const KIND: ParentKind;
    /// The root.
    fn root(&self) -> &Root;
}

/// What instances and devices have in common: their own base, and what their children need of them.
#[repr(C)]
pub struct Root {
    base: ObjectBase,
    memory: Application,
    host: &'static dyn Host,
    last_slot: AtomicU32,
    foreign: Foreign,
}

impl Root {
    /// The root of an instance or device that will be at `own`.
    pub(crate) fn new(base: ObjectBase, memory: Application, host: &'static dyn Host) -> Self {
        let foreign = Foreign::new(base.root_pointer());
        Self { base, memory, host, last_slot: AtomicU32::new(0), foreign }
    }

    /// The instance or device as an object.
    pub fn base(&self) -> &ObjectBase {
        &self.base
    }

    /// The allocator of the instance or device, which its children fall back on.
    pub fn memory(&self) -> &Application {
        &self.memory
    }

    /// The system below.
    pub fn host(&self) -> &'static dyn Host {
        self.host
    }

    /// Names and private data of objects that the driver did not create.
    pub fn foreign(&self) -> &Foreign {
        &self.foreign
    }

    /// A private data slot that was never given out before.
    pub fn new_slot(&self) -> Slot {
        let index = self.last_slot.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        Slot::new(NonNull::from(self), index)
    }

    const MEMORY_OFFSET: usize = core::mem::offset_of!(Self, memory);
}

/// The allocator of a parent, by reference: names and private data are rare, so their lists stay small when empty.
#[derive(Clone, Copy)]
pub(crate) struct ParentMemory(NonNull<Application>);

impl ParentMemory {
    /// The allocator of `root`, which need not be complete before something is allocated.
    pub(crate) fn of(root: NonNull<Root>) -> Self {
        // SAFETY: the field lies inside the root.
        Self(unsafe { root.byte_add(Root::MEMORY_OFFSET).cast() })
    }

    fn get(&self) -> &Application {
        // SAFETY: lists that hold this belong to objects of the parent, which outlives them, or to the parent itself,
        // whose allocator is dropped after them and has nothing to drop.
        unsafe { self.0.as_ref() }
    }
}

// SAFETY: the allocator behind the pointer may be used from any thread.
unsafe impl Send for ParentMemory {}

// SAFETY: copies lead to the same allocator, which keeps the trait's promises.
unsafe impl Allocator for ParentMemory {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.get().allocate(layout)
    }

    unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller vouches for the block, which came from the same allocator.
        unsafe { self.get().deallocate(block, layout) };
    }
}
