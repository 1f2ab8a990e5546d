//! Surfaces, displays and swapchains.

use ash::vk::{self, Handle as _, SystemAllocationScope as Scope};
use vkload_tests::allocator::Owner;
use vkload_tests::trial::Trial;
use vkload_tests::{Instance, create_surface, create_surface_with};

use super::{Row, World, any_with, check, every_extension, everything, pairs, with_device};

rows! {
    xcb_surfaces: Drivers, ["vkCreateXcbSurfaceKHR", "vkDestroySurfaceKHR"], |t| surface(t, "xcb");
    xlib_surfaces: Drivers, ["vkCreateXlibSurfaceKHR", "vkDestroySurfaceKHR"], |t| surface(t, "xlib");
    wayland_surfaces: Drivers, ["vkCreateWaylandSurfaceKHR", "vkDestroySurfaceKHR"], |t| surface(t, "wayland");
    headless_surfaces: Drivers, ["vkCreateHeadlessSurfaceEXT", "vkDestroySurfaceKHR"], |t| surface(t, "headless");
    display_surfaces: Drivers, ["vkCreateDisplayPlaneSurfaceKHR", "vkDestroySurfaceKHR"], |t| surface(t, "display");
    other_surfaces: Extensions, ["vkCreateDirectFBSurfaceEXT"], |t| {
        let instance = t.instance(every_extension());
        let callbacks = t.callbacks(Owner::Object);
        let made = t.call(Scope::OBJECT, || create_direct_fb_surface(&instance, callbacks.as_ref()));
        destroy(t, &instance, made, callbacks.as_ref());
    };
    swapchains: Drivers, ["vkCreateSwapchainKHR", "vkGetDeviceGroupSurfacePresentModesKHR"], |t| {
        with_device(t, |instance, device| {
            let surface = create_surface(t.vk, instance, "xcb").unwrap();
            let swapchains = ash::khr::swapchain::Device::new(instance, device);
            let info = vk::SwapchainCreateInfoKHR::default().surface(surface);
            let made = t.call(Scope::COMMAND, || unsafe {
                swapchains.get_device_group_surface_present_modes(surface)?;
                swapchains.create_swapchain(&info, None)
            });
            if let Some(made) = t.result(made, |_| "made".to_owned()) {
                unsafe { swapchains.destroy_swapchain(made, None) };
            }
            unsafe { ash::khr::surface::Instance::new(&t.vk.entry, instance).destroy_surface(surface, None) };
        });
    };
    shared_swapchains: Drivers, ["vkCreateSharedSwapchainsKHR"], |t| {
        with_device(t, |instance, device| {
            let surface = create_surface(t.vk, instance, "xcb").unwrap();
            let shared = ash::khr::display_swapchain::Device::new(instance, device);
            let info = vk::SwapchainCreateInfoKHR::default().surface(surface);
            let made = t.call(Scope::COMMAND, || unsafe { shared.create_shared_swapchains(&[info; 9], None) });
            if let Some(made) = t.result(made, |made| made.len().to_string()) {
                let swapchains = ash::khr::swapchain::Device::new(instance, device);
                made.into_iter().for_each(|one| unsafe { swapchains.destroy_swapchain(one, None) });
            }
            unsafe { ash::khr::surface::Instance::new(&t.vk.entry, instance).destroy_surface(surface, None) };
        });
    };
    queries_of_surfaces: Extensions, [
        "vkGetPhysicalDeviceSurfaceSupportKHR", "vkGetPhysicalDeviceSurfaceCapabilitiesKHR",
        "vkGetPhysicalDeviceSurfaceFormatsKHR", "vkGetPhysicalDeviceSurfacePresentModesKHR",
        "vkGetPhysicalDevicePresentRectanglesKHR", "vkGetPhysicalDeviceSurfaceCapabilities2KHR",
        "vkGetPhysicalDeviceSurfaceFormats2KHR", "vkGetPhysicalDeviceSurfaceCapabilities2EXT",
    ], |t| {
        let instance = t.instance(every_extension());
        let surface = create_surface(t.vk, &instance, "xcb").unwrap();
        let devices = instance.devices();
        let row = ROWS.iter().find(|row| row.name == "queries_of_surfaces").unwrap();
        let commands: Vec<(bool, usize)> = row
            .commands
            .iter()
            .map(|name| (name.contains("2KHR"), instance.proc(name)))
            .collect();
        let support = instance.proc("vkGetPhysicalDeviceSurfaceSupportKHR");
        t.call(Scope::COMMAND, || {
            for (device, (by_info, command)) in pairs(&devices, &commands) {
                ask_about_surface(*command, *device, surface, *by_info, *command == support);
            }
        });
        unsafe { ash::khr::surface::Instance::new(&t.vk.entry, &instance).destroy_surface(surface, None) };
    };
    displays: Extensions, ["vkGetDisplayModeProperties2KHR", "vkGetDisplayPlaneCapabilities2KHR"], |t| {
        let instance = t.instance(every_extension());
        let displays = ash::khr::display::Instance::new(&t.vk.entry, &instance);
        let device = instance.named("new");
        let display = unsafe { displays.get_physical_device_display_properties(device) }.unwrap()[0].display;
        let mode = unsafe { displays.get_display_mode_properties(device, display) }.unwrap()[0].display_mode;
        let modes = instance.proc("vkGetDisplayModeProperties2KHR");
        let capabilities = instance.proc("vkGetDisplayPlaneCapabilities2KHR");
        let info = vk::DisplayPlaneInfo2KHR::default().mode(mode);
        t.call(Scope::COMMAND, || {
            any_with(modes, device.as_raw(), display.as_raw());
            any_with(capabilities, device.as_raw(), (&raw const info).addr() as u64);
        });
    };
}

