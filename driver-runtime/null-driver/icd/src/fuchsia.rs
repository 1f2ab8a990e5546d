//! Memory and panics on Fuchsia, by the C library, and stand-ins for the unwinder, which the compiler's `alloc` refers to and
//! nothing here calls: hidden, weak, and trapping.

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

#[cfg(target_arch = "x86_64")]
macro_rules! trap {
    () => {
        "ud2"
    };
}
#[cfg(target_arch = "aarch64")]
macro_rules! trap {
    () => {
        "brk #1"
    };
}

core::arch::global_asm!(
    ".pushsection .text.unwinding,\"ax\",%progbits",
    ".weak rust_eh_personality",
    ".hidden rust_eh_personality",
    "rust_eh_personality:",
    ".weak _Unwind_Resume",
    ".hidden _Unwind_Resume",
    "_Unwind_Resume:",
    trap!(),
    ".popsection",
);
