//! `libvkload_jni.so`: what the Java API (`jni/java`) calls.
//!
//! It knows the loader by its C interface (`jni/include/vkload.h`) alone, which it finds in `libvkload.so`. It keeps no reference to
//! anything of Java, global or local, beyond the call that it got it in, and starts no thread: the thread of a log listener is Java's.
//! Text crosses as arrays of bytes in UTF-8, never as JNI's own form of it. Memory is taken for records of the log alone; where
//! there is none, the record counts as dropped.
#![no_std]
#![deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![deny(clippy::arithmetic_side_effects)]

mod arrays;
mod failure;
mod interface;
mod natives;
mod records;
mod vulkan;

use core::ffi::c_void;
use core::ptr::null_mut;

use jni_sys::{JNI_ERR, JNI_OK, JNI_VERSION_1_6, JNIEnv, JavaVM, jint};

shell::library!(panic = failure::end);

/// Called by `System.loadLibrary`: gives the native methods of `dev.vkload.Native` their functions.
///
/// # Safety
/// Java's machine calls it, with itself.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn JNI_OnLoad(machine: *mut JavaVM, _: *mut c_void) -> jint {
    let mut env: *mut c_void = null_mut();
    // SAFETY: the caller vouches for the machine; this thread is attached to it, and `env` is writable.
    let result = unsafe { ((**machine).v1_2.GetEnv)(machine, &raw mut env, JNI_VERSION_1_6) };
    let env: *mut JNIEnv = env.cast();
    if result != JNI_OK || env.is_null() {
        return JNI_ERR;
    }
    // SAFETY: GetEnv has given this thread's environment.
    if unsafe { natives::register(env) } { JNI_VERSION_1_6 } else { JNI_ERR }
}
