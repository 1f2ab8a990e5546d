//! `libvkload_jni.so`: the native methods of the Java API (`jni/java`).
//!
//! It knows the loader only by its C interface (`jni/include/vkload.h`), which it finds in
//! `libvkload.so`. It keeps no reference to a Java object, global or local, beyond the call that
//! passed it, and starts no thread: the thread of a log listener is Java's. Text crosses as UTF-8
//! byte arrays, never in JNI's own encoding. Memory is allocated only for log records; if it runs
//! out, the record counts as dropped.
#![no_std]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]
#![cfg_attr(not(test), deny(clippy::expect_used, clippy::panic, clippy::unwrap_used))]

mod arrays;
mod failure;
mod interface;
mod natives;
mod records;
#[cfg(target_os = "android")]
pub mod stand_ins;
mod vulkan;

use core::ffi::c_void;
use core::ptr::null_mut;

use jni_sys::{JNI_ERR, JNI_OK, JNI_VERSION_1_6, JNIEnv, JavaVM, jint};

shell::library!(panic = failure::end);

/// Called by `System.loadLibrary`: registers the functions for the native methods of
/// `dev.vkload.Native`.
///
/// # Safety
/// Only the JVM calls this, with itself as `machine`.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn JNI_OnLoad(machine: *mut JavaVM, _: *mut c_void) -> jint {
    let mut env: *mut c_void = null_mut();
    // SAFETY: by this function's `# Safety` the JVM passes itself; this thread is attached to it,
    // and `env` is writable.
    let result = unsafe { ((**machine).v1_2.GetEnv)(machine, &raw mut env, JNI_VERSION_1_6) };
    let env: *mut JNIEnv = env.cast();
    if result != JNI_OK || env.is_null() {
        return JNI_ERR;
    }
    // SAFETY: `GetEnv` returned this thread's environment.
    if unsafe { natives::register(env) } { JNI_VERSION_1_6 } else { JNI_ERR }
}
