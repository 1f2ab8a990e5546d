//! Replacements for exported extension functions while their extension is not enabled: they log
//! that and return success, as applications are used to it.

use core::ffi::c_void;

use ash::vk;
use vkload_core::dispatch::Command;
use vkload_core::registry::{CommandId, ExtensionId, command, extension};

use platform_android::log::Logger;
use platform_android::objects::{device_of, instance_of};

/// An exported command, the extension that must be enabled for it, and its function otherwise.
pub(super) struct Disabled {
    pub(super) command: CommandId,
    pub(super) extension: ExtensionId,
    pub(super) stub: Command,
}

macro_rules! disabled {
    ($($of:ident $extension:ident: $($command:ident)*;)*) => {
        &[$($(Disabled {
            command: command::$command,
            extension: extension::$extension,
            stub: vkload_core::command_function!($of::<{ command::$command.index() }>),
        },)*)*]
    };
}

/// Every exported command that is not core. Present rectangles belong to a surface and are queried
/// without a device, so the surface extension stands in for the swapchain extension.
pub(super) const DISABLED: &[Disabled] = disabled! {
    of_instance KHR_SURFACE: DESTROY_SURFACE_KHR GET_PHYSICAL_DEVICE_SURFACE_SUPPORT_KHR
        GET_PHYSICAL_DEVICE_SURFACE_CAPABILITIES_KHR GET_PHYSICAL_DEVICE_SURFACE_FORMATS_KHR
        GET_PHYSICAL_DEVICE_SURFACE_PRESENT_MODES_KHR GET_PHYSICAL_DEVICE_PRESENT_RECTANGLES_KHR;
    of_instance KHR_ANDROID_SURFACE: CREATE_ANDROID_SURFACE_KHR;
    of_device KHR_SWAPCHAIN: CREATE_SWAPCHAIN_KHR DESTROY_SWAPCHAIN_KHR GET_SWAPCHAIN_IMAGES_KHR ACQUIRE_NEXT_IMAGE_KHR
        QUEUE_PRESENT_KHR GET_DEVICE_GROUP_PRESENT_CAPABILITIES_KHR GET_DEVICE_GROUP_SURFACE_PRESENT_MODES_KHR
        ACQUIRE_NEXT_IMAGE_2_KHR;
    of_device ANDROID_EXTERNAL_MEMORY_ANDROID_HARDWARE_BUFFER: GET_ANDROID_HARDWARE_BUFFER_PROPERTIES_ANDROID
        GET_MEMORY_ANDROID_HARDWARE_BUFFER_ANDROID;
};

/// Replaces the command with this number on an instance or physical device without its extension.
/// It ignores the other parameters of the command; the caller removes them.
unsafe extern "system" fn of_instance<const COMMAND: usize>(object: *const c_void) -> vk::Result {
    // SAFETY: this function is reached through the table of an instance, which the handle's first
    // word leads to, so the handle is valid.
    report(&unsafe { instance_of(object.expose_provenance() as u64) }.logger, COMMAND)
}

/// Replaces a command on a device or queue.
unsafe extern "system" fn of_device<const COMMAND: usize>(object: *const c_void) -> vk::Result {
    // SAFETY: this function is reached through the table of a device, which the handle's first word
    // leads to, so the handle is valid.
    report(&unsafe { device_of(object.expose_provenance() as u64) }.instance.logger, COMMAND)
}

fn report(logger: &Logger, command: usize) -> vk::Result {
    if let Some(row) = DISABLED.iter().find(|row| row.command.index() == command) {
        let [name, extension] =
            [row.command.name(), row.extension.name()].map(|name| name.to_str().unwrap_or_default());
        vkload_core::log!(logger, Error, Usage:
            "{name} was called, but {extension} is not enabled, so nothing was done: enable it");
    }
    vk::Result::SUCCESS
}
