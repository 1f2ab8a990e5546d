//! The process's memory, from the C library, so that tools that watch or fail `malloc` see it all.

use core::alloc::{GlobalAlloc, Layout};
use core::ffi::{c_int, c_void};

// The crate `libc` declares these too, but needs libfdio on Fuchsia, which a driver must not.
#[link(name = "c")]
unsafe extern "C" {
    fn malloc(size: usize) -> *mut c_void;
    fn calloc(count: usize, size: usize) -> *mut c_void;
    fn posix_memalign(block: *mut *mut c_void, align: usize, size: usize) -> c_int;
    fn realloc(block: *mut c_void, size: usize) -> *mut c_void;
    fn free(block: *mut c_void);
}

pub struct CAllocator;

/// The alignment that `malloc` guarantees on every target (`max_align_t`).
const MALLOC_ALIGN: usize = 2 * size_of::<usize>();

// SAFETY: the C library's allocator meets the contract: it returns NULL or a block of at least the
// size, aligned for every type up to `MALLOC_ALIGN`, or as `posix_memalign` was asked. It does not
// unwind.
unsafe impl GlobalAlloc for CAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.align() <= MALLOC_ALIGN {
            // SAFETY: `malloc` has no preconditions.
            return unsafe { malloc(layout.size()) }.cast();
        }
        let mut block = core::ptr::null_mut();
        // SAFETY: `block` is writable. The alignment is a power of two, as in every `Layout`, and a
        // multiple of a pointer's size, since it exceeds `MALLOC_ALIGN`.
        let result = unsafe { posix_memalign(&raw mut block, layout.align(), layout.size()) };
        if result == 0 { block.cast() } else { core::ptr::null_mut() }
    }

    unsafe fn dealloc(&self, block: *mut u8, _: Layout) {
        // SAFETY: `block` came from this allocator, by the contract of `GlobalAlloc::dealloc`;
        // `free` takes blocks of `malloc` and of `posix_memalign`.
        unsafe { free(block.cast()) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout.align() <= MALLOC_ALIGN {
            // SAFETY: `calloc` has no preconditions.
            return unsafe { calloc(1, layout.size()) }.cast();
        }
        // SAFETY: `layout` has a size, by the contract of `GlobalAlloc::alloc_zeroed`.
        let block = unsafe { self.alloc(layout) };
        if !block.is_null() {
            // SAFETY: `alloc` returned a block that is writable for `layout.size()` bytes.
            unsafe { block.write_bytes(0, layout.size()) };
        }
        block
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if layout.align() <= MALLOC_ALIGN {
            // SAFETY: `block` came from this allocator with this layout, by the contract of
            // `GlobalAlloc::realloc`, so `malloc`, `calloc` or `realloc` returned it.
            return unsafe { realloc(block.cast(), size) }.cast();
        }
        // SAFETY: `size`, rounded up to the alignment, does not overflow `isize`, by the contract
        // of `GlobalAlloc::realloc`; a valid layout has this alignment.
        let layout_after = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        // SAFETY: `size` is not 0, by the contract of `GlobalAlloc::realloc`.
        let after = unsafe { self.alloc(layout_after) };
        if !after.is_null() {
            // SAFETY: both blocks are valid for the smaller of the two sizes and do not overlap.
            // The old one came from this allocator with `layout`, and is not used again.
            unsafe {
                after.copy_from_nonoverlapping(block, layout.size().min(size));
                self.dealloc(block, layout);
            }
        }
        after
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_aligned_and_keep_their_content() {
        for align in [1, 8, 16, 64, 4096] {
            let layout = Layout::from_size_align(100, align).unwrap();
            // SAFETY: the layout has a size. The block is used within its bounds, and freed with
            // the layout of its last size.
            unsafe {
                let block = CAllocator.alloc_zeroed(layout);
                assert!(block.addr().is_multiple_of(align) && block.add(99).read() == 0, "{align}");
                block.write(7);
                let longer = CAllocator.realloc(block, layout, 1000);
                assert!(longer.addr().is_multiple_of(align) && longer.read() == 7, "{align}");
                longer.add(999).write(7);
                CAllocator.dealloc(longer, Layout::from_size_align(1000, align).unwrap());
            }
        }
    }
}
