//! Replacements for Android's `libcutils.so`, `libhardware.so` and `libsync.so`, which drivers for
//! applications need and applications cannot open. They have the functions that Mesa's drivers use.
//! `xtask/src/android_abi.rs` lists the library of each function.
//!
//! The functions keep to Android's headers (`cutils/properties.h`, `cutils/trace.h`,
//! `hardware/hardware.h`, `android/sync.h`). Callers are C code, so pointers are valid or NULL as
//! those headers require.
// Empty on other systems, so that the whole workspace can be built.
#![cfg_attr(target_os = "android", no_std)]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]
#![cfg_attr(not(test), deny(clippy::expect_used, clippy::panic, clippy::unwrap_used))]

#[cfg(target_os = "android")]
pub mod hardware;
#[cfg(target_os = "android")]
pub mod properties;
#[cfg(target_os = "android")]
pub mod sync;
#[cfg(target_os = "android")]
pub mod trace;

#[cfg(target_os = "android")]
shell::library!(panic = end);

#[cfg(target_os = "android")]
fn end(_: &dyn core::fmt::Display) -> ! {
    // SAFETY: `abort` has no preconditions.
    unsafe { libc::abort() }
}
