//! From handles to the driver's objects.

use vkload_driver_runtime::{Device, vk};

use crate::Null;

/// Returns the device of a handle.
///
/// # Safety
/// `handle` is a live handle.
pub(crate) unsafe fn device<'a>(handle: vk::Device) -> &'a Device<Null> {
    // SAFETY: the caller vouches for the handle.
    unsafe { Device::from_handle(handle) }.expect("a device")
}

/// Returns a counted array.
///
/// # Safety
/// `start` points to `count` values; if `count` is 0 it may be NULL or any other pointer.
pub(crate) unsafe fn list<'a, T>(start: *const T, count: u32) -> &'a [T] {
    if start.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: the caller vouches for the array.
    unsafe { core::slice::from_raw_parts(start, count as usize) }
}
