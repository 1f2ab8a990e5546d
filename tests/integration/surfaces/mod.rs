//! Surfaces: the loader's own structures, drivers that create theirs, and queries of either.
mod drivers;
mod emulated;
mod queries;

use ash::vk;
use vkload_tests::{
    Ask, Device, Driver, Run, Scenario, Vk, ask_for_windows, create_surface, khr_surface, window_driver,
};

/// Creates a surface of the system `system`, asks every device whether it supports it, and destroys it.
fn support(vk: &Vk) {
    let instance = vk.create(&ask_for_windows()).unwrap();
    let surface = create_surface(vk, &instance, &vk.arg("system")).unwrap();
    let khr = khr_surface(vk, &instance);
    for device in instance.devices() {
        let supported = unsafe { khr.get_physical_device_surface_support(device, 0, surface) };
        vk.say(&instance.name(device), supported.unwrap());
    }
    unsafe { khr.destroy_surface(surface, None) };
}

fn run_support(system: &str, drivers: &[Driver]) -> Run {
    let scenario = Scenario::new().argument("system", system);
    let run = drivers.iter().fold(scenario, |scenario, driver| scenario.driver(driver.clone())).run(support);
    run.ok();
    run
}

#[test]
fn a_surface_has_everything_it_was_made_with() {
    let displays = "mode=abcd plane=3 stack=4 transform=2 alpha=0.5 alpha_mode=2 extent=640x480";
    for (system, content) in [
        ("xcb", "connection=1000 window=77"),
        ("xlib", "display=2000 window=88"),
        ("wayland", "display=3000 surface_pointer=3001"),
        ("headless", ""),
        ("display", displays),
    ] {
        let run = run_support(system, &[window_driver("plain")]);
        let trace = run.says("plain", true).trace("plain");
        let call = trace.only("vkGetPhysicalDeviceSurfaceSupportKHR");
        assert_eq!(call.get("surface"), system);
        for (key, value) in content.split(' ').filter_map(|pair| pair.split_once('=')) {
            assert_eq!(call.get(key), value, "{system} {key}");
        }
    }
}

#[test]
fn a_driver_without_the_extension_does_not_support_the_surface() {
    let without = Driver::new("without").device(Device::new("without"));
    let run = run_support("xcb", &[window_driver("plain"), without]);
    run.says("plain", true).says("without", false);
}

#[test]
fn a_driver_that_makes_surfaces_but_not_this_one_does_not_support_it() {
    let other = Driver::new("other")
        .own_surfaces()
        .extension("VK_KHR_surface")
        .extension("VK_EXT_headless_surface")
        .device(Device::new("other"));
    let run = run_support("xcb", &[window_driver("plain"), other]);
    run.says("plain", true).says("other", false);
    assert!(!run.trace("other").has("vkGetPhysicalDeviceSurfaceSupportKHR"), "there is nothing to ask about");
}

#[test]
fn destroying_no_surface_does_nothing() {
    let run = Scenario::new().driver(window_driver("plain")).driver(window_driver("own").own_surfaces()).run(
        |vk| {
            let instance = vk.create(&ask_for_windows()).unwrap();
            // SAFETY: VK_NULL_HANDLE is allowed.
            unsafe { khr_surface(vk, &instance).destroy_surface(vk::SurfaceKHR::null(), None) };
        },
    );
    assert!(!run.ok().trace("own").has("vkDestroySurfaceKHR"));
}

#[test]
fn surfaces_need_their_extension() {
    for system in ["xcb", "xlib", "wayland", "headless", "display"] {
        let run = Scenario::new().driver(window_driver("plain")).argument("system", system).run(|vk| {
            let instance = vk.create(&Ask::new().api(1, 1).extension("VK_KHR_surface")).unwrap();
            let command = match vk.arg("system").as_str() {
                "xcb" => "vkCreateXcbSurfaceKHR",
                "xlib" => "vkCreateXlibSurfaceKHR",
                "wayland" => "vkCreateWaylandSurfaceKHR",
                "headless" => "vkCreateHeadlessSurfaceEXT",
                _ => "vkCreateDisplayPlaneSurfaceKHR",
            };
            vk.say("answered", instance.proc(command) != 0);
            // A program that links to the function may call it all the same.
            type Create = unsafe extern "system" fn(vk::Instance, *const u64, usize, *mut u64) -> vk::Result;
            let (info, mut surface) = ([0u64; 16], 7);
            // SAFETY: every one of these commands has such parameters, and does not look at the structure.
            let result = unsafe {
                let create = std::mem::transmute::<usize, Create>(vk.symbol(command));
                create(instance.handle(), info.as_ptr(), 0, &mut surface)
            };
            vk.say("result", format_args!("{result:?}"));
        });
        run.ok().says("answered", false).says("result", "ERROR_EXTENSION_NOT_PRESENT");
    }
}

#[test]
fn presentation_support_of_a_driver_without_it_is_false_with_an_error() {
    let without = Driver::new("without").extension("VK_KHR_surface").device(Device::new("without"));
    let run = Scenario::new().log().driver(window_driver("has")).driver(without).run(|vk| {
        let instance = vk.create(&ask_for_windows()).unwrap();
        let xcb = ash::khr::xcb_surface::Instance::new(&vk.entry, &instance);
        let xlib = ash::khr::xlib_surface::Instance::new(&vk.entry, &instance);
        let wayland = ash::khr::wayland_surface::Instance::new(&vk.entry, &instance);
        for name in ["has", "without"] {
            let device = instance.named(name);
            let mut nothing = [0_u64; 3];
            let [connection, dpy, display] = &mut nothing;
            // SAFETY: test drivers do not look at the pointers.
            unsafe {
                let connection = &mut *(&raw mut *connection).cast();
                let (dpy, display) = (&mut *(&raw mut *dpy).cast(), &mut *(&raw mut *display).cast());
                let answers = [
                    xcb.get_physical_device_xcb_presentation_support(device, 0, connection, 0),
                    xlib.get_physical_device_xlib_presentation_support(device, 0, dpy, 0),
                    wayland.get_physical_device_wayland_presentation_support(device, 0, display),
                ];
                vk.say(name, format_args!("{answers:?}"));
            }
        }
    });
    run.ok().says("has", "[true, true, true]").says("without", "[false, false, false]");
    for system in ["Xcb", "Xlib", "Wayland"] {
        run.logs(&["ERROR", &format!("vkGetPhysicalDevice{system}PresentationSupportKHR")]);
    }
}
