//! `libvkload.so`, the loader that an Android application brings: `platform_android_apk` and the
//! exported functions, as a shared library. It is never called `libvulkan.so`, which is the name of
//! the system's.
// Empty on other systems, so that the whole workspace can be built.
#![cfg_attr(target_os = "android", no_std)]

#[cfg(target_os = "android")]
pub mod exports;

#[cfg(target_os = "android")]
shell::library!(panic = platform_android_apk::report_and_abort);
