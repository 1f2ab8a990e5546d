//! Drivers that make surfaces of their own: when they are asked to, and what becomes of their errors.
use ash::vk::{self, Handle as _};
use vkload_tests::{
    Device, Driver, Run, Scenario, Vk, ask_for_windows, code, create_surface, khr_surface, window_driver,
};

use super::run_support;

#[test]
fn drivers_that_make_surfaces_get_theirs() {
    for (system, command) in [
        ("xcb", "vkCreateXcbSurfaceKHR"),
        ("xlib", "vkCreateXlibSurfaceKHR"),
        ("wayland", "vkCreateWaylandSurfaceKHR"),
        ("headless", "vkCreateHeadlessSurfaceEXT"),
        ("display", "vkCreateDisplayPlaneSurfaceKHR"),
    ] {
        let run = run_support(system, &[window_driver("own").own_surfaces(), window_driver("plain")]);
        let own = run.says("own", true).says("plain", true).trace("own");
        assert_eq!(own.calls(command).len(), 1, "{system}");
        assert_eq!(own.only("vkGetPhysicalDeviceSurfaceSupportKHR").get("surface"), "own");
        assert_eq!(own.calls("vkDestroySurfaceKHR").len(), 1, "{system}");
        assert_eq!(own.last("unload").get("surfaces"), "0");
        assert_eq!(run.trace("plain").only("vkGetPhysicalDeviceSurfaceSupportKHR").get("surface"), system);
    }
}

#[test]
fn below_interface_3_drivers_get_the_loaders_surface() {
    // A driver of interface version 2 may not make surfaces, whatever it has: it expects the loader's.
    let old = window_driver("old").interface(2).api("1.0.0");
    let run = run_support("xcb", &[old]);
    assert_eq!(run.trace("old").only("vkGetPhysicalDeviceSurfaceSupportKHR").get("surface"), "xcb");
}

#[test]
fn a_driver_that_fails_to_create_a_surface_affects_no_other() {
    const ERROR: vk::Result = vk::Result::ERROR_NATIVE_WINDOW_IN_USE_KHR;
    let own = |name| window_driver(name).own_surfaces().extension("VK_KHR_get_surface_capabilities2");
    let failing = own("failing").result("vkCreateXcbSurfaceKHR", ERROR);
    let run = Scenario::new().log().driver(own("a")).driver(failing).driver(own("z")).run(|vk| {
        let two = "VK_KHR_get_surface_capabilities2";
        let instance = vk.create(&ask_for_windows().extension(two)).unwrap();
        let surface = create_surface(vk, &instance, "xcb").unwrap();
        let khr = khr_surface(vk, &instance);
        let two = ash::khr::get_surface_capabilities2::Instance::new(&vk.entry, &instance);
        let info = vk::PhysicalDeviceSurfaceInfo2KHR::default().surface(surface);
        let mut more = vk::SurfaceCapabilities2KHR::default();
        for device in instance.devices() {
            let answers = unsafe {
                [
                    code(&khr.get_physical_device_surface_support(device, 0, surface)),
                    code(&khr.get_physical_device_surface_capabilities(device, surface)),
                    code(&khr.get_physical_device_surface_formats(device, surface)),
                    code(&khr.get_physical_device_surface_present_modes(device, surface)),
                    code(&two.get_physical_device_surface_capabilities2(device, &info, &mut more)),
                    code(&two.get_physical_device_surface_formats2_len(device, &info)),
                ]
            };
            let same = answers.iter().all(|answer| *answer == answers[0]);
            vk.say(&instance.name(device), if same { answers[0].clone() } else { answers.join(",") });
        }
        unsafe { khr.destroy_surface(surface, None) };
    });
    run.ok().says("a", "SUCCESS").says("failing", format_args!("{ERROR:?}")).says("z", "SUCCESS");
    run.logs(&["ERROR", "failing", "vkCreateXcbSurfaceKHR returned VK_ERROR_NATIVE_WINDOW_IN_USE_KHR"]);
    for name in ["a", "z"] {
        assert_eq!(run.trace(name).last("unload").get("surfaces"), "0", "{name} is left with a surface");
    }
}

