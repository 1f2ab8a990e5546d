//! Tools that watch the threads of the process: ThreadSanitizer, and Valgrind's Helgrind and DRD.

use core::ffi::c_void;

use vkload_core::platform::{Watcher, watch};
use vkload_core::symbol;

/// Reports the order of threads to the tool that watches them, if any.
pub(crate) fn start() {
    if TSAN.iter().all(Option::is_some) {
        // SAFETY: these are the two functions of a `Watcher`, in the same order.
        watch(unsafe { &*(&raw const TSAN).cast::<Watcher>() });
    }
    #[cfg(target_arch = "x86_64")]
    if valgrind::watches_threads() {
        watch(&valgrind::WATCHER);
    }
}

/// Two words with the addresses of ThreadSanitizer's functions, in assembly: Rust has no weak symbols.
#[cfg(target_pointer_width = "64")]
macro_rules! words {
    () => {
        ".8byte __tsan_acquire, __tsan_release"
    };
}
#[cfg(target_pointer_width = "32")]
macro_rules! words {
    () => {
        ".4byte __tsan_acquire, __tsan_release"
    };
}

core::arch::global_asm!(
    ".weak __tsan_acquire",
    ".weak __tsan_release",
    concat!(".hidden \"", symbol!(TSAN), "\""),
    concat!(".globl \"", symbol!(TSAN), "\""),
    ".pushsection .data.rel.ro.vkload_tsan,\"aw\",%progbits",
    ".balign 8",
    concat!("\"", symbol!(TSAN), "\":"),
    words!(),
    concat!(".size \"", symbol!(TSAN), "\", . - \"", symbol!(TSAN), "\""),
    ".popsection",
);

unsafe extern "C" {
    /// NULL in programs without ThreadSanitizer.
    #[link_name = symbol!(TSAN)]
    safe static TSAN: [Option<unsafe extern "C" fn(*const c_void)>; 2];
}

/// Valgrind runs programs on a virtual processor, which treats a sequence of instructions without effect as a
/// request to the tool.
#[cfg(target_arch = "x86_64")]
mod valgrind {
    use super::{Watcher, c_void};

    /// Work done by this thread happens before work that follows [`HAPPENS_AFTER`] of the same address.
    const HAPPENS_BEFORE: usize = 0x4847_0121;
    const HAPPENS_AFTER: usize = 0x4847_0122;

    pub(super) static WATCHER: Watcher = Watcher { acquired, releases };

    /// Returns whether the process runs under Helgrind or DRD, which know these requests. Other tools do not.
    pub(super) fn watches_threads() -> bool {
        request(HAPPENS_BEFORE, (&raw const WATCHER).cast())
    }

    extern "C" fn acquired(word: *const c_void) {
        request(HAPPENS_AFTER, word);
    }

    extern "C" fn releases(word: *const c_void) {
        request(HAPPENS_BEFORE, word);
    }

    /// Makes a request with one argument. Returns whether a tool knows it.
    #[inline(never)]
    fn request(number: usize, word: *const c_void) -> bool {
        let block = [number, word.addr(), 0, 0, 0, 0];
        let unknown: usize;
        // SAFETY: the rotations add up to 128 bits, so nothing changes. Valgrind reads the block, and writes
        // 0 to `rdx` if the tool knows the request.
        unsafe {
            core::arch::asm!(
                "rol rdi, 3",
                "rol rdi, 13",
                "rol rdi, 61",
                "rol rdi, 51",
                "xchg rbx, rbx",
                in("rax") block.as_ptr(),
                inlateout("rdx") 1usize => unknown,
                options(nostack),
            );
        }
        unknown == 0
    }
}
