//! Messages between applications and the loader: VK_EXT_debug_report and VK_EXT_debug_utils.
//!
//! The loader has both extensions, whatever the driver has. A messenger or report callback is an
//! object of the loader's that receives the loader's own messages and the application's; if the
//! driver has the extension, it also represents an object of the driver's. Names, tags and labels
//! go to the driver if it can use them, else nowhere.

mod callbacks;
mod naming;

pub use callbacks::{
    create_debug_report_callback, create_debug_utils_messenger, debug_report_message,
    destroy_debug_report_callback, destroy_debug_utils_messenger, submit_debug_utils_message,
};
pub use naming::{
    cmd_begin_debug_utils_label, cmd_end_debug_utils_label, cmd_insert_debug_utils_label,
    queue_begin_debug_utils_label, queue_end_debug_utils_label, queue_insert_debug_utils_label,
    set_debug_utils_object_name, set_debug_utils_object_tag,
};

use core::ffi::CStr;

use crate::system::System;

/// The property by which a system's maker turns VK_EXT_debug_utils off for drivers without it, as
/// in loaders that never had it.
const UTILS: &CStr = c"ro.vulkan.debug_utils";

/// Returns whether the loader has VK_EXT_debug_utils for drivers without it: yes, unless the
/// property turns it off.
pub fn has_utils(system: &dyn System) -> bool {
    !system.property(UTILS).is_false()
}
