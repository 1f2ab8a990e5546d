//! The dynamic linker with its namespaces: the libraries of the vendor and the application, and
//! libhardware's modules.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::mem::offset_of;
use core::ptr::{NonNull, null, null_mut};

use vkload_core::memory::{Text, text};

use super::framework;
use crate::late;
use crate::system::{Library, Namespace, OpenMethod};

/// Everything that a library needs is resolved when it is opened, not in the middle of a frame.
const FLAGS: c_int = libc::RTLD_NOW | libc::RTLD_LOCAL;

#[repr(C)]
struct DlExtInfo {
    flags: u64,
    reserved_addr: *mut c_void,
    reserved_size: usize,
    relro_fd: c_int,
    library_fd: c_int,
    library_fd_offset: i64,
    library_namespace: *mut c_void,
}

const _: () = {
    let wide = size_of::<usize>() == 8;
    assert!(offset_of!(DlExtInfo, reserved_addr) == 8);
    assert!(offset_of!(DlExtInfo, relro_fd) == if wide { 24 } else { 16 });
    assert!(offset_of!(DlExtInfo, library_fd_offset) == if wide { 32 } else { 24 });
    assert!(offset_of!(DlExtInfo, library_namespace) == if wide { 40 } else { 32 });
};

const USE_NAMESPACE: u64 = 0x200;

#[link(name = "dl")]
unsafe extern "C" {
    fn android_dlopen_ext(path: *const c_char, flags: c_int, info: *const DlExtInfo) -> *mut c_void;
}

type GetExportedNamespace = unsafe extern "C" fn(name: *const c_char) -> *mut c_void;
type LoadSphalLibrary = unsafe extern "C" fn(name: *const c_char, flags: c_int) -> *mut c_void;
type UnloadSphalLibrary = unsafe extern "C" fn(handle: *mut c_void) -> c_int;
type GetModule = unsafe extern "C" fn(id: *const c_char, module: *mut *mut c_void) -> c_int;
type OpenInNamespace = unsafe extern "C" fn(
    namespace: *mut c_void,
    path: *const c_char,
    bridged: *mut bool,
    error: *mut *mut c_char,
) -> *mut c_void;
type CloseNative = unsafe extern "C" fn(handle: *mut c_void, bridged: bool, error: *mut *mut c_char) -> bool;
type FreeError = unsafe extern "C" fn(error: *mut c_char);
type GetTrampoline = unsafe extern "C" fn(
    handle: *mut c_void,
    name: *const c_char,
    signature: *const c_char,
    length: u32,
) -> *mut c_void;

late! {
    get_exported_namespace: GetExportedNamespace =
        c"android_get_exported_namespace" in c"libdl_android.so", c"libdl.so";
    load_sphal_library: LoadSphalLibrary = c"android_load_sphal_library" in c"libvndksupport.so";
    unload_sphal_library: UnloadSphalLibrary = c"android_unload_sphal_library" in c"libvndksupport.so";
    hw_get_module: GetModule = c"hw_get_module" in c"libhardware.so";
    open_in_namespace: OpenInNamespace = c"OpenNativeLibraryInNamespace" in c"libnativeloader.so";
    close_native: CloseNative = c"CloseNativeLibrary" in c"libnativeloader.so";
    free_error: FreeError = c"NativeLoaderFreeErrorMessage" in c"libnativeloader.so";
    get_trampoline: GetTrampoline = c"NativeBridgeGetTrampoline" in c"libnativebridge.so";
}

/// Opens a library in one of the ways. If the system lacks that one, opens it with plain `dlopen`,
/// which leads to the same libraries as far as they can be reached at all.
pub(super) fn open(path: &CStr, method: OpenMethod) -> Result<Library, Text> {
    // SAFETY: the path is a C string, and namespaces came from the linker. Opening runs the
    // initialisers of drivers and layers, as a loader must.
    let handle = unsafe {
        match method {
            OpenMethod::Linker => libc::dlopen(path.as_ptr(), FLAGS),
            OpenMethod::Namespace(namespace) => {
                let info = DlExtInfo {
                    flags: USE_NAMESPACE,
                    reserved_addr: null_mut(),
                    reserved_size: 0,
                    relro_fd: 0,
                    library_fd: 0,
                    library_fd_offset: 0,
                    library_namespace: namespace.0.as_ptr(),
                };
                android_dlopen_ext(path.as_ptr(), FLAGS, &raw const info)
            }
            OpenMethod::Vendor => match load_sphal_library() {
                Some(load) => load(path.as_ptr(), FLAGS),
                None => return self::open(path, OpenMethod::Linker),
            },
            OpenMethod::Application => match (open_in_namespace(), framework::application_namespace()) {
                (Some(open), Some(namespace)) => return open_for_application(path, open, namespace),
                _ => return self::open(path, OpenMethod::Linker),
            },
        }
    };
    // Both of the linker's functions leave their message in the same place; libvndksupport calls
    // them.
    NonNull::new(handle).map(|handle| Library { handle, method, bridged: false }).ok_or_else(linkers_words)
}

