//! What Linux supplies to the loader.
//!
//! [`PLATFORM`] implements every trait of [`loader_core::platform`] with plain libc calls. Which ones is part of the
//! library's behaviour: sandboxes, tracers and test harnesses around Vulkan interpose `opendir`, `readdir`,
//! `closedir`, `access`, `fopen`, `dlopen`, `getenv`, `secure_getenv` and `fputs`, so these are called by these names
//! and through the dynamic symbol table. Other calls on paths (`stat`, `realpath`, `readlink`) may fail on a path that
//! exists only for an interposer; their failure never rejects a path.
//!
//! Nothing here has thread-local storage or threads, so that the library can be unloaded at any time.
#![no_std]
#![deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![deny(clippy::arithmetic_side_effects)]
#![cfg_attr(
    test,
    allow(
        clippy::indexing_slicing,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::arithmetic_side_effects
    )
)]

#[cfg(test)]
extern crate std;

mod c_path;
mod exports_gen;
mod os;
mod policy;

pub use policy::POLICY;

use loader_core::platform::Platform;

/// Linux, as the loader sees it.
pub static PLATFORM: Platform = Platform {
    environment: &os::environment::ProcessEnvironment,
    files: &os::files::FileSystem,
    libraries: &os::libraries::DynamicLinker,
    identity: &os::identity::Process,
    log: &os::log::StandardError,
    abort,
    waiting: &os::waiting::Backoff,
};

fn abort() -> ! {
    // SAFETY: has no preconditions and does not return.
    unsafe { libc::abort() }
}

/// Frees what the process owns: caches and library handles that outlive every instance.
///
/// The shared library calls this from its `.fini_array`. That runs on `dlclose`, when no other thread may be in the
/// library any more, but also on `exit`, when other threads still run and destructors that run later may still call
/// Vulkan: every entry point has to go on working afterwards, from an empty cache.
pub fn unload() {
    // Nothing is owned by the process yet.
}
