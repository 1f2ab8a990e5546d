//! The C interface of the loader (`jni/include/vkload.h`), as far as Java uses it.

use core::ffi::{CStr, c_char, c_int, c_void};

use ash::vk::PFN_vkGetInstanceProcAddr;
use jni_sys::jlong;

/// `vkload_configure`.
pub(crate) type Configure =
    unsafe extern "C" fn(options: *const c_char, message: *mut c_char, size: usize) -> c_int;

/// `vkload_report`.
pub(crate) type Report = unsafe extern "C" fn(format: c_int, buffer: *mut c_char, size: usize) -> usize;

/// What `vkload_set_log` is given.
pub(crate) type LogCallback = unsafe extern "C" fn(level: c_int, text: *const c_char, data: *mut c_void);

/// `vkload_set_log`.
pub(crate) type SetLog = unsafe extern "C" fn(level: c_int, callback: Option<LogCallback>, data: *mut c_void);

/// `vkload_get_instance_proc_addr`.
pub(crate) type Entry = unsafe extern "C" fn() -> Option<PFN_vkGetInstanceProcAddr>;

/// The names of the functions, in the order in which Java keeps their addresses (`Native.java`).
pub(crate) const NAMES: [&CStr; 4] =
    [c"vkload_configure", c"vkload_report", c"vkload_set_log", c"vkload_get_instance_proc_addr"];

/// Opens the loader's library, for ever: the addresses that it gives out are used as long as the process lives. Returns the
/// addresses of the functions; or what is missing, in the dynamic linker's words or as the name of a function.
pub(crate) fn open(path: &CStr) -> Result<[jlong; NAMES.len()], &'static CStr> {
    // SAFETY: the path is a C string. The library may do what it likes when it is loaded, which the application wants.
    let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if library.is_null() {
        // SAFETY: dlopen has failed in this thread.
        return Err(unsafe { last_error() });
    }
    let mut addresses = [0; NAMES.len()];
    for (address, name) in addresses.iter_mut().zip(NAMES) {
        // SAFETY: the library is open and the name a C string.
        let symbol = unsafe { libc::dlsym(library, name.as_ptr()) };
        if symbol.is_null() {
            return Err(name);
        }
        *address = to_java(symbol.expose_provenance());
    }
    Ok(addresses)
}

/// The dynamic linker's words for what has failed last in this thread, valid until it fails again here.
///
/// # Safety
/// The words are read before this thread calls the dynamic linker again.
unsafe fn last_error() -> &'static CStr {
    // SAFETY: it has no preconditions.
    let words = unsafe { libc::dlerror() };
    if words.is_null() {
        return c"the dynamic linker does not say why";
    }
    // SAFETY: the linker gives a C string; the caller vouches for how long it is used.
    unsafe { CStr::from_ptr(words) }
}

/// An address as Java keeps it.
pub(crate) fn to_java(address: usize) -> jlong {
    // No target has addresses of more than 64 bits.
    (address as u64).cast_signed()
}

/// An address that Java has kept.
pub(crate) fn from_java(address: jlong) -> *mut c_void {
    core::ptr::with_exposed_provenance_mut(usize::try_from(address.cast_unsigned()).unwrap_or(0))
}

/// The function of type `F` at an address that Java has kept; `None` for 0.
///
/// # Safety
/// `address` is 0 or that of such a function, and `F` is a function pointer.
pub(crate) unsafe fn function<F: Copy>(address: jlong) -> Option<F> {
    const {
        assert!(size_of::<F>() == size_of::<*mut c_void>());
    }
    // SAFETY: an optional function pointer has the size of a pointer, and NULL for `None`; the caller vouches for the rest.
    let pointer = from_java(address);
    if pointer.is_null() {
        return None;
    }
    // SAFETY: as above.
    Some(unsafe { core::mem::transmute_copy::<*mut c_void, F>(&pointer) })
}

/// The address of `vkGetInstanceProcAddr` as Java keeps it.
pub(crate) fn address_of(function: PFN_vkGetInstanceProcAddr) -> jlong {
    let pointer = function as *mut c_void;
    to_java(pointer.expose_provenance())
}