#[test]
fn a_swapchain_without_its_drivers_surface_fails_with_the_drivers_result() {
    const ERROR: vk::Result = vk::Result::ERROR_OUT_OF_DEVICE_MEMORY;
    let failing = window_driver("failing").own_surfaces().result("vkCreateXcbSurfaceKHR", ERROR);
    let run = Scenario::new().driver(failing).run(|vk| {
        let instance = vk.create(&ask_for_windows()).unwrap();
        let surface = create_surface(vk, &instance, "xcb").unwrap();
        let device = instance.device(instance.named("failing"), &["VK_KHR_swapchain"]);
        let swapchain = ash::khr::swapchain::Device::new(&instance, &device);
        let info = vk::SwapchainCreateInfoKHR::default().surface(surface);
        unsafe {
            vk.say("swapchain", code(&swapchain.create_swapchain(&info, None)));
            device.destroy_device(None);
            khr_surface(vk, &instance).destroy_surface(surface, None);
        }
    });
    run.ok().says("swapchain", format_args!("{ERROR:?}"));
    assert!(!run.trace("failing").has("vkCreateSwapchainKHR"));
}

#[test]
fn a_driver_that_makes_no_surface_gets_none() {
    let forgetful = window_driver("forgetful").own_surfaces().line("lie", "vkCreateXcbSurfaceKHR:1");
    let run = Scenario::new().driver(forgetful).driver(window_driver("plain")).run(|vk| {
        let instance = vk.create(&ask_for_windows()).unwrap();
        let surface = create_surface(vk, &instance, "xcb").unwrap();
        let khr = khr_surface(vk, &instance);
        let physical_device = instance.named("forgetful");
        let device = instance.device(physical_device, &["VK_KHR_swapchain"]);
        let swapchain = ash::khr::swapchain::Device::new(&instance, &device);
        let info = vk::SwapchainCreateInfoKHR::default().surface(surface);
        unsafe {
            for device in instance.devices() {
                khr.get_physical_device_surface_support(device, 0, surface).unwrap();
            }
            let made = swapchain.create_swapchain(&info, None).unwrap();
            swapchain.destroy_swapchain(made, None);
            device.destroy_device(None);
            khr.destroy_surface(surface, None);
        }
    });
    let trace = run.ok().trace("forgetful");
    assert_eq!(trace.only("vkGetPhysicalDeviceSurfaceSupportKHR").get("surface"), "NULL");
    assert_eq!(trace.only("vkCreateSwapchainKHR").get("surface"), "NULL");
    assert!(!trace.has("vkDestroySurfaceKHR"));
    assert_eq!(run.trace("plain").only("vkGetPhysicalDeviceSurfaceSupportKHR").get("surface"), "xcb");
}

/// Queries only the device of driver `asked` about a surface with this chain in its create info.
fn ask_one_driver(vk: &Vk, next: *const vk::BaseInStructure<'_>) {
    let instance = vk.create(&ask_for_windows()).unwrap();
    let display = ash::khr::display::Instance::new(&vk.entry, &instance);
    let mut info =
        vk::DisplaySurfaceCreateInfoKHR::default().display_mode(vk::DisplayModeKHR::from_raw(0xabcd));
    info.p_next = next.cast();
    let khr = khr_surface(vk, &instance);
    unsafe {
        let surface = display.create_display_plane_surface(&info, None).unwrap();
        assert!(khr.get_physical_device_surface_support(instance.named("asked"), 0, surface).unwrap());
        khr.get_physical_device_surface_formats(instance.named("asked"), surface).unwrap();
        khr.destroy_surface(surface, None);
    }
}

fn run_ask_one_driver(program: fn(&Vk)) -> Run {
    let run = Scenario::new()
        .driver(window_driver("asked").own_surfaces())
        .driver(window_driver("other").own_surfaces())
        .run(program);
    run.ok();
    run
}

/// A mode belongs to the driver of its display.
#[test]
fn a_driver_that_is_not_asked_gets_no_mode_of_another_ones_display() {
    let run = run_ask_one_driver(|vk| ask_one_driver(vk, std::ptr::null()));
    assert_eq!(run.trace("asked").only("vkCreateDisplayPlaneSurfaceKHR").get("chain"), "");
    assert!(run.trace("asked").has("vkDestroySurfaceKHR"));
    for command in ["vkCreateDisplayPlaneSurfaceKHR", "vkDestroySurfaceKHR"] {
        assert!(!run.trace("other").has(command), "{command}");
    }
}

/// `VkDisplaySurfaceStereoCreateInfoNV`, which need not live longer than the call that it is given to.
#[test]
fn what_extends_a_create_info_reaches_the_driver_later() {
    let run = run_ask_one_driver(|vk| {
        let stereo = Chained { s_type: 1_000_551_000, next: std::ptr::null(), value: 2 };
        ask_one_driver(vk, (&raw const stereo).cast());
    });
    assert_eq!(run.trace("asked").only("vkCreateDisplayPlaneSurfaceKHR").get("chain"), "1000551000");
    assert!(!run.trace("other").has("vkCreateDisplayPlaneSurfaceKHR"));
}

