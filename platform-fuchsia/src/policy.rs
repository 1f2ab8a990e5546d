//! The search path for manifests on Fuchsia.

use vkload_core::discovery::{Policy, Root, build_option};

/// The loader service's folder of driver manifests, by its name here. Not in the namespace.
pub(crate) const MANIFESTS: &[u8] = b"/svc/fuchsia.vulkan.loader.Loader/manifests";

/// The search paths of this build. Two variables of the build environment change them: `SYSCONFDIR`
/// (default `/vulkan-loader-configuration`, formerly `/config`) and `EXTRASYSCONFDIR` (default
/// `/pkg/data`).
pub static POLICY: Policy = Policy::fuchsia(&ROOTS, MANIFESTS);

static ROOTS: [Root; 6] = Policy::fuchsia_roots(
    build_option(option_env!("SYSCONFDIR"), "/vulkan-loader-configuration"),
    build_option(option_env!("EXTRASYSCONFDIR"), "/pkg/data"),
);
