//! What Fuchsia lets a driver use: `libc.so` and `libzircon.so`. The driver is no component of its own, so it reads no files.

use alloc::string::{String, ToString};
use core::alloc::{GlobalAlloc, Layout};
use core::ffi::{CStr, c_char, c_int, c_void};

use driver_runtime::{Host, Waiting};

#[link(name = "c")]
unsafe extern "C" {
    fn getenv(name: *const c_char) -> *const c_char;
    fn aligned_alloc(align: usize, size: usize) -> *mut c_void;
    fn free(block: *mut c_void);
    fn write(file: c_int, bytes: *const c_void, size: usize) -> isize;
    fn abort() -> !;
    fn thrd_current() -> usize;
}

#[link(name = "zircon")]
unsafe extern "C" {
    fn zx_clock_get_monotonic() -> i64;
    fn zx_nanosleep(deadline: i64) -> i32;
}

/// The system.
pub(crate) struct System;

impl Waiting for System {
    fn wait(&self, turn: u32) {
        let pause = if turn < 16 { 0 } else { 50_000 };
        // SAFETY: a deadline may be anything; one that has passed only gives way to other threads.
        unsafe { zx_nanosleep(if pause == 0 { 0 } else { zx_clock_get_monotonic() + pause }) };
    }

    fn thread(&self) -> usize {
        // SAFETY: every thread has a number.
        unsafe { thrd_current() }
    }
}

impl Host for System {
    fn now(&self) -> u64 {
        // SAFETY: the clock is always there.
        unsafe { zx_clock_get_monotonic() }.unsigned_abs()
    }
}

/// The value of an environment variable.
pub(crate) fn variable(name: &str) -> Option<String> {
    let name = alloc::format!("{name}\0");
    // SAFETY: the name ends with a NUL; the value is copied at once.
    unsafe {
        let value = getenv(name.as_ptr().cast());
        (!value.is_null()).then(|| CStr::from_ptr(value).to_string_lossy().to_string())
    }
}

/// There are no files.
pub(crate) fn file(_: &str) -> Option<String> {
    None
}

/// Tells whoever looks at the program's error output.
pub(crate) fn complain(words: &str) {
    let line = alloc::format!("vkload null driver: {words}\n");
    // SAFETY: so many bytes are there.
    unsafe { write(2, line.as_ptr().cast(), line.len()) };
}

/// There are no named pipes.
pub(crate) fn hold(_: &str) {}

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
