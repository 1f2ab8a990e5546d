//! Surfaces: the loader's own structures, drivers that make theirs, and what is asked of either.
use ash::vk::{self, Handle as _};
use vkload_tests::{
    Ask, Device, Driver, Run, Scenario, Vk, ask_for_windows, code, create_surface, khr_surface, window_driver,
};

/// Creates a surface of the system `system`, asks every device whether it supports it, and destroys it.
fn support(vk: &Vk) {
    let instance = vk.create(&ask_for_windows()).unwrap();
    let surface = create_surface(vk, &instance, &vk.arg("system")).unwrap();
    let khr = khr_surface(vk, &instance);
    for device in instance.devices() {
        // SAFETY: valid use of Vulkan on one thread.
        let supported = unsafe { khr.get_physical_device_surface_support(device, 0, surface) };
        vk.say(&instance.name(device), supported.unwrap());
    }
    // SAFETY: as above.
    unsafe { khr.destroy_surface(surface, None) };
}

fn run_support(system: &str, drivers: &[Driver]) -> Run {
    let scenario = Scenario::new().argument("system", system);
    let run = drivers.iter().fold(scenario, |scenario, driver| scenario.driver(driver.clone())).run(support);
    run.ok();
    run
}

// ---- the loader's own ----

#[test]
fn an_xcb_surface_has_its_connection_and_window() {
    let run = run_support("xcb", &[window_driver("plain")]);
    let trace = run.says("plain", true).trace("plain");
    let call = trace.only("vkGetPhysicalDeviceSurfaceSupportKHR");
    assert_eq!((call.get("surface"), call.get("connection"), call.get("window")), ("xcb", "1000", "77"));
}

#[test]
fn an_xlib_surface_has_its_display_and_window() {
    let trace = run_support("xlib", &[window_driver("plain")]).trace("plain");
    let call = trace.only("vkGetPhysicalDeviceSurfaceSupportKHR");
    assert_eq!((call.get("surface"), call.get("display"), call.get("window")), ("xlib", "2000", "88"));
}

#[test]
fn a_wayland_surface_has_its_display_and_surface() {
    let trace = run_support("wayland", &[window_driver("plain")]).trace("plain");
    let call = trace.only("vkGetPhysicalDeviceSurfaceSupportKHR");
    assert_eq!(
        (call.get("surface"), call.get("display"), call.get("surface_pointer")),
        ("wayland", "3000", "3001")
    );
}

#[test]
fn a_headless_surface_has_its_kind() {
    let trace = run_support("headless", &[window_driver("plain")]).trace("plain");
    assert_eq!(trace.only("vkGetPhysicalDeviceSurfaceSupportKHR").get("surface"), "headless");
}

#[test]
fn a_display_surface_has_everything_it_was_made_with() {
    let trace = run_support("display", &[window_driver("plain")]).trace("plain");
    let call = trace.only("vkGetPhysicalDeviceSurfaceSupportKHR");
    let found = ["surface", "mode", "plane", "stack", "transform", "alpha", "alpha_mode", "extent"]
        .map(|key| call.get(key));
    assert_eq!(found, ["display", "abcd", "3", "4", "2", "0.5", "2", "640x480"]);
}

// ---- drivers' own ----

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
fn a_driver_that_fails_to_make_a_surface_costs_nobody_else() {
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
            // SAFETY: valid use of Vulkan on one thread.
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
        // SAFETY: as above.
        unsafe { khr.destroy_surface(surface, None) };
    });
    run.ok().says("a", "SUCCESS").says("failing", format_args!("{ERROR:?}")).says("z", "SUCCESS");
    run.logs(&["ERROR", "failing", "vkCreateXcbSurfaceKHR returned VK_ERROR_NATIVE_WINDOW_IN_USE_KHR"]);
    for name in ["a", "z"] {
        assert_eq!(run.trace(name).last("unload").get("surfaces"), "0", "{name} is left with a surface");
    }
}

