//! The process's memory, from the C library, so that tools which watch or fail `malloc` see all of it.

use core::alloc::{GlobalAlloc, Layout};

struct CAllocator;

#[global_allocator]
static ALLOCATOR: CAllocator = CAllocator;

/// What `malloc` aligns to on every Linux target (`max_align_t`).
const MALLOC_ALIGN: usize = 2 * size_of::<usize>();

// SAFETY: blocks come from the C library's allocator, which meets the contract: it returns NULL or a block of at
// least the size, aligned for every type up to MALLOC_ALIGN, or as aligned_alloc was told. It does not unwind.
unsafe impl GlobalAlloc for CAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.align() <= MALLOC_ALIGN {
            // SAFETY: has no preconditions.
            return unsafe { libc::malloc(layout.size()) }.cast();
        }
        // SAFETY: the alignment is a power of two and a multiple of a pointer's, the size a multiple of it.
        unsafe { libc::aligned_alloc(layout.align(), layout.pad_to_align().size()) }.cast()
    }

    unsafe fn dealloc(&self, block: *mut u8, _: Layout) {
        // SAFETY: the caller vouches that the block came from this allocator.
        unsafe { libc::free(block.cast()) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout.align() <= MALLOC_ALIGN {
            // SAFETY: has no preconditions.
            return unsafe { libc::calloc(1, layout.size()) }.cast();
        }
        // SAFETY: the caller's layout is valid.
        let block = unsafe { self.alloc(layout) };
        if !block.is_null() {
            // SAFETY: the block is writable for its size.
            unsafe { block.write_bytes(0, layout.size()) };
        }
        block
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if layout.align() <= MALLOC_ALIGN {
            // SAFETY: the caller vouches that the block came from this allocator, and malloc made it.
            return unsafe { libc::realloc(block.cast(), size) }.cast();
        }
        // SAFETY: the caller vouches that `size`, rounded up to the alignment, does not overflow.
        let layout_after = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        // SAFETY: the layout is valid, see above.
        let after = unsafe { self.alloc(layout_after) };
        if !after.is_null() {
            // SAFETY: both blocks are valid for the smaller of the two sizes and do not overlap; the old one is not
            // used again.
            unsafe {
                after.copy_from_nonoverlapping(block, layout.size().min(size));
                self.dealloc(block, layout);
            }
        }
        after
    }
}
