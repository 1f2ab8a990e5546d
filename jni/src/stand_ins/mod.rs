//! Replacements for Android's `libcutils.so`, `libhardware.so` and `libsync.so`, which drivers for applications need and applications
//! cannot open. They have the functions that Mesa's drivers use, in libraries of their own: `xtask/src/android_abi.rs` lists each one's.
//!
//! The functions keep to Android's headers (`cutils/properties.h`, `cutils/trace.h`, `hardware/hardware.h`, `android/sync.h`). Callers are
//! C code, so pointers are valid or NULL as those headers require.

pub mod hardware;
pub mod properties;
pub mod sync;
pub mod trace;
