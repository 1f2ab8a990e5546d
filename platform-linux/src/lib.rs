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

#[macro_use]
mod exports_gen;
mod os;
mod policy;

pub use policy::POLICY;

use loader_core::flavour::Flavour;
use loader_core::loader::Loader;
use loader_core::platform::Platform;

/// Linux, as the loader sees it.
pub static PLATFORM: Platform = Platform {
    #[cfg(not(feature = "fixed-drivers"))]
    environment: &os::environment::ProcessEnvironment,
    #[cfg(feature = "fixed-drivers")]
    environment: &os::fixed::NoEnvironment,
    #[cfg(not(feature = "fixed-drivers"))]
    files: &os::files::FileSystem,
    #[cfg(feature = "fixed-drivers")]
    files: &os::fixed::NoFiles,
    libraries: &os::libraries::DynamicLinker,
    identity: &os::identity::Process,
    log: &os::log::StandardError,
    abort,
    waiting: &os::waiting::Backoff,
    windows: None,
};

fn abort() -> ! {
    // SAFETY: has no preconditions and does not return.
    unsafe { libc::abort() }
}

/// The loader of the process.
pub static LOADER: Loader = Loader::new(&PLATFORM, Flavour::linux(POLICY));

/// The global commands of Vulkan: those that need no object.
///
/// A program that carries the loader instead of linking to a library starts with [`entry::get_instance_proc_addr`].
pub mod entry {
    loader_core::global_commands!(crate::LOADER);
}

/// Has the loader report bad handles even if they come with the first call, and know when the process is forked: threads that hold
/// its locks are not in the child.
///
/// The shared library calls this from its `.init_array`; a program that carries the loader may.
pub fn load() {
    extern "C" fn child() {
        loader_core::platform::forked(PLATFORM.waiting);
    }
    LOADER.make_current();
    // SAFETY: the function may be called in a child, and as long as the library is there; the C library forgets it with that.
    unsafe { libc::pthread_atfork(None, None, Some(child)) };
}

/// Frees what the process owns: caches and library handles that outlive every instance.
///
/// The shared library calls this from its `.fini_array`. That runs on `dlclose`, when no other thread may be in the
/// library any more, but also on `exit`, when other threads still run and destructors that run later may still call
/// Vulkan: every entry point has to go on working afterwards, from an empty cache.
pub fn unload() {
    loader_core::entry::unload(&LOADER);
}