#[test]
fn a_swapchain_without_its_drivers_surface_fails_with_what_the_driver_returned() {
    const ERROR: vk::Result = vk::Result::ERROR_OUT_OF_DEVICE_MEMORY;
    let failing = window_driver("failing").own_surfaces().result("vkCreateXcbSurfaceKHR", ERROR);
    let run = Scenario::new().driver(failing).run(|vk| {
        let instance = vk.create(&ask_for_windows()).unwrap();
        let surface = create_surface(vk, &instance, "xcb").unwrap();
        let device = instance.device(instance.named("failing"), &["VK_KHR_swapchain"]);
        let swapchain = ash::khr::swapchain::Device::new(&instance, &device);
        let info = vk::SwapchainCreateInfoKHR::default().surface(surface);
        // SAFETY: valid use of Vulkan on one thread.
        unsafe {
            vk.say("swapchain", code(&swapchain.create_swapchain(&info, None)));
            device.destroy_device(None);
            khr_surface(vk, &instance).destroy_surface(surface, None);
        }
    });
    run.ok().says("swapchain", format_args!("{ERROR:?}"));
    assert!(!run.trace("failing").has("vkCreateSwapchainKHR"));
}

/// Asks the device of driver `asked` alone about a surface with what is chained to its create info.
fn ask_one_driver(vk: &Vk, next: *const vk::BaseInStructure<'_>) {
    let instance = vk.create(&ask_for_windows()).unwrap();
    let display = ash::khr::display::Instance::new(&vk.entry, &instance);
    let mut info =
        vk::DisplaySurfaceCreateInfoKHR::default().display_mode(vk::DisplayModeKHR::from_raw(0xabcd));
    info.p_next = next.cast();
    let khr = khr_surface(vk, &instance);
    // SAFETY: valid use of Vulkan on one thread.
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

/// Nobody knows how long a structure of tomorrow is: it is passed on while it is there.
#[test]
fn what_a_create_info_is_extended_with_one_day_reaches_every_driver_at_once() {
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

// ---- without the extension ----

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
            // Who links to the function may call it all the same.
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

// ---- questions about surfaces ----

#[test]
fn every_question_gets_the_drivers_surface() {
    let run = Scenario::new().driver(window_driver("own").own_surfaces()).driver(window_driver("plain")).run(
        |vk| {
            let instance = vk.create(&ask_for_windows()).unwrap();
            let surface = create_surface(vk, &instance, "xcb").unwrap();
            let khr = khr_surface(vk, &instance);
            for device in instance.devices() {
                // SAFETY: valid use of Vulkan on one thread.
                unsafe {
                    let capabilities = khr.get_physical_device_surface_capabilities(device, surface).unwrap();
                    assert!(capabilities.current_extent == vk::Extent2D { width: 640, height: 480 });
                    assert_eq!(khr.get_physical_device_surface_formats(device, surface).unwrap().len(), 2);
                    let modes = khr.get_physical_device_surface_present_modes(device, surface).unwrap();
                    assert!(modes == [vk::PresentModeKHR::FIFO, vk::PresentModeKHR::MAILBOX]);
                    let swapchain = ash::khr::swapchain::Instance::new(&vk.entry, &instance);
                    let rectangles =
                        swapchain.get_physical_device_present_rectangles(device, surface).unwrap();
                    assert!(rectangles[0].extent == vk::Extent2D { width: 3, height: 4 });
                }
            }
            // SAFETY: as above.
            unsafe { khr.destroy_surface(surface, None) };
        },
    );
    for command in [
        "vkGetPhysicalDeviceSurfaceCapabilitiesKHR",
        "vkGetPhysicalDeviceSurfaceFormatsKHR",
        "vkGetPhysicalDeviceSurfacePresentModesKHR",
        "vkGetPhysicalDevicePresentRectanglesKHR",
    ] {
        assert_eq!(run.ok().trace("own").last(command).get("surface"), "own", "{command}");
        assert_eq!(run.trace("plain").last(command).get("surface"), "xcb", "{command}");
    }
}

#[test]
fn a_surface_of_null_passes_with_surfaceless_query() {
    let driver = window_driver("own").own_surfaces().extension("VK_GOOGLE_surfaceless_query");
    let run = Scenario::new().driver(driver).run(|vk| {
        let instance = vk.create(&ask_for_windows().extension("VK_GOOGLE_surfaceless_query")).unwrap();
        let device = instance.devices()[0];
        // SAFETY: the extension allows VK_NULL_HANDLE.
        unsafe {
            let khr = khr_surface(vk, &instance);
            vk.say(
                "formats",
                khr.get_physical_device_surface_formats(device, vk::SurfaceKHR::null()).unwrap().len(),
            );
            khr.get_physical_device_surface_present_modes(device, vk::SurfaceKHR::null()).unwrap();
        }
    });
    run.ok().says("formats", 2);
    assert_eq!(run.trace("own").last("vkGetPhysicalDeviceSurfaceFormatsKHR").get("surface"), "NULL");
}

/// The older commands where the driver lacks the newer ones; what a driver makes of no surface is the driver's.
#[test]
fn a_surface_of_null_passes_to_drivers_that_lack_the_newer_commands() {
    let driver = window_driver("own").own_surfaces().extension("VK_GOOGLE_surfaceless_query");
    let has = window_driver("has").extension("VK_KHR_get_surface_capabilities2");
    let run = Scenario::new().driver(driver).driver(has).run(|vk| {
        let ask = ask_for_windows().extension("VK_GOOGLE_surfaceless_query");
        let instance = vk.create(&ask.extension("VK_KHR_get_surface_capabilities2")).unwrap();
        let two = ash::khr::get_surface_capabilities2::Instance::new(&vk.entry, &instance);
        let info = vk::PhysicalDeviceSurfaceInfo2KHR::default();
        let mut capabilities = vk::SurfaceCapabilities2KHR::default();
        for name in ["own", "has"] {
            let device = instance.named(name);
            // SAFETY: the extension allows VK_NULL_HANDLE.
            unsafe {
                two.get_physical_device_surface_capabilities2(device, &info, &mut capabilities).unwrap();
                vk.say(name, two.get_physical_device_surface_formats2_len(device, &info).unwrap());
            }
        }
    });
    run.ok().says("own", 2).says("has", 2);
    for (name, commands) in [
        ("own", ["vkGetPhysicalDeviceSurfaceCapabilitiesKHR", "vkGetPhysicalDeviceSurfaceFormatsKHR"]),
        ("has", ["vkGetPhysicalDeviceSurfaceCapabilities2KHR", "vkGetPhysicalDeviceSurfaceFormats2KHR"]),
    ] {
        for command in commands {
            assert_eq!(run.trace(name).last(command).get("surface"), "NULL", "{name} {command}");
        }
    }
}

/// What `enumerate` makes of each room: the result, and the count after it.
fn counts<T: Clone + Default>(enumerate: impl Fn(*mut u32, *mut T) -> vk::Result) -> String {
    let rooms = [None, Some(9), Some(1), Some(0)].map(|room| {
        let (mut count, mut array) = (room.unwrap_or(77), vec![T::default(); 9]);
        let result =
            enumerate(&mut count, if room.is_some() { array.as_mut_ptr() } else { std::ptr::null_mut() });
        format!("{result:?} {count}")
    });
    rooms.join(", ")
}

#[test]
fn small_arrays_of_what_surfaces_can_do_are_filled_and_incomplete() {
    let has = window_driver("has").own_surfaces().extension("VK_KHR_get_surface_capabilities2");
    let run = Scenario::new().driver(has).driver(window_driver("lacks")).run(|vk| {
        let ask = ask_for_windows().extension("VK_KHR_get_surface_capabilities2");
        let instance = vk.create(&ask).unwrap();
        let surface = create_surface(vk, &instance, "xcb").unwrap();
        let khr = khr_surface(vk, &instance);
        let fp = khr.fp();
        let two = ash::khr::get_surface_capabilities2::Instance::new(&vk.entry, &instance);
        let rectangles = ash::khr::swapchain::Instance::new(&vk.entry, &instance);
        let info = vk::PhysicalDeviceSurfaceInfo2KHR::default().surface(surface);
        for name in ["has", "lacks"] {
            let device = instance.named(name);
            // SAFETY: `counts` gives counted out-arrays; the handles are alive.
            let said = unsafe {
                let formats = fp.get_physical_device_surface_formats_khr;
                let modes = fp.get_physical_device_surface_present_modes_khr;
                let formats2 = two.fp().get_physical_device_surface_formats2_khr;
                let rectangles = rectangles.fp().get_physical_device_present_rectangles_khr;
                [
                    counts(|count, out| formats(device, surface, count, out)),
                    counts(|count, out| modes(device, surface, count, out)),
                    counts(|count, out| formats2(device, &info, count, out)),
                    counts(|count, out| rectangles(device, surface, count, out)),
                ]
            };
            vk.say(name, said.join("; "));
        }
        // SAFETY: it is alive and not used any more.
        unsafe { khr.destroy_surface(surface, None) };
    });
    let two = "SUCCESS 2, SUCCESS 2, INCOMPLETE 1, INCOMPLETE 0";
    let one = "SUCCESS 1, SUCCESS 1, SUCCESS 1, INCOMPLETE 0";
    for name in ["has", "lacks"] {
        run.ok().says(name, [two, two, two, one].join("; "));
    }
}

/// Where the driver cannot say which modes are compatible: each is so with itself alone.
#[test]
fn small_arrays_of_compatible_modes_have_what_was_written() {
    let run = Scenario::new().driver(window_driver("lacks").own_surfaces()).driver(
        window_driver("has")
            .extension("VK_KHR_get_surface_capabilities2")
            .extension("VK_EXT_surface_maintenance1"),
    );
    let run = run.run(|vk| {
        let ask = ask_for_windows().extension("VK_KHR_get_surface_capabilities2");
        let instance = vk.create(&ask.extension("VK_EXT_surface_maintenance1")).unwrap();
        let surface = create_surface(vk, &instance, "xcb").unwrap();
        let two = ash::khr::get_surface_capabilities2::Instance::new(&vk.entry, &instance);
        let mut mode = vk::SurfacePresentModeEXT::default().present_mode(vk::PresentModeKHR::MAILBOX);
        let info = vk::PhysicalDeviceSurfaceInfo2KHR::default().surface(surface).push_next(&mut mode);
        let rooms = [None, Some(4), Some(1), Some(0)].map(|room| {
            let mut modes = [vk::PresentModeKHR::IMMEDIATE; 4];
            let mut compatible = vk::SurfacePresentModeCompatibilityEXT {
                present_mode_count: room.unwrap_or(77),
                p_present_modes: room.map_or(std::ptr::null_mut(), |_| modes.as_mut_ptr()),
                ..Default::default()
            };
            let mut capabilities = vk::SurfaceCapabilities2KHR::default().push_next(&mut compatible);
            let device = instance.named("lacks");
            // SAFETY: valid use of Vulkan on one thread.
            unsafe { two.get_physical_device_surface_capabilities2(device, &info, &mut capabilities) }
                .unwrap();
            let written = modes.iter().filter(|mode| **mode == vk::PresentModeKHR::MAILBOX).count();
            format!("{} {written}", compatible.present_mode_count)
        });
        vk.say("counts", rooms.join(", "));
        // SAFETY: as above.
        unsafe { khr_surface(vk, &instance).destroy_surface(surface, None) };
    });
    run.ok().says("counts", "1 0, 1 1, 1 1, 0 0");
}

#[test]
fn what_hangs_on_a_question_about_a_surface_reaches_the_driver() {
    let has = window_driver("has").own_surfaces().extension("VK_KHR_get_surface_capabilities2");
    let run = Scenario::new().driver(has).run(|vk| {
        let ask = ask_for_windows().extension("VK_KHR_get_surface_capabilities2");
        let instance = vk.create(&ask).unwrap();
        let surface = create_surface(vk, &instance, "xcb").unwrap();
        let two = ash::khr::get_surface_capabilities2::Instance::new(&vk.entry, &instance);
        let mut exclusive = vk::SurfaceFullScreenExclusiveInfoEXT::default();
        let info = vk::PhysicalDeviceSurfaceInfo2KHR::default().surface(surface).push_next(&mut exclusive);
        let mut shared = vk::SharedPresentSurfaceCapabilitiesKHR::default();
        let mut hdr = vk::DisplayNativeHdrSurfaceCapabilitiesAMD::default();
        let mut capabilities =
            vk::SurfaceCapabilities2KHR::default().push_next(&mut shared).push_next(&mut hdr);
        // SAFETY: valid use of Vulkan on one thread.
        unsafe {
            let device = instance.named("has");
            two.get_physical_device_surface_capabilities2(device, &info, &mut capabilities).unwrap();
            khr_surface(vk, &instance).destroy_surface(surface, None);
        }
    });
    let trace = run.ok().trace("has");
    let chains = trace.last("chains_of_capabilities2");
    let kinds = |kinds: &[vk::StructureType]| {
        kinds.iter().map(|kind| kind.as_raw().to_string()).collect::<Vec<_>>().join(",")
    };
    assert_eq!(chains.get("asked"), kinds(&[vk::StructureType::SURFACE_FULL_SCREEN_EXCLUSIVE_INFO_EXT]));
    let answered = [
        vk::StructureType::DISPLAY_NATIVE_HDR_SURFACE_CAPABILITIES_AMD,
        vk::StructureType::SHARED_PRESENT_SURFACE_CAPABILITIES_KHR,
    ];
    assert_eq!(chains.get("answered"), kinds(&answered));
}

#[test]
fn errors_of_what_is_asked_about_surfaces_are_passed_on() {
    for (command, error) in [
        ("vkGetPhysicalDeviceSurfaceSupportKHR", vk::Result::ERROR_SURFACE_LOST_KHR),
        ("vkGetPhysicalDeviceSurfaceCapabilitiesKHR", vk::Result::ERROR_SURFACE_LOST_KHR),
        ("vkGetPhysicalDeviceSurfaceFormatsKHR", vk::Result::ERROR_OUT_OF_DEVICE_MEMORY),
        ("vkGetPhysicalDeviceSurfacePresentModesKHR", vk::Result::ERROR_OUT_OF_HOST_MEMORY),
    ] {
        let run = Scenario::new().driver(window_driver("plain").result(command, error)).run(|vk| {
            let instance = vk.create(&ask_for_windows()).unwrap();
            let surface = create_surface(vk, &instance, "xcb").unwrap();
            let (khr, device) = (khr_surface(vk, &instance), instance.devices()[0]);
            // SAFETY: valid use of Vulkan on one thread.
            let results = unsafe {
                [
                    code(&khr.get_physical_device_surface_support(device, 0, surface)),
                    code(&khr.get_physical_device_surface_capabilities(device, surface)),
                    code(&khr.get_physical_device_surface_formats(device, surface)),
                    code(&khr.get_physical_device_surface_present_modes(device, surface)),
                ]
            };
            vk.say(
                "results",
                results.into_iter().filter(|one| one != "SUCCESS").collect::<Vec<_>>().join(","),
            );
            // SAFETY: as above.
            unsafe { khr.destroy_surface(surface, None) };
        });
        run.ok().says("results", format_args!("{error:?}"));
    }
}

/// Asks through VK_KHR_get_surface_capabilities2 and says what came of it.
fn ask_2(vk: &Vk) {
    let instance = vk.create(&ask_for_windows().extension("VK_KHR_get_surface_capabilities2")).unwrap();
    let surface = create_surface(vk, &instance, "xcb").unwrap();
    let two = ash::khr::get_surface_capabilities2::Instance::new(&vk.entry, &instance);
    let info = vk::PhysicalDeviceSurfaceInfo2KHR::default().surface(surface);
    for device in instance.devices() {
        let name = instance.name(device);
        let mut capabilities = vk::SurfaceCapabilities2KHR::default();
        capabilities.surface_capabilities.min_image_count = 4321;
        // SAFETY: valid use of Vulkan on one thread.
        let result =
            unsafe { two.get_physical_device_surface_capabilities2(device, &info, &mut capabilities) };
        let count = capabilities.surface_capabilities.min_image_count;
        vk.say(&format!("{name} capabilities"), format_args!("{} {count}", code(&result)));
        // SAFETY: as above.
        let formats = unsafe { two.get_physical_device_surface_formats2_len(device, &info) };
        let mut list = vec![vk::SurfaceFormat2KHR::default(); formats.unwrap_or(0)];
        // SAFETY: as above.
        let result = unsafe { two.get_physical_device_surface_formats2(device, &info, &mut list) };
        let formats: Vec<_> = list.iter().map(|format| format.surface_format.format.as_raw()).collect();
        vk.say(&format!("{name} formats"), format_args!("{} {formats:?}", code(&result)));
    }
    // SAFETY: as above.
    unsafe { khr_surface(vk, &instance).destroy_surface(surface, None) };
}

#[test]
fn capabilities2_is_emulated_for_drivers_that_lack_it() {
    let has = window_driver("has").own_surfaces().extension("VK_KHR_get_surface_capabilities2");
    let run = Scenario::new().driver(has).driver(window_driver("lacks").own_surfaces()).run(ask_2);
    run.ok();
    for name in ["has", "lacks"] {
        run.says(&format!("{name} capabilities"), "SUCCESS 2")
            .says(&format!("{name} formats"), "SUCCESS [44, 37]");
    }
    assert_eq!(run.trace("has").last("vkGetPhysicalDeviceSurfaceCapabilities2KHR").get("surface"), "own");
    assert_eq!(run.trace("lacks").last("vkGetPhysicalDeviceSurfaceCapabilitiesKHR").get("surface"), "own");
}

#[test]
fn an_error_under_emulated_capabilities2_leaves_the_structure_alone() {
    let lost = window_driver("lacks")
        .result("vkGetPhysicalDeviceSurfaceCapabilitiesKHR", vk::Result::ERROR_SURFACE_LOST_KHR);
    let has = window_driver("has").extension("VK_KHR_get_surface_capabilities2");
    let run = Scenario::new().driver(lost).driver(has).run(ask_2);
    run.ok().says("lacks capabilities", "ERROR_SURFACE_LOST_KHR 4321");
}

#[test]
fn capabilities2_of_display_surface_counter_is_emulated() {
    let has = window_driver("has").extension("VK_EXT_display_surface_counter");
    let run = Scenario::new().driver(has).driver(window_driver("lacks").own_surfaces()).run(|vk| {
        let instance = vk.create(&ask_for_windows().extension("VK_EXT_display_surface_counter")).unwrap();
        let surface = create_surface(vk, &instance, "xcb").unwrap();
        // SAFETY: it is this command.
        let function: vk::PFN_vkGetPhysicalDeviceSurfaceCapabilities2EXT =
            unsafe { instance.command("vkGetPhysicalDeviceSurfaceCapabilities2EXT") };
        for name in ["has", "lacks"] {
            let mut capabilities = vk::SurfaceCapabilities2EXT::default();
            // SAFETY: valid use of Vulkan on one thread.
            let result = unsafe { function(instance.named(name), surface, &mut capabilities) };
            let counters = capabilities.supported_surface_counters.as_raw();
            vk.say(name, format_args!("{result:?} {} {counters}", capabilities.min_image_count));
        }
        // SAFETY: as above.
        unsafe { khr_surface(vk, &instance).destroy_surface(surface, None) };
    });
    run.ok().says("has", "SUCCESS 2 1").says("lacks", "SUCCESS 2 0");
}

/// Asks for what VK_EXT_surface_maintenance1 and VK_KHR_surface_protected_capabilities add to a surface's capabilities.
fn ask_with_chains(vk: &Vk) {
    let extensions = [
        "VK_KHR_get_surface_capabilities2",
        "VK_EXT_surface_maintenance1",
        "VK_KHR_surface_protected_capabilities",
    ];
    let instance =
        vk.create(&extensions.iter().fold(ask_for_windows(), |ask, name| ask.extension(name))).unwrap();
    let surface = create_surface(vk, &instance, "xcb").unwrap();
    let two = ash::khr::get_surface_capabilities2::Instance::new(&vk.entry, &instance);
    for device in instance.devices() {
        let mut mode = vk::SurfacePresentModeEXT::default().present_mode(vk::PresentModeKHR::MAILBOX);
        let info = vk::PhysicalDeviceSurfaceInfo2KHR::default().surface(surface).push_next(&mut mode);
        let mut modes = [vk::PresentModeKHR::IMMEDIATE; 4];
        let mut compatible = vk::SurfacePresentModeCompatibilityEXT::default().present_modes(&mut modes);
        // Filled with what must not survive.
        let garbage = vk::Extent2D { width: 7, height: 7 };
        let mut scaling = vk::SurfacePresentScalingCapabilitiesEXT::default()
            .supported_present_scaling(vk::PresentScalingFlagsEXT::STRETCH)
            .min_scaled_image_extent(garbage)
            .max_scaled_image_extent(garbage);
        let mut protected = vk::SurfaceProtectedCapabilitiesKHR::default().supports_protected(true);
        let mut capabilities = vk::SurfaceCapabilities2KHR::default()
            .push_next(&mut protected)
            .push_next(&mut scaling)
            .push_next(&mut compatible);
        // SAFETY: valid use of Vulkan on one thread.
        let result =
            unsafe { two.get_physical_device_surface_capabilities2(device, &info, &mut capabilities) };
        let name = instance.name(device);
        let flags = scaling.supported_present_scaling.as_raw();
        let extents = [scaling.min_scaled_image_extent, scaling.max_scaled_image_extent];
        let [min, max] = extents.map(|extent| format!("{}x{}", extent.width, extent.height));
        vk.say(&format!("{name} scaling"), format_args!("{} {flags} {min} {max}", code(&result)));
        vk.say(&format!("{name} protected"), protected.supports_protected);
        let count = compatible.present_mode_count;
        vk.say(&format!("{name} modes"), format_args!("{count} {}", modes[0].as_raw()));
    }
    // SAFETY: valid use of Vulkan on one thread.
    unsafe { khr_surface(vk, &instance).destroy_surface(surface, None) };
}

/// A driver that knows all, one that knows only VK_KHR_get_surface_capabilities2, one that knows nothing of it.
fn run_with_chains() -> Run {
    let two = || window_driver("two").extension("VK_KHR_get_surface_capabilities2");
    let mut all = Driver::new("all").device(Device::new("all"));
    for extension in [
        "VK_KHR_surface",
        "VK_KHR_xcb_surface",
        "VK_KHR_get_surface_capabilities2",
        "VK_EXT_surface_maintenance1",
        "VK_KHR_surface_protected_capabilities",
    ] {
        all = all.extension(extension);
    }
    let run = Scenario::new().driver(all).driver(two()).driver(window_driver("none")).run(ask_with_chains);
    run.ok();
    run
}

#[test]
fn compatible_present_modes_are_answered_for_drivers_that_know_none() {
    let run = run_with_chains();
    let mailbox = format!("1 {}", vk::PresentModeKHR::MAILBOX.as_raw());
    run.says("two modes", &mailbox).says("none modes", &mailbox);
    run.says("all modes", format_args!("4 {}", vk::PresentModeKHR::IMMEDIATE.as_raw()));
}

#[test]
fn scaling_is_answered_for_drivers_that_know_none_with_the_surfaces_extents() {
    let run = run_with_chains();
    run.says("two scaling", "SUCCESS 0 1x2 4096x2160").says("none scaling", "SUCCESS 0 1x2 4096x2160");
    run.says("all scaling", "SUCCESS 4 7x7 7x7");
}

#[test]
fn surfaces_are_not_protected_where_the_driver_does_not_say_so() {
    run_with_chains().says("all protected", 1).says("two protected", 0).says("none protected", 0);
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
        // SAFETY: valid use of Vulkan on one thread.
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
                let answers = [
                    xcb.get_physical_device_xcb_presentation_support(
                        device,
                        0,
                        &mut *(&raw mut *connection).cast(),
                        0,
                    ),
                    xlib.get_physical_device_xlib_presentation_support(
                        device,
                        0,
                        &mut *(&raw mut *dpy).cast(),
                        0,
                    ),
                    wayland.get_physical_device_wayland_presentation_support(
                        device,
                        0,
                        &mut *(&raw mut *display).cast(),
                    ),
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

#[test]
fn surfaces_outlive_devices_that_are_enumerated_anew() {
    let run = Scenario::new()
        .driver(window_driver("a").own_surfaces())
        .driver(window_driver("b").own_surfaces())
        .run(|vk| {
            let instance = vk.create(&ask_for_windows()).unwrap();
            let surface = create_surface(vk, &instance, "xcb").unwrap();
            let (a, khr) = (instance.named("a"), khr_surface(vk, &instance));
            vk.hide("b", &[0]);
            vk.say("without b", instance.names().join(","));
            // SAFETY: valid use of Vulkan on one thread.
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
