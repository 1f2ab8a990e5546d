//! The native methods of `dev.vkload.Native`, registered by name and signature; described there.

use core::ffi::{CStr, c_int, c_void};
use core::ptr::{NonNull, null_mut};

use ash::vk;
use jni_sys::{JNI_OK, JNIEnv, JNINativeMethod, jbyteArray, jclass, jint, jintArray, jlong, jlongArray};

use crate::arrays::{Bytes, new_bytes, write_longs};
use crate::interface::{self, Configure, Entry, Report, SetLog, from_java, function, to_java};
use crate::records::{Queue, Taken};
use crate::vulkan;

const CLASS: &CStr = c"dev/vkload/Native";

/// Registers the methods one by one: a tool that shrinks applications (R8) removes those from the
/// class that the application does not use. Returns false if the class lacks such a method; then an
/// exception is pending, which `System.loadLibrary` throws.
///
/// # Safety
/// `env` is this thread's.
pub(crate) unsafe fn register(env: *mut JNIEnv) -> bool {
    let methods = [
        method(c"open", c"([B[J[B)Z", open as *mut c_void),
        method(c"configure", c"(J[B[B)I", configure as *mut c_void),
        method(c"report", c"(JI[B)I", report as *mut c_void),
        method(c"instanceProcAddr", c"(J)J", instance_proc_addr as *mut c_void),
        method(c"layers", c"(J[I[B)I", layers as *mut c_void),
        method(c"extensions", c"(J[B[I[B)I", extensions as *mut c_void),
        method(c"devices", c"(J[I[B)I", devices as *mut c_void),
        method(c"logStart", c"(JII)J", log_start as *mut c_void),
        method(c"logNext", c"(J[J)[B", log_next as *mut c_void),
        method(c"logStop", c"(JJ)V", log_stop as *mut c_void),
        method(c"logFree", c"(J)V", log_free as *mut c_void),
    ];
    // SAFETY: by this function's `# Safety` `env` is this thread's; the names are C strings, and no
    // exception is pending when a method is registered.
    unsafe {
        let class = ((**env).v1_2.FindClass)(env, CLASS.as_ptr());
        if class.is_null() {
            return false;
        }
        for method in &methods {
            if ((**env).v1_2.RegisterNatives)(env, class, method, 1) != JNI_OK {
                ((**env).v1_2.ExceptionClear)(env);
            }
        }
        true
    }
}

fn method(name: &'static CStr, signature: &'static CStr, function: *mut c_void) -> JNINativeMethod {
    JNINativeMethod {
        name: name.as_ptr().cast_mut(),
        signature: signature.as_ptr().cast_mut(),
        fnPtr: function,
    }
}

unsafe extern "system" fn open(
    env: *mut JNIEnv,
    _: jclass,
    path: jbyteArray,
    functions: jlongArray,
    message: jbyteArray,
) -> bool {
    // SAFETY: Java calls this with this thread's environment and valid references; the elements are
    // released before the next JNI call.
    unsafe {
        let opened = {
            let Some(path) = Bytes::of(env, path) else { return false };
            let Some(path) = path.text() else { return false };
            interface::open(path)
        };
        match opened {
            Ok(addresses) => write_longs(env, functions, &addresses),
            Err(missing) => {
                if let Some(mut message) = Bytes::of(env, message) {
                    message.write_text(missing);
                }
                false
            }
        }
    }
}

unsafe extern "system" fn configure(
    env: *mut JNIEnv,
    _: jclass,
    address: jlong,
    options: jbyteArray,
    message: jbyteArray,
) -> jint {
    // SAFETY: Java passes this thread's environment, valid references and the address of
    // `vkload_configure`, which `open` returned.
    unsafe {
        let Some(configure) = function::<Configure>(address) else { return -1 };
        let Some(options) = Bytes::of(env, options) else { return -1 };
        let Some(message) = Bytes::of(env, message) else { return -1 };
        let Some(options) = options.text() else { return -1 };
        configure(options.as_ptr(), message.start(), message.length())
    }
}

unsafe extern "system" fn report(
    env: *mut JNIEnv,
    _: jclass,
    address: jlong,
    format: jint,
    buffer: jbyteArray,
) -> jint {
    // SAFETY: Java passes this thread's environment, a valid reference and the address of
    // `vkload_report`, which `open` returned.
    unsafe {
        let Some(report) = function::<Report>(address) else { return -1 };
        let Some(buffer) = Bytes::of(env, buffer) else { return -1 };
        jint::try_from(report(format, buffer.start(), buffer.length())).unwrap_or(-1)
    }
}

unsafe extern "system" fn instance_proc_addr(_: *mut JNIEnv, _: jclass, address: jlong) -> jlong {
    // SAFETY: Java passes the address of `vkload_get_instance_proc_addr`, which `open` returned.
    let entry = unsafe { function::<Entry>(address).and_then(|entry| entry()) };
    entry.map_or(0, interface::address_of)
}

unsafe extern "system" fn layers(
    env: *mut JNIEnv,
    _: jclass,
    entry: jlong,
    count: jintArray,
    out: jbyteArray,
) -> jint {
    // SAFETY: Java passes this thread's environment, valid references and the address of
    // `vkGetInstanceProcAddr`.
    unsafe {
        enumerate::<vk::LayerProperties>(env, entry, count, out, |entry, count, out| {
            vulkan::layers(entry, count, out)
        })
    }
}

