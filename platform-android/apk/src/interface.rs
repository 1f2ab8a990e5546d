//! The C interface that `vkload.h` declares, as Rust functions and as exported ones.

use core::ffi::{CStr, c_char, c_int, c_void};

use vkload_core::loader::Loader;
use vkload_core::log::Level;
use vkload_core::memory::{Text, format_into};

use super::Apk;
use super::report::Format;
pub use crate::listening::LogCallback;
use crate::listening::{LISTENING, Registered};

/// Exports the C interface of the loader `$loader` in the application `$apk`, with `$find` as its
/// vkGetInstanceProcAddr.
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
            // SAFETY: by this function's `# Safety`, which equals `configure`'s.
            unsafe { $crate::configure(&$apk, options, message, size) }
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
            // SAFETY: by this function's `# Safety`, which equals `report`'s.
            unsafe { $crate::report(&$apk, &$loader, format, buffer, size) }
        }

        /// See `vkload.h`.
        ///
        /// # Safety
        /// As stated there.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn vkload_set_log(
            level: core::ffi::c_int,
            callback: Option<$crate::LogCallback>,
            data: *mut core::ffi::c_void,
        ) {
            // SAFETY: by this function's `# Safety`, which equals `set_log`'s.
            unsafe { $crate::set_log(&$apk, level, callback, data) }
        }

        /// See `vkload.h`.
        #[unsafe(no_mangle)]
        pub extern "C" fn vkload_get_instance_proc_addr() -> vkload_core::vk::PFN_vkVoidFunction {
            let find: vkload_core::vk::PFN_vkGetInstanceProcAddr = $find;
            // SAFETY: all function pointers have one representation, and the caller converts this
            // one back before calling it.
            Some(unsafe { core::mem::transmute::<_, unsafe extern "system" fn()>(find) })
        }
    };
}

/// Puts options into effect for instances created from now on; NULL means none. Returns 0, or -1
/// and a message.
///
/// # Safety
/// `options` is NULL or a valid C string; `message` is NULL or has `size` writable bytes.
pub unsafe fn configure(
    apk: &'static Apk,
    options: *const c_char,
    message: *mut c_char,
    size: usize,
) -> c_int {
    // SAFETY: by this function's `# Safety` the options are NULL or a valid C string; NULL was
    // checked.
    let options = if options.is_null() { c"{}" } else { unsafe { CStr::from_ptr(options) } };
    let result = apk.configure(options.to_bytes());
    let mut words = Text::new();
    if let Err(stop) = &result {
        format_into(&mut words, format_args!("{stop}"));
    }
    // SAFETY: by this function's `# Safety` the buffer is NULL or has `size` writable bytes.
    unsafe { give(&words, message, size) };
    if result.is_ok() { 0 } else { -1 }
}

/// Writes the report of the drivers and layers examined, with the reasons for using or skipping each, as
/// text (0) or JSON (1). Returns the length
/// without the NUL, whether it fits or not; 0 if memory runs out.
///
/// # Safety
/// `buffer` is NULL or has `size` writable bytes.
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
    // SAFETY: by this function's `# Safety` the buffer is NULL or has `size` writable bytes.
    unsafe { give(&report, buffer, size) };
    report.len()
}

/// Passes every record of at least this `level` to `callback`, in addition to the system's log;
/// NULL ends that, after waiting until no call is in progress. A callback must not call this.
///
/// # Safety
/// The callback may be called with `data` on any thread until it is replaced or removed.
pub unsafe fn set_log(apk: &'static Apk, level: c_int, callback: Option<LogCallback>, data: *mut c_void) {
    let level = match level {
        ..=0 => Level::Error,
        1 => Level::Warning,
        2 => Level::Info,
        _ => Level::Debug,
    };
    LISTENING.listen(apk.system, callback.map(|callback| Registered { level, callback, data }));
}

/// Writes as much of a text as fits, followed by a NUL.
///
/// # Safety
/// `buffer` is NULL or has `size` writable bytes.
unsafe fn give(text: &[u8], buffer: *mut c_char, size: usize) {
    let Some(room) = size.checked_sub(1).filter(|_| !buffer.is_null()) else { return };
    let length = text.len().min(room);
    // SAFETY: by this function's `# Safety` `size` bytes are writable; `length` is less than
    // `size`, which leaves one byte for the NUL.
    unsafe {
        core::ptr::copy_nonoverlapping(text.as_ptr(), buffer.cast(), length);
        buffer.add(length).write(0);
    }
}
