//! Fuchsia's `libvulkan.so`: [`platform_fuchsia`] and the exported functions, as a shared library.
#![no_std]

#[cfg(not(target_os = "fuchsia"))]
compile_error!("this library is for Fuchsia alone: `cargo xtask fuchsia-abi` builds it");

#[cfg(target_os = "fuchsia")]
pub mod exports;

#[cfg(target_os = "fuchsia")]
shell::library!(platform_fuchsia);
