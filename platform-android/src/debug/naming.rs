//! Names and tags of objects, and labels of queues and command buffers (VK_EXT_debug_utils), for
//! drivers with the extension.

use ash::vk::{self, Handle as _};
use vkload_core::registry::calls;

use crate::objects::{device_of, untyped};

/// The types of the loader's own objects, which cannot be passed on, since the driver does not know their handles.
const OF_THE_LOADER: [vk::ObjectType; 4] = [
    vk::ObjectType::SURFACE_KHR,
    vk::ObjectType::SWAPCHAIN_KHR,
    vk::ObjectType::DEBUG_REPORT_CALLBACK_EXT,
    vk::ObjectType::DEBUG_UTILS_MESSENGER_EXT,
];

/// Defines commands that do nothing if they cannot be passed to the driver.
macro_rules! passed_on {
    ($($name:ident: $call:ident($handle:ident $(, $info:ident)?) -> $result:ty;)*) => {$(
        pub fn $name(call: &calls::$call<'_>) -> $result {
            // SAFETY: by valid usage of the command the handle is valid; the driver gets the parameters
            // unchanged, and its function has the command's type.
            unsafe {
                let function = untyped(device_of(call.$handle.as_raw()).driver.$name);
                // The information is only read if the driver has the function.
                $(let function = function.filter(|_| !OF_THE_LOADER.contains(&call.$info.object_type));)?
                call.make(|_| function).unwrap_or_default()
            }
        }
    )*};
}

passed_on! {
    set_debug_utils_object_name: SetDebugUtilsObjectNameEXT(device, name_info) -> vk::Result;
    set_debug_utils_object_tag: SetDebugUtilsObjectTagEXT(device, tag_info) -> vk::Result;
    queue_begin_debug_utils_label: QueueBeginDebugUtilsLabelEXT(queue) -> ();
    queue_end_debug_utils_label: QueueEndDebugUtilsLabelEXT(queue) -> ();
    queue_insert_debug_utils_label: QueueInsertDebugUtilsLabelEXT(queue) -> ();
    cmd_begin_debug_utils_label: CmdBeginDebugUtilsLabelEXT(command_buffer) -> ();
    cmd_end_debug_utils_label: CmdEndDebugUtilsLabelEXT(command_buffer) -> ();
    cmd_insert_debug_utils_label: CmdInsertDebugUtilsLabelEXT(command_buffer) -> ();
}
