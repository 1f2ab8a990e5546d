//! The loader of a process on Fuchsia.

use core::ffi::c_char;

use ash::vk;
use vkload_core::flavour::Flavour;
use vkload_core::loader::Loader;
use vkload_core::platform::Platform;

use crate::api_level::api_level;
use crate::fuchsia::Fuchsia;
use crate::policy::POLICY;
use crate::system::RawHandle;
use crate::zircon::Kernel;

static FUCHSIA: Fuchsia =
    Fuchsia::new(&Kernel, api_level(option_env!("FUCHSIA_API_LEVEL")), open_in_namespace);

pub static PLATFORM: Platform = FUCHSIA.platform(abort);

fn abort() -> ! {
    // SAFETY: `abort` has no preconditions and does not return.
    unsafe { libc::abort() }
}

pub static LOADER: Loader = Loader::new(&PLATFORM, Flavour::fuchsia(&POLICY));

/// The global Vulkan commands: those that take no object.
pub mod entry {
    vkload_core::global_commands!(crate::LOADER);
}

/// Makes the loader report bad handles even in the first call.
pub fn load() {
    LOADER.make_current();
}

/// Frees the process's state: caches and library handles that outlive every instance. The
/// connection to the loader service stays open, and so do the drivers.
pub fn unload() {
    vkload_core::entry::unload(&LOADER);
}

unsafe extern "system" fn open_in_namespace(name: *const c_char, handle: RawHandle) -> vk::Result {
    // SAFETY: the driver interface obliges the driver to pass a C string and to give up its handle.
    unsafe { FUCHSIA.open_in_namespace(name, handle) }
}
