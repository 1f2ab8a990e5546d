//! Memory and panics on Fuchsia, by the C library.

use core::alloc::{GlobalAlloc, Layout};
use core::ffi::c_void;

#[link(name = "c")]
unsafe extern "C" {
    fn aligned_alloc(align: usize, size: usize) -> *mut c_void;
    fn free(block: *mut c_void);
    fn abort() -> !;
}

struct Heap;

// SAFETY: the C library keeps the trait's promises.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let align = layout.align().max(size_of::<usize>());
        // SAFETY: the alignment is a power of two and the size a multiple of it.
        unsafe { aligned_alloc(align, layout.size().next_multiple_of(align)).cast() }
    }

    unsafe fn dealloc(&self, block: *mut u8, _: Layout) {
        // SAFETY: the block came from the C library.
        unsafe { free(block.cast()) };
    }
}

#[global_allocator]
static HEAP: Heap = Heap;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    // SAFETY: ends the process.
    unsafe { abort() }
}
