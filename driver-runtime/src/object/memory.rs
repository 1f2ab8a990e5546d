//! The memory of attachments to objects.

use core::alloc::Layout;
use core::ptr::NonNull;

use vkload_core::memory::{AllocError, Allocator, CopiedCallbacks};

/// The allocator of a parent, by reference: names and private data are rare, so their lists stay small when empty.
#[derive(Clone, Copy)]
pub(crate) struct ParentMemory(NonNull<CopiedCallbacks>);

impl ParentMemory {
    /// Creates a reference to `memory`, the allocator in a parent's root, which need not be complete before the first
    /// allocation.
    pub(super) fn new(memory: NonNull<CopiedCallbacks>) -> Self {
        Self(memory)
    }

    fn get(&self) -> &CopiedCallbacks {
        // SAFETY: lists that hold this belong to objects of the parent, which outlives them, or to the parent itself,
        // whose allocator is dropped after them and has nothing to drop.
        unsafe { self.0.as_ref() }
    }
}

// SAFETY: the allocator behind the pointer may be used from any thread.
unsafe impl Send for ParentMemory {}
// SAFETY: the allocator behind the pointer may be used from any thread.
unsafe impl Sync for ParentMemory {}

// SAFETY: copies lead to the same allocator, which keeps the trait's promises.
unsafe impl Allocator for ParentMemory {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.get().allocate(layout)
    }

    unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: by the contract of `Allocator::deallocate` the block came from this allocator, with this layout.
        unsafe { self.get().deallocate(block, layout) };
    }
}
