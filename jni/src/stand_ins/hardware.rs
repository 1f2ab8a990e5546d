//! `libhardware.so`: applications have no HAL modules, so none is found.

use core::ffi::{c_char, c_int, c_void};
use core::ptr::null;

/// Finds no module.
///
/// # Safety
/// `module` is NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hw_get_module(_id: *const c_char, module: *mut *const c_void) -> c_int {
    if !module.is_null() {
        // SAFETY: by this function's `# Safety`; NULL was handled above.
        unsafe { module.write(null()) };
    }
    -libc::ENOENT
}

/// Finds no module.
///
/// # Safety
/// `module` is NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hw_get_module_by_class(
    class: *const c_char,
    _instance: *const c_char,
    module: *mut *const c_void,
) -> c_int {
    // SAFETY: by this function's `# Safety`.
    unsafe { hw_get_module(class, module) }
}