/// # Safety
/// `open` and `namespace` are libnativeloader's.
unsafe fn open_for_application(
    path: &CStr,
    open: OpenInNamespace,
    namespace: NonNull<c_void>,
) -> Result<Library, Text> {
    let (mut bridged, mut error) = (false, null_mut());
    // SAFETY: by this function's `# Safety` function and namespace are libnativeloader's; the path
    // is a C string, and both results are writable.
    let handle = unsafe { open(namespace.as_ptr(), path.as_ptr(), &raw mut bridged, &raw mut error) };
    let error = take_words(error);
    NonNull::new(handle)
        .map(|handle| Library { handle, method: OpenMethod::Application, bridged })
        .ok_or(error)
}

/// Finds a symbol of a library. Code that the native bridge runs is reached through a trampoline.
pub(super) fn symbol(library: Library, name: &CStr) -> Option<NonNull<c_void>> {
    // SAFETY: the library is open, as long as a `Library` is in use, and the name is a C string.
    let address = unsafe {
        if library.bridged {
            get_trampoline()?(library.handle.as_ptr(), name.as_ptr(), null(), 0)
        } else {
            libc::dlsym(library.handle.as_ptr(), name.as_ptr())
        }
    };
    NonNull::new(address)
}

/// Closes a library the way it was opened. Returns whether that worked.
///
/// # Safety
/// As for [`crate::System::close`].
pub(super) unsafe fn close(library: Library) -> bool {
    let handle = library.handle.as_ptr();
    // SAFETY: by this function's `# Safety` nothing uses the library any more; it was opened in
    // this way and is still open.
    unsafe {
        match library.method {
            OpenMethod::Vendor => match unload_sphal_library() {
                Some(unload) => unload(handle) == 0,
                None => libc::dlclose(handle) == 0,
            },
            OpenMethod::Application => match close_native() {
                Some(close) => {
                    let mut error = null_mut();
                    let closed = close(handle, library.bridged, &raw mut error);
                    take_words(error);
                    closed
                }
                None => libc::dlclose(handle) == 0,
            },
            OpenMethod::Linker | OpenMethod::Namespace(_) => libc::dlclose(handle) == 0,
        }
    }
}

pub(super) fn exported_namespace(name: &CStr) -> Option<Namespace> {
    // SAFETY: the name is a C string, and the function has the type that the system declares.
    NonNull::new(unsafe { get_exported_namespace()?(name.as_ptr()) }).map(Namespace)
}

pub(super) fn hardware_module(id: &CStr) -> Option<Result<NonNull<c_void>, c_int>> {
    let mut module = null_mut();
    // SAFETY: the id is a C string, and `module` is writable.
    let result = unsafe { hw_get_module()?(id.as_ptr(), &raw mut module) };
    Some(NonNull::new(module).filter(|_| result == 0).ok_or(if result == 0 { -libc::EINVAL } else { result }))
}

/// Returns the dynamic linker's message for the failure that just happened in this thread.
pub fn linkers_words() -> Text {
    // SAFETY: `dlerror` has no preconditions.
    let words = unsafe { libc::dlerror() };
    if words.is_null() {
        return copied(c"the dynamic linker gave no reason");
    }
    // SAFETY: the message is a C string that is valid until this thread's next call of the dynamic
    // linker; it is copied at once.
    copied(unsafe { CStr::from_ptr(words) })
}

fn take_words(words: *mut c_char) -> Text {
    if words.is_null() {
        return copied(c"the system gave no reason");
    }
    // SAFETY: libnativeloader allocated this C string and passed it to the caller, who frees it
    // here once.
    unsafe {
        let text = copied(CStr::from_ptr(words));
        if let Some(free) = free_error() {
            free(words);
        }
        text
    }
}

fn copied(words: &CStr) -> Text {
    text(&[words.to_bytes()]).unwrap_or_default()
}
