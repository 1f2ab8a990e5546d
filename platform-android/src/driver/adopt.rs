//! Handles that the driver has made: their first word must lead to what the loader knows of them.

use ash::vk::Handle;
use loader_core::log::{Level, Topic};

use crate::log::Logger;
use crate::objects::set_dispatch_word;

/// Makes the first word of a handle, unless it is NULL, lead to `owner`. A word that the driver has not marked as free and that
/// leads elsewhere is left alone, which is logged. Whether the handle is one that can be used.
///
/// # Safety
/// The handle is NULL or a valid one of the driver's, for something that does not live longer than `owner`: an
/// [`Instance`](crate::objects::Instance) for instances and physical devices, else a [`Device`](crate::objects::Device).
pub(super) unsafe fn adopt<H: Handle + Copy, T>(handle: H, owner: &T, logger: &Logger) -> bool {
    if handle.is_null() {
        return false;
    }
    // SAFETY: the caller vouches for the handle.
    let free = unsafe { set_dispatch_word(handle.as_raw(), owner) };
    if !free {
        logger.log(
            Level::Error,
            Topic::Driver,
            format_args!(
                "the driver returned a {:?} without HWVULKAN_DISPATCH_MAGIC in its first word: the driver has to be \
                 corrected",
                H::TYPE
            ),
        );
    }
    free
}
