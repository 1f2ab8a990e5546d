//! Handles that the driver created: their first word must lead to the loader's data.

use ash::vk::Handle;

use crate::log::Logger;
use crate::objects::set_dispatch_word;

/// Sets the first word of a handle to `owner`, unless the handle is NULL. A word that the driver
/// has not marked as free and that leads elsewhere is left alone and logged. Returns whether the
/// handle can be used.
///
/// # Safety
/// The handle is NULL or a valid one of the driver's, for an object that does not outlive `owner`:
/// an [`Instance`](crate::objects::Instance) for instances and physical devices, else a
/// [`Device`](crate::objects::Device).
pub(super) unsafe fn adopt<H: Handle + Copy, T>(handle: H, owner: &T, logger: &Logger) -> bool {
    if handle.is_null() {
        return false;
    }
    // SAFETY: by this function's `# Safety` the handle is a valid dispatchable object of the driver
    // that does not outlive `owner`; NULL was checked.
    let free = unsafe { set_dispatch_word(handle.as_raw(), owner) };
    if !free {
        vkload_core::log!(logger, Error, Driver:
            "the driver returned a {:?} without HWVULKAN_DISPATCH_MAGIC in its first word: the driver has \
             to be corrected", H::TYPE);
    }
    free
}