fn surface(t: &Trial<'_>, system: &str) {
    let instance = t.instance(everything());
    let callbacks = t.callbacks(Owner::Object);
    let made = t.call(Scope::OBJECT, || create_surface_with(t.vk, &instance, system, callbacks.as_ref()));
    destroy(t, &instance, made, callbacks.as_ref());
}

fn destroy(
    t: &Trial<'_>,
    instance: &ash::Instance,
    made: Result<vk::SurfaceKHR, vk::Result>,
    callbacks: Option<&vk::AllocationCallbacks<'_>>,
) {
    if let Some(made) = t.result(made, |_| "made".to_owned()) {
        let surfaces = ash::khr::surface::Instance::new(&t.vk.entry, instance);
        unsafe { surfaces.destroy_surface(made, callbacks) };
    }
}

/// No driver here has the command, so that the surface is the loader's alone.
fn create_direct_fb_surface(
    instance: &Instance<'_>,
    callbacks: Option<&vk::AllocationCallbacks<'_>>,
) -> Result<vk::SurfaceKHR, vk::Result> {
    type Create = unsafe extern "system" fn(
        vk::Instance,
        *const vk::DirectFBSurfaceCreateInfoEXT<'_>,
        *const vk::AllocationCallbacks<'_>,
        *mut vk::SurfaceKHR,
    ) -> vk::Result;
    let (info, mut surface) = (vk::DirectFBSurfaceCreateInfoEXT::default(), vk::SurfaceKHR::null());
    let callbacks = callbacks.map_or(std::ptr::null(), std::ptr::from_ref);
    let create: Create = unsafe { instance.command("vkCreateDirectFBSurfaceEXT") };
    unsafe { create(instance.handle(), &info, callbacks, &mut surface) }.result_with_success(surface)
}

/// Queries with space for one element, for either kind of answer.
fn ask_about_surface(
    command: usize,
    device: vk::PhysicalDevice,
    surface: vk::SurfaceKHR,
    by_info: bool,
    by_family: bool,
) {
    type Ask = unsafe extern "system" fn(vk::PhysicalDevice, usize, *mut u64, *mut u64) -> i32;
    type AskFamily = unsafe extern "system" fn(vk::PhysicalDevice, u32, vk::SurfaceKHR, *mut u64) -> i32;
    let (mut room, mut more) = ([0u64; 512], [0u64; 512]);
    room[0] = 1;
    let info = vk::PhysicalDeviceSurfaceInfo2KHR::default().surface(surface);
    let asked = if by_info { (&raw const info).addr() } else { surface.as_raw() as usize };
    unsafe {
        if by_family {
            std::mem::transmute::<usize, AskFamily>(command)(device, 0, surface, room.as_mut_ptr());
        } else {
            std::mem::transmute::<usize, Ask>(command)(device, asked, room.as_mut_ptr(), more.as_mut_ptr());
        }
    }
}
