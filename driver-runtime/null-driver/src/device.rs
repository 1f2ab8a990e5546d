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

/// Objects of devices, each with the type of its handles.
macro_rules! device_objects {
    ($($object:ident = $handle:ident),*) => {$(
        // SAFETY: no other type is behind such handles.
        unsafe impl vkload_driver_runtime::VkObject for $object {
            type Handle = vkload_driver_runtime::vk::$handle;
            type Parent = vkload_driver_runtime::Device<crate::Null>;
        }
    )*};
}
pub(crate) use device_objects;
