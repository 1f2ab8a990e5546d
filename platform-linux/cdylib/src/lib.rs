//! `libvulkan.so.1`: the panic handler, the allocator and the exported functions around [`platform_linux`].
//!
//! Everything that a library may have only once per process image lives here and not in the crates below, so that
//! these can be linked into any other program.
#![no_std]

#[cfg(all(not(panic = "abort"), not(debug_assertions)))]
compile_error!("the library has no unwinder: build it with panic = \"abort\", as `cargo xtask build` does");

mod allocator;
pub mod exports;
mod panic;
mod unwinding;

/// Runs when the library is unloaded and when the process exits.
#[used]
#[unsafe(link_section = ".fini_array")]
static UNLOAD: extern "C" fn() = unload;

extern "C" fn unload() {
    platform_linux::unload();
}
