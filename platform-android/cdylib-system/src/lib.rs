//! `libvulkan.so` of an Android system image: [`platform_android_system`] and the exported functions, as a
//! shared library.
#![no_std]

#[cfg(not(target_os = "android"))]
compile_error!("this library is for Android alone: `./ndk-build.sh` builds it");

#[cfg(target_os = "android")]
pub mod exports;

#[cfg(target_os = "android")]
shell::library!(panic = platform_android_system::report_and_abort);
