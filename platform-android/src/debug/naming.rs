//! Names and tags of objects, and labels of queues and command buffers (VK_EXT_debug_utils), for
//! drivers with the extension.

use ash::vk::{self, Handle as _};

use crate::objects::device_of;

/// The types of the loader's own objects, whose handles mean nothing to the driver.
const OF_THE_LOADER: [vk::ObjectType; 4] = [
    vk::ObjectType::SURFACE_KHR,
    vk::ObjectType::SWAPCHAIN_KHR,
    vk::ObjectType::DEBUG_REPORT_CALLBACK_EXT,
    vk::ObjectType::DEBUG_UTILS_MESSENGER_EXT,
];

/// Defines commands that describe one object and succeed if they cannot be passed to the driver.
macro_rules! descriptions {
    ($($(#[$meta:meta])* $name:ident($info:ident) = $driver:ident;)*) => {$(
        $(#[$meta])*
        ///
        /// # Safety
        /// The parameters meet the valid usage of the Vulkan command.
        pub unsafe extern "system" fn $name(device: vk::Device, info: *const vk::$info<'_>) -> vk::Result {
            // SAFETY: by this function's `# Safety` the device is a valid handle and `info` a valid
            // pointer; the driver gets them unchanged.
            unsafe {
                match device_of(device.as_raw()).driver.$driver {
                    Some(set) if !OF_THE_LOADER.contains(&(*info).object_type) => set(device, info),
                    _ => vk::Result::SUCCESS,
                }
            }
        }
    )*};
}

descriptions! {
    /// vkSetDebugUtilsObjectNameEXT.
    set_debug_utils_object_name(DebugUtilsObjectNameInfoEXT) = set_debug_utils_object_name;
    /// vkSetDebugUtilsObjectTagEXT.
    set_debug_utils_object_tag(DebugUtilsObjectTagInfoEXT) = set_debug_utils_object_tag;
}

/// Defines commands for labels, which do nothing if they cannot be passed to the driver.
macro_rules! labels {
    ($($(#[$meta:meta])* $name:ident($handle:ident $(, $info:ident: $type:ty)?) = $driver:ident;)*) => {$(
        $(#[$meta])*
        ///
        /// # Safety
        /// The parameters meet the valid usage of the Vulkan command.
        pub unsafe extern "system" fn $name(handle: vk::$handle $(, $info: $type)?) {
            // SAFETY: by this function's `# Safety` the handle is a valid queue or command buffer;
            // the driver gets the parameters unchanged.
            unsafe {
                if let Some(tell) = device_of(handle.as_raw()).driver.$driver {
                    tell(handle $(, $info)?);
                }
            }
        }
    )*};
}

type Label<'a> = *const vk::DebugUtilsLabelEXT<'a>;

labels! {
    /// vkQueueBeginDebugUtilsLabelEXT.
    queue_begin_debug_utils_label(Queue, label: Label<'_>) = queue_begin_debug_utils_label;
    /// vkQueueEndDebugUtilsLabelEXT.
    queue_end_debug_utils_label(Queue) = queue_end_debug_utils_label;
    /// vkQueueInsertDebugUtilsLabelEXT.
    queue_insert_debug_utils_label(Queue, label: Label<'_>) = queue_insert_debug_utils_label;
    /// vkCmdBeginDebugUtilsLabelEXT.
    cmd_begin_debug_utils_label(CommandBuffer, label: Label<'_>) = cmd_begin_debug_utils_label;
    /// vkCmdEndDebugUtilsLabelEXT.
    cmd_end_debug_utils_label(CommandBuffer) = cmd_end_debug_utils_label;
    /// vkCmdInsertDebugUtilsLabelEXT.
    cmd_insert_debug_utils_label(CommandBuffer, label: Label<'_>) = cmd_insert_debug_utils_label;
}