/// The size of a future structure is unknown: it is passed on while it is alive.
#[test]
fn future_create_info_structures_reach_every_driver() {
    let run = run_ask_one_driver(|vk| {
        let unknown = Chained { s_type: 1_999_999_000, next: std::ptr::null(), value: 2 };
        ask_one_driver(vk, (&raw const unknown).cast());
    });
    for name in ["asked", "other"] {
        let trace = run.trace(name);
        assert_eq!(trace.only("vkCreateDisplayPlaneSurfaceKHR").get("chain"), "1999999000", "{name}");
        assert_eq!(trace.last("unload").get("surfaces"), "0", "{name}");
    }
}

#[repr(C)]
struct Chained {
    s_type: i32,
    next: *const Self,
    value: i32,
}

#[test]
fn threads_that_ask_at_once_have_one_surface_made() {
    let run = Scenario::new().driver(window_driver("own").own_surfaces()).run(|vk| {
        let instance = vk.create(&ask_for_windows()).unwrap();
        let (khr, device) = (khr_surface(vk, &instance), instance.named("own"));
        for _ in 0..50 {
            let surface = create_surface(vk, &instance, "xcb").unwrap();
            let start = std::sync::Barrier::new(4);
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| {
                        start.wait();
                        // SAFETY: queries about a surface are not externally synchronised.
                        let supported =
                            unsafe { khr.get_physical_device_surface_support(device, 0, surface) };
                        assert!(supported.unwrap());
                    });
                }
            });
            // SAFETY: the threads have ended.
            unsafe { khr.destroy_surface(surface, None) };
        }
    });
    let trace = run.ok().trace("own");
    assert_eq!(trace.calls("vkCreateXcbSurfaceKHR").len(), 50);
    assert_eq!(trace.last("unload").get("surfaces"), "0");
}

#[test]
fn surfaces_outlive_devices_that_are_enumerated_again() {
    let run = Scenario::new()
        .driver(window_driver("a").own_surfaces())
        .driver(window_driver("b").own_surfaces())
        .run(|vk| {
            let instance = vk.create(&ask_for_windows()).unwrap();
            let surface = create_surface(vk, &instance, "xcb").unwrap();
            let (a, khr) = (instance.named("a"), khr_surface(vk, &instance));
            vk.hide("b", &[0]);
            vk.say("without b", instance.names().join(","));
            unsafe {
                khr.get_physical_device_surface_formats(a, surface).unwrap();
                khr.destroy_surface(surface, None);
            }
        });
    run.ok().says("without b", "a");
    for name in ["a", "b"] {
        assert_eq!(run.trace(name).last("unload").get("surfaces"), "0");
    }
}

/// The container is not for a driver that has no surfaces, whichever interface version it has.
#[test]
fn a_surface_that_is_named_through_a_driver_without_its_extension_is_kept_from_the_driver() {
    for interface in [2, 5] {
        let lacks = Driver::new("lacks")
            .interface(interface)
            .extension("VK_EXT_debug_utils")
            .device(Device::new("lacks").extension("VK_EXT_debug_marker"));
        let has = window_driver("has").extension("VK_EXT_debug_utils");
        let run = Scenario::new().driver(has).driver(lacks).run(|vk| {
            let instance = vk.create(&ask_for_windows().extension("VK_EXT_debug_utils")).unwrap();
            let surface = create_surface(vk, &instance, "headless").unwrap();
            for (name, extensions) in [("has", &[][..]), ("lacks", &["VK_EXT_debug_marker"])] {
                let device = instance.device(instance.named(name), extensions);
                let utils = ash::ext::debug_utils::Device::new(&instance, &device);
                let info =
                    vk::DebugUtilsObjectNameInfoEXT::default().object_handle(surface).object_name(c"it");
                let tag = vk::DebugUtilsObjectTagInfoEXT::default().object_handle(surface).tag(&[1]);
                unsafe {
                    utils.set_debug_utils_object_name(&info).unwrap();
                    utils.set_debug_utils_object_tag(&tag).unwrap();
                    device.destroy_device(None);
                }
            }
            unsafe { khr_surface(vk, &instance).destroy_surface(surface, None) };
        });
        run.ok();
        assert_eq!(run.trace("has").only("vkSetDebugUtilsObjectNameEXT").get("object"), "headless");
        assert!(!run.trace("lacks").has("vkSetDebugUtilsObjectNameEXT"), "{interface}");
        assert!(!run.trace("lacks").has("vkSetDebugUtilsObjectTagEXT"), "{interface}");
    }
}
