//! Where Fuchsia keeps manifests.

use loader_core::discovery::{Policy, Root, build_option};

/// What the folder of driver manifests in the loader service is called here. It is no path of the namespace.
pub(crate) const MANIFESTS: &[u8] = b"/svc/fuchsia.vulkan.loader.Loader/manifests";

/// The search of this build. Two variables of the build environment change it: `SYSCONFDIR`
/// (`/vulkan-loader-configuration` where it is not set, once `/config`) and `EXTRASYSCONFDIR` (`/pkg/data`).
pub static POLICY: Policy = Policy::fuchsia(&ROOTS, MANIFESTS);

static ROOTS: [Root; 6] = Policy::fuchsia_roots(
    build_option(option_env!("SYSCONFDIR"), "/vulkan-loader-configuration"),
    build_option(option_env!("EXTRASYSCONFDIR"), "/pkg/data"),
);
