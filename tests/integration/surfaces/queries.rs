//! Surface queries that drivers answer.
use ash::vk;
use vkload_tests::{Scenario, ask_for_windows, code, create_surface, khr_surface, window_driver};

#[test]
fn every_question_gets_the_drivers_surface() {
    let run = Scenario::new().driver(window_driver("own").own_surfaces()).driver(window_driver("plain")).run(
        |vk| {
            let instance = vk.create(&ask_for_windows()).unwrap();
            let surface = create_surface(vk, &instance, "xcb").unwrap();
            let khr = khr_surface(vk, &instance);
            for device in instance.devices() {
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

/// Uses the older commands if the driver lacks the newer ones; the result for a missing surface is the driver's.
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

/// Returns the result of `enumerate` for each array length, and the count after it.
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
        unsafe { khr.destroy_surface(surface, None) };
    });
    let two = "SUCCESS 2, SUCCESS 2, INCOMPLETE 1, INCOMPLETE 0";
    let one = "SUCCESS 1, SUCCESS 1, SUCCESS 1, INCOMPLETE 0";
    for name in ["has", "lacks"] {
        run.ok().says(name, [two, two, two, one].join("; "));
    }
}

/// If the driver cannot report compatible modes, each mode is compatible only with itself.
#[test]
fn small_arrays_of_compatible_modes_are_filled() {
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
            unsafe { two.get_physical_device_surface_capabilities2(device, &info, &mut capabilities) }
                .unwrap();
            let written = modes.iter().filter(|mode| **mode == vk::PresentModeKHR::MAILBOX).count();
            format!("{} {written}", compatible.present_mode_count)
        });
        vk.say("counts", rooms.join(", "));
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
fn errors_of_surface_queries_are_passed_on() {
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
            unsafe { khr.destroy_surface(surface, None) };
        });
        run.ok().says("results", format_args!("{error:?}"));
    }
}
