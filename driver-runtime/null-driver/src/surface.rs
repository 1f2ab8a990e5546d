//! Invisible surfaces: the driver's own if the scenario requests them, otherwise the loader's, which the driver does
//! not inspect.

use vkload_core::registry::{CommandId, command};
use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::headless::Headless;
use vkload_driver_runtime::{Instance, Object, VkObject, entry_points, vk};

use crate::Null;

/// Returns whether a driver has the command only if its surfaces are its own (LDP_DRIVER_8).
pub(crate) fn is_own(command: CommandId) -> bool {
    let name = command.name().to_bytes();
    command == command::DESTROY_SURFACE_KHR
        || (name.starts_with(b"vkCreate") && name.windows(7).any(|part| part == b"Surface"))
}

pub(crate) struct Surface;

// SAFETY: no other type is behind such handles.
unsafe impl VkObject for Surface {
    type Handle = vk::SurfaceKHR;
    type Parent = Instance<Null>;
}

/// A surface of each kind: whatever its window is, it is not looked at.
macro_rules! surfaces {
    ($($name:ident($info:ty);)*) => {$(
        unsafe extern "system" fn $name(
            instance: vk::Instance,
            _: *const $info,
            callbacks: *const vk::AllocationCallbacks<'_>,
            out: *mut vk::SurfaceKHR,
        ) -> vk::Result {
            // SAFETY: the caller passes a live handle and valid pointers.
            unsafe { Object::create_command(instance, callbacks, out, Surface) }
        }
    )*};
}

surfaces! {
    create_headless_surface(vk::HeadlessSurfaceCreateInfoEXT<'_>);
    create_wayland_surface(vk::WaylandSurfaceCreateInfoKHR<'_>);
    create_xcb_surface(vk::XcbSurfaceCreateInfoKHR<'_>);
    create_xlib_surface(vk::XlibSurfaceCreateInfoKHR<'_>);
}

unsafe extern "system" fn destroy_surface(
    _: vk::Instance,
    surface: vk::SurfaceKHR,
    callbacks: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: the caller passes a live or null handle.
    unsafe { Object::<Surface>::destroy(surface, callbacks) };
}

impl Headless for Null {
    const FORMATS: &'static [vk::SurfaceFormatKHR] = &[
        plain(vk::Format::B8G8R8A8_UNORM),
        plain(vk::Format::B8G8R8A8_SRGB),
        plain(vk::Format::R8G8B8A8_UNORM),
        plain(vk::Format::R8G8B8A8_SRGB),
    ];
    const USAGE: vk::ImageUsageFlags = vk::ImageUsageFlags::from_raw(
        vk::ImageUsageFlags::TRANSFER_SRC.as_raw()
            | vk::ImageUsageFlags::TRANSFER_DST.as_raw()
            | vk::ImageUsageFlags::SAMPLED.as_raw()
            | vk::ImageUsageFlags::STORAGE.as_raw()
            | vk::ImageUsageFlags::COLOR_ATTACHMENT.as_raw(),
    );
}

const fn plain(format: vk::Format) -> vk::SurfaceFormatKHR {
    vk::SurfaceFormatKHR { format, color_space: vk::ColorSpaceKHR::SRGB_NONLINEAR }
}

/// Reports the refresh cycle of a 60 Hz display.
unsafe extern "system" fn get_refresh_cycle(
    _: vk::Device,
    _: vk::SwapchainKHR,
    out: *mut vk::RefreshCycleDurationGOOGLE,
) -> vk::Result {
    // SAFETY: the caller passes a valid pointer.
    unsafe { out.write(vk::RefreshCycleDurationGOOGLE { refresh_duration: 1_000_000_000 / 60 }) };
    vk::Result::SUCCESS
}

/// Every queue family can present to any window, since none is shown.
macro_rules! presentation_support {
    ($($name:ident($($window:ty),*);)*) => {$(
        unsafe extern "system" fn $name(_: vk::PhysicalDevice, _: u32, $(_: $window),*) -> vk::Bool32 {
            vk::TRUE
        }
    )*};
}

presentation_support! {
    supports_wayland(*mut vk::wl_display);
    supports_xcb(*mut vk::xcb_connection_t, vk::xcb_visualid_t);
    supports_xlib(*mut vk::Display, vk::VisualID);
}

/// The commands of surfaces.
// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const COMMANDS: EntryPoints<Null> = unsafe {
    entry_points! {
        CREATE_HEADLESS_SURFACE_EXT: PFN_vkCreateHeadlessSurfaceEXT = create_headless_surface,
        CREATE_WAYLAND_SURFACE_KHR: PFN_vkCreateWaylandSurfaceKHR = create_wayland_surface,
        CREATE_XCB_SURFACE_KHR: PFN_vkCreateXcbSurfaceKHR = create_xcb_surface,
        CREATE_XLIB_SURFACE_KHR: PFN_vkCreateXlibSurfaceKHR = create_xlib_surface,
        DESTROY_SURFACE_KHR: PFN_vkDestroySurfaceKHR = destroy_surface,
        GET_REFRESH_CYCLE_DURATION_GOOGLE: PFN_vkGetRefreshCycleDurationGOOGLE = get_refresh_cycle,
        GET_PHYSICAL_DEVICE_WAYLAND_PRESENTATION_SUPPORT_KHR: PFN_vkGetPhysicalDeviceWaylandPresentationSupportKHR
            = supports_wayland,
        GET_PHYSICAL_DEVICE_XCB_PRESENTATION_SUPPORT_KHR: PFN_vkGetPhysicalDeviceXcbPresentationSupportKHR
            = supports_xcb,
        GET_PHYSICAL_DEVICE_XLIB_PRESENTATION_SUPPORT_KHR: PFN_vkGetPhysicalDeviceXlibPresentationSupportKHR
            = supports_xlib,
    }
};
