//! `libvkload.so`, the loader that an Android application brings: [`platform_android_apk`] and the
//! exported functions, as a shared library. It is never called `libvulkan.so`, which is the name of
//! the system's.
#![no_std]

#[cfg(not(target_os = "android"))]
compile_error!("this library is for Android alone: `./ndk-build.sh` builds it");

#[cfg(target_os = "android")]
pub mod exports;

#[cfg(target_os = "android")]
shell::library!(panic = platform_android_apk::report_and_abort);
