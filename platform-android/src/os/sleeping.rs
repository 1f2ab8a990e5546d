//! Sleeping until another thread changes a word (`futex`).

use core::ffi::{c_int, c_long};
use core::ptr::{from_ref, null};
use core::sync::atomic::AtomicU32;

pub(super) fn sleep(word: &AtomicU32, value: u32, nanoseconds: Option<i64>) {
    const SECOND: i64 = 1_000_000_000;
    let time = nanoseconds.map(|all| libc::timespec {
        tv_sec: libc::time_t::try_from(all / SECOND).unwrap_or(libc::time_t::MAX),
        tv_nsec: c_long::try_from(all % SECOND).unwrap_or(0),
    });
    let time = time.as_ref().map_or(null(), from_ref);
    const WAIT: c_int = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: the word and the time, if present, are valid during the call, which only reads them.
    // Whatever it returns, the caller looks again.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), WAIT, value, time) };
}

pub(super) fn wake(word: &AtomicU32) {
    const WAKE: c_int = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: the kernel only compares the address with the addresses that threads sleep on.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), WAKE, c_int::MAX) };
}
