//! Where Fuchsia keeps manifests.

use loader_core::discovery::{Policy, Root};

/// What the folder of driver manifests in the loader service is called here. It is no path of the namespace.
pub(crate) const MANIFESTS: &[u8] = b"/svc/fuchsia.vulkan.loader.Loader/manifests";

/// The search of this build. Two variables of the build environment change it: `SYSCONFDIR`
/// (`/vulkan-loader-configuration` where it is not set, once `/config`) and `EXTRASYSCONFDIR` (`/pkg/data`).
pub static POLICY: Policy = Policy::fuchsia(&ROOTS, MANIFESTS);

static ROOTS: [Root; 6] = Policy::fuchsia_roots(
    build_option(option_env!("SYSCONFDIR"), "/vulkan-loader-configuration"),
    build_option(option_env!("EXTRASYSCONFDIR"), "/pkg/data"),
);

const fn build_option(given: Option<&'static str>, default: &'static str) -> &'static [u8] {
    match given {
        Some(folder) => folder.as_bytes(),
        None => default.as_bytes(),
    }
}
