//! The Linux implementation of the loader's platform.
//!
//! [`PLATFORM`] implements every trait of [`vkload_core::platform`] with plain libc calls. The
//! choice of calls is part of the library's behaviour: sandboxes, tracers and test harnesses around
//! Vulkan interpose `opendir`, `readdir`, `closedir`, `access`, `fopen`, `dlopen`, `getenv`,
//! `secure_getenv` and `fputs`, so these are called by these names and through the dynamic symbol
//! table. Other calls on paths (`stat`, `realpath`, `readlink`) may fail on a path that exists only
//! for an interposer; their failure never rejects a path.
//!
//! The library has no thread-local storage and no threads, so it can be unloaded at any time.
#![no_std]
#![deny(missing_docs)]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]
#![cfg_attr(not(test), deny(clippy::expect_used, clippy::panic, clippy::unwrap_used))]

#[cfg(test)]
extern crate std;

#[cfg(not(target_os = "linux"))]
compile_error!("vkload-linux is for Linux; ARCHITECTURE.md of vkload names the crates for other systems");

mod os;
mod policy;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

pub use policy::POLICY;

use vkload_core::flavour::Flavour;
use vkload_core::loader::Loader;
use vkload_core::platform::{NoEnvironment, NoFiles, Platform};

/// Linux as the loader sees it.
pub static PLATFORM: Platform = Platform {
    environment: if policy::IS_FIXED { &NoEnvironment } else { &os::environment::ProcessEnvironment },
    files: if policy::IS_FIXED { &NoFiles } else { &os::files::FileSystem },
    libraries: &os::libraries::DynamicLinker,
    identity: &os::identity::Process,
    log: &os::log::StandardError,
    abort,
    waiting: &os::waiting::Backoff,
    windows: None,
};

fn abort() -> ! {
    // SAFETY: `abort` has no preconditions and does not return.
    unsafe { libc::abort() }
}

/// The flavour of Linux's loader.
pub const FLAVOUR: Flavour = Flavour {
    software_devices_last: policy::SOFTWARE_DEVICES_LAST,
    refuses_software_devices: policy::REFUSES_SOFTWARE_DEVICES,
    more_about_drivers: policy::more_about_drivers,
    ..Flavour::linux(policy::SOURCE)
};

/// The loader of the process.
pub static LOADER: Loader = Loader::new(&PLATFORM, FLAVOUR);

/// The global commands of Vulkan: those that take no object.
///
/// A program that contains the loader instead of linking to a library starts with
/// [`entry::get_instance_proc_addr`].
pub mod entry {
    vkload_core::global_commands!(crate::LOADER);
}

/// Makes [`LOADER`] report bad handles even in the first call, and prepares the process ([`prepare`]).
///
/// The shared library calls this from its `.init_array`; a program with the loader may call it.
pub fn load() {
    LOADER.make_current();
    prepare();
}

/// Lets loaders in this process detect a fork, since threads that hold their locks do not exist in the child, and reports the order of
/// threads to tools that watch them. Called once.
pub fn prepare() {
    extern "C" fn child() {
        vkload_core::platform::forked(PLATFORM.waiting);
    }
    os::watching::start();
    // SAFETY: `child` may run in a forked child. It stays mapped while the library is loaded; the C library
    // drops the handler when it unloads the library.
    unsafe { libc::pthread_atfork(None, None, Some(child)) };
}

/// Frees process-wide memory: caches and library handles that outlive every instance.
///
/// The shared library calls this from its `.fini_array`. That runs on `dlclose`, when no other thread may be
/// in the library any more, but also on `exit`, when other threads still run and later destructors may still
/// call Vulkan: every entry point must continue to work afterwards, from an empty cache.
pub fn unload() {
    vkload_core::entry::unload(&LOADER);
}
