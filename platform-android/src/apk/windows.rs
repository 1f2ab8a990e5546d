//! The application's windows, as far as the core has to hold them.

use core::ffi::c_void;
use core::ptr::NonNull;

use loader_core::platform::Windows;

use super::Apk;
use crate::wsi::native_window::Base;

impl Windows for Apk {
    unsafe fn acquire(&self, window: NonNull<c_void>) {
        let base = window.cast::<Base>();
        // SAFETY: the caller vouches for the window, which begins so.
        unsafe { (base.as_ref().inc_ref)(base.as_ptr()) };
    }

    unsafe fn release(&self, window: NonNull<c_void>) {
        let base = window.cast::<Base>();
        // SAFETY: as above; the reference is the caller's.
        unsafe { (base.as_ref().dec_ref)(base.as_ptr()) };
    }
}
