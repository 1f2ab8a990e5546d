//! Drivers, instances and surfaces for window systems.

use std::ffi::c_void;
use std::ptr::without_provenance_mut;

use ash::vk;

use crate::{Ask, Device, Driver, Instance, Vk};

const WINDOW_SYSTEMS: [&str; 5] = [
    "VK_KHR_xcb_surface",
    "VK_KHR_xlib_surface",
    "VK_KHR_wayland_surface",
    "VK_EXT_headless_surface",
    "VK_KHR_display",
];

/// Returns a driver for all window systems of Linux, with one device that has swapchains.
pub fn window_driver(name: &str) -> Driver {
    let device = Device::new(name).extension("VK_KHR_swapchain").extension("VK_KHR_display_swapchain");
    let driver = Driver::new(name).extension("VK_KHR_surface").device(device);
    WINDOW_SYSTEMS.iter().fold(driver, |driver, extension| driver.extension(extension))
}

/// Asks for all window systems of Linux.
pub fn ask_for_windows() -> Ask<'static> {
    WINDOW_SYSTEMS
        .iter()
        .fold(Ask::new().api(1, 1).extension("VK_KHR_surface"), |ask, name| ask.extension(name))
}

fn pointer(address: usize) -> *mut c_void {
    without_provenance_mut(address)
}

/// Creates a surface of a window system: `xcb`, `xlib`, `wayland`, `headless` or `display`. The pointers and numbers in it are
/// made up, the same each time.
///
/// # Errors
/// The command's error.
pub fn create_surface(vk: &Vk, instance: &ash::Instance, system: &str) -> Result<vk::SurfaceKHR, vk::Result> {
    create_surface_with(vk, instance, system, None)
}

/// Does the same with memory from these callbacks.
///
/// # Errors
/// The command's error.
pub fn create_surface_with(
    vk: &Vk,
    instance: &ash::Instance,
    system: &str,
    callbacks: Option<&vk::AllocationCallbacks<'_>>,
) -> Result<vk::SurfaceKHR, vk::Result> {
    let entry = &vk.entry;
    // SAFETY: the structures are alive; nothing but test drivers looks at the pointers in them.
    unsafe {
        match system {
            "xcb" => {
                let info = vk::XcbSurfaceCreateInfoKHR::default().connection(pointer(0x1000)).window(77);
                ash::khr::xcb_surface::Instance::new(entry, instance).create_xcb_surface(&info, callbacks)
            }
            "xlib" => {
                let info = vk::XlibSurfaceCreateInfoKHR::default().dpy(pointer(0x2000).cast()).window(88);
                ash::khr::xlib_surface::Instance::new(entry, instance).create_xlib_surface(&info, callbacks)
            }
            "wayland" => {
                let info = vk::WaylandSurfaceCreateInfoKHR::default()
                    .display(pointer(0x3000))
                    .surface(pointer(0x3001));
                ash::khr::wayland_surface::Instance::new(entry, instance)
                    .create_wayland_surface(&info, callbacks)
            }
            "headless" => {
                let info = vk::HeadlessSurfaceCreateInfoEXT::default();
                ash::ext::headless_surface::Instance::new(entry, instance)
                    .create_headless_surface(&info, callbacks)
            }
            _ => {
                let info = vk::DisplaySurfaceCreateInfoKHR::default()
                    .display_mode(ash::vk::Handle::from_raw(0xABCD))
                    .plane_index(3)
                    .plane_stack_index(4)
                    .transform(vk::SurfaceTransformFlagsKHR::ROTATE_90)
                    .global_alpha(0.5)
                    .alpha_mode(vk::DisplayPlaneAlphaFlagsKHR::GLOBAL)
                    .image_extent(vk::Extent2D { width: 640, height: 480 });
                ash::khr::display::Instance::new(entry, instance)
                    .create_display_plane_surface(&info, callbacks)
            }
        }
    }
}

pub fn khr_surface(vk: &Vk, instance: &Instance<'_>) -> ash::khr::surface::Instance {
    ash::khr::surface::Instance::new(&vk.entry, instance)
}
