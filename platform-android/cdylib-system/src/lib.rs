//! `libvulkan.so` of an Android system image: `platform_android_system` and the exported functions, as a
//! shared library.
// Empty on other systems, so that the whole workspace can be built.
#![cfg_attr(target_os = "android", no_std)]

#[cfg(target_os = "android")]
pub mod exports;

#[cfg(target_os = "android")]
shell::library!(panic = platform_android_system::report_and_abort);
