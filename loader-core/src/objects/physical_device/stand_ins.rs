//! Physical-device commands that the loader answers itself if the driver lacks them: an application that uses
//! several drivers cannot know which of them has an instance extension.
//!
//! They are separate functions, not pieces that pass calls on, since the message about a missing command goes
//! to the instance of the loader's physical device. A driver may have one `VkPhysicalDevice` for several
//! instances.

use core::ffi::{c_ulong, c_void};

use ash::vk;

use crate::abi::{Command, function};
use crate::dispatch::Table as _;
use crate::log::CommandText as _;
use crate::objects::handle;
use crate::objects::instance::driver::PhysicalDevice;
use crate::objects::own_command::OwnCommand;
use crate::registry::{CommandId, command};

type Display = vk::DisplayKHR;
type Count = *mut u32;
type Pointer = *mut c_void;

/// Defines a terminator that calls the driver's function, or runs the body if the driver has none.
macro_rules! stand_ins {
    ($($name:ident: $command:ident($($parameter:ident: $type:ty),*) -> $result:ty $body:block)*) => {
        pub(in crate::objects) const COMMANDS: &[OwnCommand] = &[$(OwnCommand::new(command::$command, function!($name))),*];

        $(
            /// The terminator.
            ///
            /// # Safety
            /// The parameters are valid for the command, passed down the call chain.
            unsafe extern "system" fn $name(device: vk::PhysicalDevice, $($parameter: $type),*) -> $result {
                type Function = unsafe extern "system" fn(vk::PhysicalDevice, $($type),*) -> $result;
                // SAFETY: by this function's `# Safety` the parameters are valid for the command, whose function has
                // this type.
                unsafe {
                    match drivers(device, command::$command) {
                        (Some(function), device) => {
                            core::mem::transmute::<Command, Function>(function)(device, $($parameter),*)
                        }
                        (None, _) => {
                            $(let _ = $parameter;)*
                            $body
                        }
                    }
                }
            }
        )*
    };
}

stand_ins! {
    xcb: GET_PHYSICAL_DEVICE_XCB_PRESENTATION_SUPPORT_KHR(family: u32, connection: Pointer, visual: u32) -> vk::Bool32 { vk::FALSE }
    xlib: GET_PHYSICAL_DEVICE_XLIB_PRESENTATION_SUPPORT_KHR(family: u32, display: Pointer, visual: c_ulong) -> vk::Bool32 { vk::FALSE }
    wayland: GET_PHYSICAL_DEVICE_WAYLAND_PRESENTATION_SUPPORT_KHR(family: u32, display: Pointer) -> vk::Bool32 { vk::FALSE }
    direct_fb: GET_PHYSICAL_DEVICE_DIRECT_FB_PRESENTATION_SUPPORT_EXT(family: u32, direct_fb: Pointer) -> vk::Bool32 { vk::FALSE }
    win32: GET_PHYSICAL_DEVICE_WIN32_PRESENTATION_SUPPORT_KHR(family: u32) -> vk::Bool32 { vk::FALSE }
    screen: GET_PHYSICAL_DEVICE_SCREEN_PRESENTATION_SUPPORT_QNX(family: u32, window: Pointer) -> vk::Bool32 { vk::FALSE }
    displays: GET_PHYSICAL_DEVICE_DISPLAY_PROPERTIES_KHR(count: Count, out: Pointer) -> vk::Result { nothing(count) }
    planes: GET_PHYSICAL_DEVICE_DISPLAY_PLANE_PROPERTIES_KHR(count: Count, out: Pointer) -> vk::Result { nothing(count) }
    supported_displays: GET_DISPLAY_PLANE_SUPPORTED_DISPLAYS_KHR(plane: u32, count: Count, out: Pointer) -> vk::Result { nothing(count) }
    modes: GET_DISPLAY_MODE_PROPERTIES_KHR(display: Display, count: Count, out: Pointer) -> vk::Result { nothing(count) }
    create_mode: CREATE_DISPLAY_MODE_KHR(display: Display, info: Pointer, callbacks: Pointer, out: Pointer) -> vk::Result {
        // The driver cannot have reported the display.
        vk::Result::ERROR_INITIALIZATION_FAILED
    }
    plane_capabilities: GET_DISPLAY_PLANE_CAPABILITIES_KHR(mode: vk::DisplayModeKHR, plane: u32, out: *mut vk::DisplayPlaneCapabilitiesKHR) -> vk::Result {
        no_capabilities(out)
    }
    acquire_xlib: ACQUIRE_XLIB_DISPLAY_EXT(connection: Pointer, display: Display) -> vk::Result { ABSENT }
    randr_output: GET_RANDR_OUTPUT_DISPLAY_EXT(connection: Pointer, output: c_ulong, out: Pointer) -> vk::Result { ABSENT }
    acquire_drm: ACQUIRE_DRM_DISPLAY_EXT(file: i32, display: Display) -> vk::Result { ABSENT }
    drm: GET_DRM_DISPLAY_EXT(file: i32, connector: u32, out: Pointer) -> vk::Result { ABSENT }
    release: RELEASE_DISPLAY_EXT(display: Display) -> vk::Result { ABSENT }
    acquire_winrt: ACQUIRE_WINRT_DISPLAY_NV(display: Display) -> vk::Result { ABSENT }
    winrt: GET_WINRT_DISPLAY_NV(device_id: u32, out: Pointer) -> vk::Result { ABSENT }
}

const ABSENT: vk::Result = vk::Result::ERROR_EXTENSION_NOT_PRESENT;

/// Returns the driver's function for a command on `device`, and the driver's handle. A missing one is logged.
///
/// # Safety
/// As for [`handle::physical_device`].
#[inline(never)]
unsafe fn drivers(device: vk::PhysicalDevice, command: CommandId) -> (Option<Command>, vk::PhysicalDevice) {
    // SAFETY: by this function's `# Safety` `device` is NULL, a valid handle, or points to at least two readable words. The
    // function is only looked up.
    unsafe {
        let device = handle::physical_device(device, command);
        let function = device.driver().table.get::<Command>(command);
        if function.is_none() {
            report_missing(device, command);
        }
        (function, device.driver_handle())
    }
}

#[cold]
pub(super) fn report_missing(device: &PhysicalDevice, command: CommandId) {
    let name = command.text();
    crate::log!(device.instance().logger, Error, Driver:
        "{name}: the driver of this physical device does not have the command");
}

/// # Safety
/// `count` is a valid pointer.
pub(super) unsafe fn nothing(count: *mut u32) -> vk::Result {
    // SAFETY: by this function's `# Safety` `count` is a valid pointer.
    unsafe { *count = 0 };
    vk::Result::SUCCESS
}

/// # Safety
/// `out` is a valid pointer.
pub(super) unsafe fn no_capabilities(out: *mut vk::DisplayPlaneCapabilitiesKHR) -> vk::Result {
    // SAFETY: by this function's `# Safety` `out` is a valid pointer.
    unsafe { out.write(vk::DisplayPlaneCapabilitiesKHR::default()) };
    vk::Result::SUCCESS
}
