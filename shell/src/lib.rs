//! What turns the loader and a platform into a shared library.
//!
//! A library may have only one allocator, panic handler and unwinder. They are written here but
//! become items only in crates that use [`library!`](crate::library): the shared libraries (the
//! shells) and nothing else. The crates below them can be linked into any other program.
//!
//! A port needs this crate only for a shared library, and may take parts of it: [`CAllocator`] needs
//! `malloc`, `calloc`, `posix_memalign`, `realloc` and `free`, [`report_and_abort`] a platform, and
//! [`stand_in_for_the_unwinder!`] nothing. `load` and `unload` of [`library!`] run from
//! `.init_array` and `.fini_array`; without these sections, call them when the library is loaded and
//! unloaded, or never: the loader then reports no bad handle in its first call, and does not notice
//! that the process was forked.
#![no_std]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]
#![cfg_attr(not(test), deny(clippy::expect_used, clippy::panic, clippy::unwrap_used))]

#[cfg(test)]
extern crate std;

mod allocator;
mod panic;
mod unwinding;

pub use allocator::CAllocator;
pub use panic::{Line, report_and_abort};

#[doc(hidden)]
pub use vkload_core::piece;

/// Makes the crate a shared library around `$platform`, a crate with the `PLATFORM` of the process
/// and the functions `load` and `unload`. The other form is for a library without these functions:
/// it takes the function that reports a failure of the loader and aborts. The exported
/// functions are a module of the crate itself.
#[macro_export]
macro_rules! library {
    ($platform:ident) => {
        $crate::library!(panic = failed);

        fn failed(failure: &dyn core::fmt::Display) -> ! {
            $crate::report_and_abort(&$platform::PLATFORM, failure)
        }

        #[used]
        #[unsafe(link_section = ".init_array")]
        static LOAD: extern "C" fn() = load;

        extern "C" fn load() {
            $platform::load();
        }

        /// Runs when the library is unloaded and when the process exits.
        #[used]
        #[unsafe(link_section = ".fini_array")]
        static UNLOAD: extern "C" fn() = unload;

        extern "C" fn unload() {
            $platform::unload();
        }
    };
    (panic = $failed:path) => {
        #[cfg(all(not(panic = "abort"), not(debug_assertions)))]
        compile_error!(
            "the library has no unwinder: build it with panic = \"abort\", as the profiles of the workspace do"
        );

        #[global_allocator]
        static ALLOCATOR: $crate::CAllocator = $crate::CAllocator;

        // A debug build takes panic handler and unwinder from the standard library. It contains that anyway if the
        // whole workspace is built at once: other crates turn on features of shared dependencies.
        #[cfg(debug_assertions)]
        extern crate std;

        #[cfg(not(debug_assertions))]
        #[panic_handler]
        fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
            $failed(info)
        }

        #[cfg(not(debug_assertions))]
        $crate::stand_in_for_the_unwinder!();

        #[cfg(debug_assertions)]
        const _: fn(&dyn core::fmt::Display) -> ! = $failed;
    };
}