unsafe extern "system" fn extensions(
    env: *mut JNIEnv,
    _: jclass,
    entry: jlong,
    layer: jbyteArray,
    count: jintArray,
    out: jbyteArray,
) -> jint {
    // SAFETY: Java passes this thread's environment, valid references and the address of
    // `vkGetInstanceProcAddr`.
    unsafe {
        let name = Bytes::of(env, layer);
        if name.is_none() && !layer.is_null() {
            return vk::Result::ERROR_OUT_OF_HOST_MEMORY.as_raw();
        }
        let name = name.as_ref().and_then(Bytes::text);
        enumerate::<vk::ExtensionProperties>(env, entry, count, out, |entry, count, out| {
            vulkan::extensions(entry, name, count, out)
        })
    }
}

/// Calls a command that writes structures: into `out` if at least one fits, else to query their
/// number.
///
/// # Safety
/// `env` is this thread's with no exception pending, both arrays are valid references, and `entry`
/// is 0 or the address of `vkGetInstanceProcAddr`; `command` writes at most as many structures as
/// the count that it gets.
unsafe fn enumerate<T>(
    env: *mut JNIEnv,
    entry: jlong,
    count_out: jintArray,
    out: jbyteArray,
    command: impl FnOnce(vk::PFN_vkGetInstanceProcAddr, &mut u32, *mut T) -> vk::Result,
) -> jint {
    // SAFETY: all parameters are valid by this function's `# Safety`; the elements outlive the call
    // of `command`.
    unsafe {
        let Some(entry) = function::<vk::PFN_vkGetInstanceProcAddr>(entry) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED.as_raw();
        };
        let (mut count, result);
        {
            let Some(out) = Bytes::of(env, out) else {
                return vk::Result::ERROR_OUT_OF_HOST_MEMORY.as_raw();
            };
            let (room, start) = vulkan::structures(out.start().cast(), out.length());
            count = room;
            result = command(entry, &mut count, start);
        }
        end_with(env, count_out, count.cast_signed(), result)
    }
}

unsafe extern "system" fn devices(
    env: *mut JNIEnv,
    _: jclass,
    entry: jlong,
    count: jintArray,
    out: jbyteArray,
) -> jint {
    // SAFETY: Java passes this thread's environment, valid references and the address of
    // `vkGetInstanceProcAddr`.
    unsafe {
        let Some(entry) = function::<vk::PFN_vkGetInstanceProcAddr>(entry) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED.as_raw();
        };
        let answer = {
            let Some(out) = Bytes::of(env, out) else {
                return vk::Result::ERROR_OUT_OF_HOST_MEMORY.as_raw();
            };
            vulkan::devices(entry, out.start().cast(), out.length())
        };
        let (result, number) = match answer {
            Ok(count) => (vk::Result::SUCCESS, jint::try_from(count).unwrap_or(0)),
            Err((result, step)) => (result, step as jint),
        };
        end_with(env, count, number, result)
    }
}

/// Writes the number and returns Vulkan's result. If an exception is pending, Java throws it and
/// ignores the result.
///
/// # Safety
/// `env` is this thread's with no exception pending, and `out` is a valid reference.
unsafe fn end_with(env: *mut JNIEnv, out: jintArray, number: jint, result: vk::Result) -> jint {
    // SAFETY: by this function's `# Safety` `env` is this thread's with no exception pending, and
    // `out` is a valid reference.
    unsafe { ((**env).v1_2.SetIntArrayRegion)(env, out, 0, 1, &number) };
    result.as_raw()
}

unsafe extern "system" fn log_start(
    _: *mut JNIEnv,
    _: jclass,
    address: jlong,
    level: jint,
    most: jint,
) -> jlong {
    // SAFETY: Java passes the address of `vkload_set_log`; the queue is freed only after `log_stop`
    // made the loader forget it.
    unsafe {
        let Some(set_log) = function::<SetLog>(address) else { return 0 };
        let Some(queue) = Queue::new(usize::try_from(most).unwrap_or(0)) else { return 0 };
        set_log(level, Some(Queue::callback), queue.as_ptr().cast());
        to_java(queue.as_ptr().expose_provenance())
    }
}

/// Values instead of a level, as in `Native.java`.
const NO_RECORD: c_int = -1;
const END: c_int = -2;

unsafe extern "system" fn log_next(
    env: *mut JNIEnv,
    _: jclass,
    queue: jlong,
    about: jlongArray,
) -> jbyteArray {
    let Some(queue) = NonNull::new(from_java(queue).cast::<Queue>()) else { return null_mut() };
    // SAFETY: `log_start` created the queue, and only the thread that calls this frees it. The
    // environment is this thread's.
    unsafe {
        let (level, dropped, record) = match queue.as_ref().take() {
            Taken::Record { record, dropped } => (record.level(), dropped, Some(record)),
            Taken::Dropped(dropped) => (NO_RECORD, dropped, None),
            Taken::End => (END, 0, None),
        };
        if !write_longs(env, about, &[jlong::from(level), dropped.cast_signed()]) {
            return null_mut();
        }
        record.map_or(null_mut(), |record| new_bytes(env, record.text()))
    }
}

unsafe extern "system" fn log_stop(_: *mut JNIEnv, _: jclass, address: jlong, queue: jlong) {
    let Some(queue) = NonNull::new(from_java(queue).cast::<Queue>()) else { return };
    // SAFETY: Java passes the address of `vkload_set_log`, which returns once no callback is in
    // progress. The queue is freed only after it is closed.
    unsafe {
        if let Some(set_log) = function::<SetLog>(address) {
            set_log(0, None, null_mut());
        }
        queue.as_ref().close();
    }
}

unsafe extern "system" fn log_free(_: *mut JNIEnv, _: jclass, queue: jlong) {
    if let Some(queue) = NonNull::new(from_java(queue).cast::<Queue>()) {
        // SAFETY: the caller is the thread that listened, after it got the end, or no thread ever
        // listened: no other thread uses the queue.
        unsafe { Queue::free(queue) };
    }
}
