//! The exported functions, the only place that says what the library exports. The committed list that they are
//! checked against is `platform-linux/exports.txt`.

use platform_linux::PLATFORM;

/// Placeholder until the entry points of the core are exported here. It reads a folder so that a test of loading and
/// unloading has something to run.
///
/// # Safety
/// `version` is a valid pointer.
#[unsafe(no_mangle)]
#[allow(non_snake_case)]
pub unsafe extern "system" fn vkEnumerateInstanceVersion(version: *mut u32) -> i32 {
    let names = PLATFORM.files.list(b"/etc").map_or(0, |names| names.len());
    if names == 0 {
        return -1;
    }
    // SAFETY: the caller vouches for the pointer.
    unsafe { *version = 1 << 22 };
    0
}
