//! The first word of every dispatchable object (`hwvulkan_dispatch_t`).

use core::ffi::c_void;

use crate::hal::layout::DISPATCH_MAGIC;
use crate::objects::{Device, Instance};

/// Makes the first word of a driver's object lead to `data`. Only what the driver marked as free, or what leads there
/// already, is written; returns whether it was one of these.
///
/// # Safety
/// `object` is a dispatchable object of the driver, `data` lives as long as it.
#[must_use]
pub unsafe fn set_dispatch_word<T>(object: u64, data: *const T) -> bool {
    let word = core::ptr::with_exposed_provenance_mut::<*const c_void>(object as usize);
    // SAFETY: the caller vouches for the object, which begins with a word.
    unsafe {
        let present = word.read();
        let free = present.addr() == DISPATCH_MAGIC || present == data.cast();
        if free {
            word.write(data.cast());
        }
        free
    }
}

/// What the loader knows of an instance, from the handle of it or of one of its physical devices.
///
/// # Safety
/// The handle is valid: [`set_dispatch_word`] was done for it with an [`Instance`] that lives as long as `'a`.
pub unsafe fn instance_of<'a>(handle: u64) -> &'a Instance {
    // SAFETY: the caller vouches for the handle.
    unsafe { &**core::ptr::with_exposed_provenance::<*const Instance>(handle as usize) }
}

/// What the loader knows of a device, from the handle of it, of one of its queues or command buffers.
///
/// # Safety
/// As for [`instance_of`], with a [`Device`].
pub unsafe fn device_of<'a>(handle: u64) -> &'a Device {
    // SAFETY: the caller vouches for the handle.
    unsafe { &**core::ptr::with_exposed_provenance::<*const Device>(handle as usize) }
}
