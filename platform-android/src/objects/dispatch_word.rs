//! The first word of every dispatchable object (`hwvulkan_dispatch_t`).

use core::ffi::c_void;

use crate::hal::layout::DISPATCH_MAGIC;
use crate::objects::{Device, Instance};

/// Sets the first word of a driver's object to `data`, if the driver marked it as free or it
/// already leads there. Returns whether it was one of these.
///
/// # Safety
/// `object` is a dispatchable object of the driver that no other thread uses yet; `data` lives as
/// long as the object.
pub unsafe fn set_dispatch_word<T>(object: u64, data: *const T) -> bool {
    let word = core::ptr::with_exposed_provenance_mut::<*const c_void>(object as usize);
    // SAFETY: by this function's `# Safety` the object is a dispatchable object, which begins with
    // a writable word.
    unsafe {
        let present = word.read();
        let free = present.addr() == DISPATCH_MAGIC || present == data.cast();
        if free {
            word.write(data.cast());
        }
        free
    }
}

/// # Safety
/// The handle is valid: [`set_dispatch_word`] has set its first word to an [`Instance`] that lives
/// as long as `'a`.
pub unsafe fn instance_of<'a>(handle: u64) -> &'a Instance {
    // SAFETY: by this function's `# Safety` the handle's first word leads to an `Instance` that
    // lives as long as `'a`.
    unsafe { &**core::ptr::with_exposed_provenance::<*const Instance>(handle as usize) }
}

/// # Safety
/// As for [`instance_of`], with a [`Device`].
pub unsafe fn device_of<'a>(handle: u64) -> &'a Device {
    // SAFETY: by this function's `# Safety` the handle's first word leads to a `Device` that lives
    // as long as `'a`.
    unsafe { &**core::ptr::with_exposed_provenance::<*const Device>(handle as usize) }
}
