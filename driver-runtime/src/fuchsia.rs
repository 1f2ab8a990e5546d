//! The function from Fuchsia's loader that gives a driver access to the system's services.
//!
//! A Fuchsia driver is a library, not a component: it needs only `libc.so` and `libzircon.so`, and reaches devices
//! and services through a function from the loader. [`export_fuchsia!`](crate::export_fuchsia) exports the symbol
//! that the loader calls with that function, before it negotiates.

use core::ffi::{CStr, c_char};
use core::sync::atomic::{AtomicPtr, Ordering};

use ash::vk;

/// Connects one end of a channel to a service of the loader's (`PFN_vkOpenInNamespaceAddr`): its path, as
/// `/loader-gpu-devices/class/gpu/000`, and the channel's handle, which is always consumed.
pub type OpenInNamespace = unsafe extern "system" fn(name: *const c_char, handle: u32) -> vk::Result;

static OPEN: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());

/// Keeps the loader's function.
///
/// # Safety
/// It behaves as [`OpenInNamespace`] describes, as long as the driver is loaded.
pub unsafe fn initialize(open: Option<OpenInNamespace>) {
    let open = open.map_or(core::ptr::null_mut(), |open| open as *mut ());
    OPEN.store(open, Ordering::Release);
}

/// Connects a channel to a service, or `None` if the loader gave no function; then the handle is the caller's still.
///
/// # Safety
/// `handle` is a channel that the caller owns.
pub unsafe fn open_in_namespace(name: &CStr, handle: u32) -> Option<vk::Result> {
    let open = OPEN.load(Ordering::Acquire);
    if open.is_null() {
        return None;
    }
    // SAFETY: only functions of this type are stored; the caller vouches for the handle.
    unsafe {
        let open = core::mem::transmute::<*mut (), OpenInNamespace>(open);
        Some(open(name.as_ptr(), handle))
    }
}

/// Exports `vk_icdInitializeOpenInNamespaceCallback`, which Fuchsia's loader calls first.
#[macro_export]
macro_rules! export_fuchsia {
    () => {
        /// Takes the loader's function that connects to services.
        #[unsafe(no_mangle)]
        pub extern "system" fn vk_icdInitializeOpenInNamespaceCallback(
            open: Option<$crate::fuchsia::OpenInNamespace>,
        ) {
            // SAFETY: the loader passes its function.
            unsafe { $crate::fuchsia::initialize(open) };
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    unsafe extern "system" fn refuses(name: *const c_char, handle: u32) -> vk::Result {
        // SAFETY: the test passes a C string.
        assert_eq!((unsafe { CStr::from_ptr(name) }, handle), (c"/svc/something", 7));
        vk::Result::ERROR_INITIALIZATION_FAILED
    }

    #[test]
    fn the_loaders_function_is_kept_and_called() {
        // SAFETY: handle 7 has no owner, and no code uses it.
        let open = || unsafe { open_in_namespace(c"/svc/something", 7) };
        assert_eq!(open(), None);
        // SAFETY: the function is of this type.
        unsafe { initialize(Some(refuses)) };
        assert_eq!(open(), Some(vk::Result::ERROR_INITIALIZATION_FAILED));
        // SAFETY: no function.
        unsafe { initialize(None) };
        assert_eq!(open(), None);
    }
}
