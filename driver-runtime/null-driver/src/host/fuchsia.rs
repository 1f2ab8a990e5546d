//! The Fuchsia libraries that a driver may use: `libc.so` and `libzircon.so`. The driver is not a component, so it
//! reads no files.

use alloc::string::{String, ToString};
use core::ffi::{CStr, c_char, c_int, c_void};

use vkload_driver_runtime::{Host, Waiting};

#[link(name = "c")]
unsafe extern "C" {
    fn getenv(name: *const c_char) -> *const c_char;
    fn write(file: c_int, bytes: *const c_void, size: usize) -> isize;
    fn thrd_current() -> usize;
}

#[link(name = "zircon")]
unsafe extern "C" {
    fn zx_clock_get_monotonic() -> i64;
    fn zx_nanosleep(deadline: i64) -> i32;
}

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

pub(crate) fn variable(name: &str) -> Option<String> {
    let name = alloc::format!("{name}\0");
    // SAFETY: the name is NUL-terminated; the value is copied at once.
    unsafe {
        let value = getenv(name.as_ptr().cast());
        (!value.is_null()).then(|| CStr::from_ptr(value).to_string_lossy().to_string())
    }
}

pub(crate) fn complain(words: &str) {
    let line = alloc::format!("vkload null driver: {words}\n");
    // SAFETY: the line has this number of bytes.
    unsafe { write(2, line.as_ptr().cast(), line.len()) };
}
