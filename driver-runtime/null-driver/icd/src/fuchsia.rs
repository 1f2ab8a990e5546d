//! Memory and panics on Fuchsia through the C library, and stand-ins for the unwinder, which the compiler's `alloc`
//! refers to and nothing here calls.

use shell::CAllocator;

#[link(name = "c")]
unsafe extern "C" {
    fn abort() -> !;
}

#[global_allocator]
static ALLOCATOR: CAllocator = CAllocator;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    // SAFETY: aborts the process.
    unsafe { abort() }
}

shell::stand_in_for_the_unwinder!();
