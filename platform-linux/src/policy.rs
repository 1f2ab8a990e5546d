//! Where Linux desktops keep manifests.

use loader_core::discovery::{Policy, Root};

/// The search of this build. Two variables of the build environment change it, as distributions do it: `SYSCONFDIR`
/// (`/usr/local/etc` where it is not set) and `EXTRASYSCONFDIR` (`/etc`).
pub static POLICY: Policy = Policy::linux(&ROOTS);

static ROOTS: [Root; 6] = Policy::linux_roots(
    build_option(option_env!("SYSCONFDIR"), "/usr/local/etc"),
    build_option(option_env!("EXTRASYSCONFDIR"), "/etc"),
);

const fn build_option(given: Option<&'static str>, default: &'static str) -> &'static [u8] {
    match given {
        Some(folder) => folder.as_bytes(),
        None => default.as_bytes(),
    }
}
