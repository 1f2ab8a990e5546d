//! The C interface: what `vkload.h` declares, as functions of Rust, and as exported ones.

use core::ffi::{CStr, c_char, c_int, c_void};

use loader_core::loader::Loader;
use loader_core::log::Level;
use loader_core::memory::{Text, format_into};

use super::Apk;
use super::report::Format;
pub use crate::listening::LogCallback;
use crate::listening::{LISTENING, Listener};

/// Exports the C interface of the loader `$loader` in the application `$apk`, whose vkGetInstanceProcAddr is `$find`.
#[macro_export]
macro_rules! interface {
    ($apk:path, $loader:path, $find:path) => {
        /// See `vkload.h`.
        ///
        /// # Safety
        /// As stated there.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn vkload_configure(
            options: *const core::ffi::c_char,
            message: *mut core::ffi::c_char,
            size: usize,
        ) -> core::ffi::c_int {
            // SAFETY: the caller vouches for the parameters.
            unsafe { $crate::apk::configure(&$apk, options, message, size) }
        }

        /// See `vkload.h`.
        ///
        /// # Safety
        /// As stated there.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn vkload_report(
            format: core::ffi::c_int,
            buffer: *mut core::ffi::c_char,
            size: usize,
        ) -> usize {
            // SAFETY: the caller vouches for the parameters.
            unsafe { $crate::apk::report(&$apk, &$loader, format, buffer, size) }
        }

        /// See `vkload.h`.
        ///
        /// # Safety
        /// As stated there.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn vkload_set_log(
            level: core::ffi::c_int,
            callback: Option<$crate::apk::LogCallback>,
            data: *mut core::ffi::c_void,
        ) {
            // SAFETY: the caller vouches for the parameters.
            unsafe { $crate::apk::set_log(&$apk, level, callback, data) }
        }

        /// See `vkload.h`.
        #[unsafe(no_mangle)]
        pub extern "C" fn vkload_get_instance_proc_addr() -> loader_core::vk::PFN_vkVoidFunction {
            let find: loader_core::vk::PFN_vkGetInstanceProcAddr = $find;
            // SAFETY: function pointers are of one kind, and this one is called by its own type.
            Some(unsafe { core::mem::transmute::<_, unsafe extern "system" fn()>(find) })
        }
    };
}

/// Lets options count for instances that are made from now on. NULL is none. Returns 0, or -1 and a message.
///
/// # Safety
/// `options` is NULL or a valid C string; `message` is NULL, or there are `size` writable bytes.
pub unsafe fn configure(
    apk: &'static Apk,
    options: *const c_char,
    message: *mut c_char,
    size: usize,
) -> c_int {
    // SAFETY: the caller vouches for the string.
    let options = if options.is_null() { c"{}" } else { unsafe { CStr::from_ptr(options) } };
    let result = apk.configure(options.to_bytes());
    let mut words = Text::new();
    if let Err(stop) = &result {
        format_into(&mut words, format_args!("{stop}"));
    }
    // SAFETY: the caller vouches for the buffer.
    unsafe { give(&words, message, size) };
    if result.is_ok() { 0 } else { -1 }
}

/// What was looked at and why it is used or not: as text (0) or JSON (1). Returns the bytes of it without the NUL, whatever there was
/// room for; 0 where there is no memory.
///
/// # Safety
/// `buffer` is NULL, or there are `size` writable bytes.
pub unsafe fn report(
    apk: &'static Apk,
    loader: &'static Loader,
    format: c_int,
    buffer: *mut c_char,
    size: usize,
) -> usize {
    let _user = loader.enter();
    let format = if format == 1 { Format::Json } else { Format::Text };
    let report = apk.report(loader, format).unwrap_or_default();
    // SAFETY: the caller vouches for the buffer.
    unsafe { give(&report, buffer, size) };
    report.len()
}

/// Has every record from `level` on told to `callback`, beside the system's log; NULL ends that, and waits until no call is under way.
/// Not to be called by a callback.
///
/// # Safety
/// The callback may be called with `data` on any thread until it is ended.
pub unsafe fn set_log(apk: &'static Apk, level: c_int, callback: Option<LogCallback>, data: *mut c_void) {
    let level = match level {
        ..=0 => Level::Error,
        1 => Level::Warning,
        2 => Level::Info,
        _ => Level::Debug,
    };
    LISTENING.listen(apk.system, callback.map(|callback| Listener { level, callback, data }));
}

/// Writes as much of a text as there is room for, and a NUL behind it.
///
/// # Safety
/// `buffer` is NULL, or there are `size` writable bytes.
unsafe fn give(text: &[u8], buffer: *mut c_char, size: usize) {
    let Some(room) = size.checked_sub(1).filter(|_| !buffer.is_null()) else { return };
    let length = text.len().min(room);
    // SAFETY: the caller vouches for the room, of which one byte is for the NUL.
    unsafe {
        core::ptr::copy_nonoverlapping(text.as_ptr(), buffer.cast(), length);
        buffer.add(length).write(0);
    }
}
