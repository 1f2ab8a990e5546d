//! The part of the loader's C interface (`jni/include/vkload.h`) that Java uses.

use core::ffi::{CStr, c_char, c_int, c_void};

use ash::vk::PFN_vkGetInstanceProcAddr;
use jni_sys::jlong;

pub(crate) type Configure =
    unsafe extern "C" fn(options: *const c_char, message: *mut c_char, size: usize) -> c_int;

pub(crate) type Report = unsafe extern "C" fn(format: c_int, buffer: *mut c_char, size: usize) -> usize;

pub(crate) type LogCallback = unsafe extern "C" fn(level: c_int, text: *const c_char, data: *mut c_void);

pub(crate) type SetLog = unsafe extern "C" fn(level: c_int, callback: Option<LogCallback>, data: *mut c_void);

pub(crate) type Entry = unsafe extern "C" fn() -> Option<PFN_vkGetInstanceProcAddr>;

/// The names of the functions, in the order in which Java stores their addresses (`Native.java`).
pub(crate) const NAMES: [&CStr; 4] =
    [c"vkload_configure", c"vkload_report", c"vkload_set_log", c"vkload_get_instance_proc_addr"];

/// Opens the loader's library for ever: the addresses that it returns are used as long as the
/// process lives. Returns the addresses of the functions, or the reason for the failure: the
/// dynamic linker's message or the name of a missing function.
pub(crate) fn open(path: &CStr) -> Result<[jlong; NAMES.len()], &'static CStr> {
    // SAFETY: the path is a C string. Loading runs the library's initialisers, which the
    // application asked for.
    let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if library.is_null() {
        // SAFETY: `dlopen` has failed in this thread, and the caller copies the message before the
        // next call of the linker.
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

/// Returns the dynamic linker's message for the last failure in this thread, valid until the next
/// one.
///
/// # Safety
/// The caller reads the message before this thread calls the dynamic linker again.
unsafe fn last_error() -> &'static CStr {
    // SAFETY: `dlerror` has no preconditions.
    let words = unsafe { libc::dlerror() };
    if words.is_null() {
        return c"the dynamic linker does not say why";
    }
    // SAFETY: `dlerror` returned a C string; by this function's `# Safety` it is read before the
    // next call overwrites it.
    unsafe { CStr::from_ptr(words) }
}

/// Converts an address to the form that Java stores.
pub(crate) fn to_java(address: usize) -> jlong {
    // No target has addresses of more than 64 bits.
    (address as u64).cast_signed()
}

/// Converts an address that Java has stored.
pub(crate) fn from_java(address: jlong) -> *mut c_void {
    core::ptr::with_exposed_provenance_mut(usize::try_from(address.cast_unsigned()).unwrap_or(0))
}

/// Returns the function of type `F` at an address that Java has stored; `None` for 0.
///
/// # Safety
/// `address` is 0 or the address of a function of type `F`, and `F` is a function pointer.
pub(crate) unsafe fn function<F: Copy>(address: jlong) -> Option<F> {
    const {
        assert!(size_of::<F>() == size_of::<*mut c_void>());
    }
    // An optional function pointer has the size of a pointer, which was asserted.
    let pointer = from_java(address);
    if pointer.is_null() {
        return None;
    }
    // SAFETY: by this function's `# Safety` `F` is a function pointer, which has the size of a
    // pointer, and the address belongs to such a function; NULL was checked.
    Some(unsafe { core::mem::transmute_copy::<*mut c_void, F>(&pointer) })
}

/// Returns the address of `vkGetInstanceProcAddr` in the form that Java stores.
pub(crate) fn address_of(function: PFN_vkGetInstanceProcAddr) -> jlong {
    let pointer = function as *mut c_void;
    to_java(pointer.expose_provenance())
}
