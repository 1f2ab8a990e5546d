//! The application's windows, as far as the core must keep references to them.

use core::ffi::c_void;
use core::ptr::NonNull;

use vkload_core::platform::Windows;

use super::Apk;
use platform_android::wsi::native_window::Base;

impl Windows for Apk {
    unsafe fn acquire(&self, window: NonNull<c_void>) {
        let base = window.cast::<Base>();
        // SAFETY: by this method's `# Safety` the window is a live `ANativeWindow`, which begins
        // with a `Base`.
        unsafe { (base.as_ref().inc_ref)(base.as_ptr()) };
    }

    unsafe fn release(&self, window: NonNull<c_void>) {
        let base = window.cast::<Base>();
        // SAFETY: by this method's `# Safety` the window is a live `ANativeWindow`, and the caller
        // owns the reference that is released.
        unsafe { (base.as_ref().dec_ref)(base.as_ptr()) };
    }
}
