//! A loader above another one, for tests: `libvkload_above.so` is the Linux loader with the foreign handles of the one that an
//! Android application brings. Its drivers are found as on Linux, and the library that the variable
//! [`SYSTEM_LOADER`] names is one more.

use std::ffi::CStr;

use vkload_core::discovery::{Policy, Root, Search};
use vkload_core::flavour::{Flavour, Handles};
use vkload_core::loader::Loader;
use vkload_core::platform::variables;
use vkload_linux::PLATFORM;

pub const SYSTEM_LOADER: &CStr = c"VKLOAD_TEST_SYSTEM_LOADER";

/// The variable that lists the manifests of bundled drivers, for tests in which the other loader reads the usual variables.
pub const DRIVERS: &CStr = c"VKLOAD_TEST_DRIVERS";

static ROOTS: [Root; 6] = Policy::linux_roots(b"/usr/local/etc", b"/etc");

static POLICY: Policy = Policy {
    other_loaders: Some(SYSTEM_LOADER),
    drivers: Search {
        replacing: &[DRIVERS, variables::VK_DRIVER_FILES.name, variables::VK_ICD_FILENAMES.name],
        ..Search::DRIVERS
    },
    ..Policy::linux(&ROOTS)
};

pub static LOADER: Loader =
    Loader::new(&PLATFORM, Flavour { handles: Handles::LookedUp, ..Flavour::linux(&POLICY) });

pub mod entry {
    vkload_core::global_commands!(crate::LOADER);
}

pub mod exports {
    use super::entry;

    vkload_core::registry::for_each_export!(linux, vkload_core::look_up_exports);
}

/// Runs when the library is unloaded, as in the shells.
#[used]
#[unsafe(link_section = ".fini_array")]
static UNLOAD: extern "C" fn() = unload;

extern "C" fn unload() {
    vkload_core::entry::unload(&LOADER);
}
