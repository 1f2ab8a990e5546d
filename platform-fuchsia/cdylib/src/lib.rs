//! Fuchsia's `libvulkan.so`: [`platform_fuchsia`] and the exported functions, as a shared library.
// Empty on other systems, so that the whole workspace can be built.
#![cfg_attr(target_os = "fuchsia", no_std)]

#[cfg(target_os = "fuchsia")]
pub mod exports;

#[cfg(target_os = "fuchsia")]
shell::library!(platform_fuchsia);
