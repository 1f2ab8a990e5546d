//! Displays without a window system: the drivers' information about them, and acquiring them.
use std::ptr::without_provenance_mut;

use ash::vk::{self, Handle};
use vkload_tests::{Ask, Device, Driver, Instance, Scenario, Vk, code};

const EXTENSIONS: [&str; 6] = [
    "VK_KHR_surface",
    "VK_KHR_display",
    "VK_KHR_get_display_properties2",
    "VK_EXT_direct_mode_display",
    "VK_EXT_acquire_xlib_display",
    "VK_EXT_acquire_drm_display",
];

/// Returns a driver with two devices, so that a mix-up shows: the last digit of each display and mode is the number of its device.
fn driver(name: &str) -> Driver {
    let device = |number: u32| Device::new(&format!("{name}{number}"));
    let driver = Driver::new(name).device(device(0)).device(device(1));
    EXTENSIONS.iter().fold(driver, |driver, extension| driver.extension(extension))
}

fn instance(vk: &Vk) -> Instance<'_> {
    vk.create(&EXTENSIONS.iter().fold(Ask::new().api(1, 1), |ask, extension| ask.extension(extension)))
        .unwrap()
}

/// Returns two drivers that have it all, and one that has nothing of it.
fn scenario() -> Scenario {
    Scenario::new()
        .driver(driver("a"))
        .driver(driver("b"))
        .driver(Driver::new("none").device(Device::new("none")))
}

#[test]
fn displays_planes_and_modes_are_the_devices_own() {
    let run = scenario().run(|vk| {
        let instance = instance(vk);
        let display = ash::khr::display::Instance::new(&vk.entry, &instance);
        for name in ["a0", "a1", "b0", "b1"] {
            let device = instance.named(name);
            unsafe {
                let displays = display.get_physical_device_display_properties(device).unwrap();
                let planes = display.get_physical_device_display_plane_properties(device).unwrap();
                let supported = display.get_display_plane_supported_displays(device, 0).unwrap();
                let one = displays[0].display;
                assert!(planes[0].current_display == one && supported == [one]);
                let modes = display.get_display_mode_properties(device, one).unwrap();
                let created =
                    display.create_display_mode(device, one, &vk::DisplayModeCreateInfoKHR::default(), None);
                assert!(created.unwrap() == modes[0].display_mode);
                let capabilities =
                    display.get_display_plane_capabilities(device, modes[0].display_mode, 6).unwrap();
                assert_eq!(capabilities.max_dst_extent.width, 6);
                vk.say(name, format_args!("{:x} {:x}", one.as_raw(), modes[0].display_mode.as_raw()));
            }
        }
    });
    run.ok();
    for (name, numbers) in
        [("a0", "d15000 30de00"), ("a1", "d15001 30de01"), ("b0", "d15000 30de00"), ("b1", "d15001 30de01")]
    {
        run.says(name, numbers);
    }
}

/// Notes the results of the VK_KHR_get_display_properties2 commands for the device of this name.
fn say_properties2(vk: &Vk, instance: &Instance<'_>, name: &str) {
    let device = instance.named(name);
    // SAFETY: these are the commands; the structures are alive.
    unsafe {
        let displays: vk::PFN_vkGetPhysicalDeviceDisplayProperties2KHR =
            instance.command("vkGetPhysicalDeviceDisplayProperties2KHR");
        let modes: vk::PFN_vkGetDisplayModeProperties2KHR =
            instance.command("vkGetDisplayModeProperties2KHR");
        let capabilities: vk::PFN_vkGetDisplayPlaneCapabilities2KHR =
            instance.command("vkGetDisplayPlaneCapabilities2KHR");
        let mut count = 1;
        let mut properties = vk::DisplayProperties2KHR::default();
        assert_eq!(displays(device, &mut count, &mut properties), vk::Result::SUCCESS);
        let display = properties.display_properties.display;
        let mut mode = vk::DisplayModeProperties2KHR::default();
        assert_eq!(modes(device, display, &mut count, &mut mode), vk::Result::SUCCESS);
        let info = vk::DisplayPlaneInfo2KHR::default()
            .mode(mode.display_mode_properties.display_mode)
            .plane_index(8);
        let mut plane = vk::DisplayPlaneCapabilities2KHR::default();
        assert_eq!(capabilities(device, &info, &mut plane), vk::Result::SUCCESS);
        let width = plane.capabilities.max_dst_extent.width;
        vk.say(name, format_args!("{count} {:x} {:x} {width}", display.as_raw(), info.mode.as_raw()));
    }
}

#[test]
fn display_properties_2_are_emulated_for_drivers_that_lack_them() {
    let old = Driver::new("old")
        .extension("VK_KHR_surface")
        .extension("VK_KHR_display")
        .device(Device::new("old0"))
        .device(Device::new("old1"));
    let run = Scenario::new().driver(driver("a")).driver(old).run(|vk| {
        let instance = instance(vk);
        say_properties2(vk, &instance, "a1");
        say_properties2(vk, &instance, "old1");
    });
    run.ok().says("a1", "1 d15001 30de01 8").says("old1", "1 d15001 30de01 8");
}

#[test]
fn displays_are_acquired_and_released_through_their_driver() {
    let run = scenario().run(|vk| {
        let instance = instance(vk);
        let device = instance.named("b1");
        let dpy = without_provenance_mut(0x4000);
        // SAFETY: these are the commands; test drivers do not look at the pointers.
        unsafe {
            let release: vk::PFN_vkReleaseDisplayEXT = instance.command("vkReleaseDisplayEXT");
            let acquire_xlib: vk::PFN_vkAcquireXlibDisplayEXT = instance.command("vkAcquireXlibDisplayEXT");
            let randr: vk::PFN_vkGetRandROutputDisplayEXT = instance.command("vkGetRandROutputDisplayEXT");
            let acquire_drm: vk::PFN_vkAcquireDrmDisplayEXT = instance.command("vkAcquireDrmDisplayEXT");
            let drm: vk::PFN_vkGetDrmDisplayEXT = instance.command("vkGetDrmDisplayEXT");
            let mut by_output = vk::DisplayKHR::null();
            let mut by_connector = vk::DisplayKHR::null();
            assert_eq!(randr(device, dpy, 12, &mut by_output), vk::Result::SUCCESS);
            assert_eq!(drm(device, 5, 34, &mut by_connector), vk::Result::SUCCESS);
            assert!(by_output == by_connector);
            assert_eq!(acquire_xlib(device, dpy, by_output), vk::Result::SUCCESS);
            assert_eq!(acquire_drm(device, 5, by_output), vk::Result::SUCCESS);
            assert_eq!(release(device, by_output), vk::Result::SUCCESS);
        }
    });
    let trace = run.ok().trace("b");
    assert_eq!(trace.only("vkGetRandROutputDisplayEXT").get("output"), "12");
    assert_eq!(trace.only("vkAcquireXlibDisplayEXT").get("dpy"), "4000");
    assert_eq!(trace.only("vkAcquireDrmDisplayEXT").get("fd"), "5");
    assert_eq!(trace.only("vkGetDrmDisplayEXT").get("connector"), "34");
    assert_eq!(trace.only("vkReleaseDisplayEXT").get("device"), "1");
    assert!(!run.trace("a").has("vkReleaseDisplayEXT"));
}

#[test]
fn small_arrays_of_displays_are_incomplete() {
    let old = Driver::new("old").extension("VK_KHR_surface").extension("VK_KHR_display");
    let run = Scenario::new().driver(driver("a")).driver(old.device(Device::new("old"))).run(|vk| {
        let instance = instance(vk);
        // SAFETY: these are the commands; counted out-arrays.
        unsafe {
            let displays: vk::PFN_vkGetPhysicalDeviceDisplayPropertiesKHR =
                instance.command("vkGetPhysicalDeviceDisplayPropertiesKHR");
            let displays2: vk::PFN_vkGetPhysicalDeviceDisplayProperties2KHR =
                instance.command("vkGetPhysicalDeviceDisplayProperties2KHR");
            let planes2: vk::PFN_vkGetPhysicalDeviceDisplayPlaneProperties2KHR =
                instance.command("vkGetPhysicalDeviceDisplayPlaneProperties2KHR");
            for name in ["a0", "old"] {
                let device = instance.named(name);
                let mut said = Vec::new();
                for room in [9, 0] {
                    let mut counts = [room; 3];
                    let mut one = [vk::DisplayPropertiesKHR::default(); 9];
                    let mut two = [vk::DisplayProperties2KHR::default(); 9];
                    let mut plane = [vk::DisplayPlaneProperties2KHR::default(); 9];
                    let results = [
                        displays(device, &mut counts[0], one.as_mut_ptr()),
                        displays2(device, &mut counts[1], two.as_mut_ptr()),
                        planes2(device, &mut counts[2], plane.as_mut_ptr()),
                    ];
                    said.push(format!("{results:?} {counts:?}"));
                }
                vk.say(name, said.join(", "));
            }
        }
    });
    let all = "[SUCCESS, SUCCESS, SUCCESS] [1, 1, 1], [INCOMPLETE, INCOMPLETE, INCOMPLETE] [0, 0, 0]";
    run.ok().says("a0", all).says("old", all);
}

#[test]
fn errors_of_displays_are_passed_on() {
    let failing =
        driver("a").result("vkGetPhysicalDeviceDisplayPropertiesKHR", vk::Result::ERROR_OUT_OF_HOST_MEMORY);
    let run = Scenario::new().driver(failing).run(|vk| {
        let instance = instance(vk);
        let display = ash::khr::display::Instance::new(&vk.entry, &instance);
        let result = unsafe { display.get_physical_device_display_properties(instance.named("a0")) };
        vk.say("result", code(&result));
    });
    run.ok().says("result", "ERROR_OUT_OF_HOST_MEMORY");
}

#[test]
fn a_driver_without_displays_has_none_and_takes_none_over() {
    let run = scenario().run(|vk| {
        let instance = instance(vk);
        let device = instance.named("none");
        let display = ash::khr::display::Instance::new(&vk.entry, &instance);
        let (nothing, info) = (vk::DisplayKHR::null(), vk::DisplayModeCreateInfoKHR::default());
        let garbage = vk::Extent2D { width: 7, height: 7 };
        // SAFETY: the types match the commands; the structures are alive, and the handles are not dereferenced.
        unsafe {
            let displays = display.get_physical_device_display_properties(device).unwrap().len();
            let planes = display.get_physical_device_display_plane_properties(device).unwrap().len();
            let supported = display.get_display_plane_supported_displays(device, 0).unwrap().len();
            vk.say("lists", displays + planes + supported);
            let created = display.create_display_mode(device, nothing, &info, None);
            vk.say("creation", code(&created));
            let plane: vk::PFN_vkGetDisplayPlaneCapabilitiesKHR =
                instance.command("vkGetDisplayPlaneCapabilitiesKHR");
            let mut found = vk::DisplayPlaneCapabilitiesKHR { max_dst_extent: garbage, ..Default::default() };
            let result = plane(device, vk::DisplayModeKHR::null(), 0, &mut found);
            vk.say("plane", format_args!("{result:?} {}", found.max_dst_extent.width));
            let plane: vk::PFN_vkGetDisplayPlaneCapabilities2KHR =
                instance.command("vkGetDisplayPlaneCapabilities2KHR");
            let mut found = vk::DisplayPlaneCapabilities2KHR::default();
            found.capabilities.max_dst_extent = garbage;
            let result = plane(device, &vk::DisplayPlaneInfo2KHR::default(), &mut found);
            vk.say("plane 2", format_args!("{result:?} {}", found.capabilities.max_dst_extent.width));
            let release: vk::PFN_vkReleaseDisplayEXT = instance.command("vkReleaseDisplayEXT");
            let acquire_xlib: vk::PFN_vkAcquireXlibDisplayEXT = instance.command("vkAcquireXlibDisplayEXT");
            let randr: vk::PFN_vkGetRandROutputDisplayEXT = instance.command("vkGetRandROutputDisplayEXT");
            let acquire_drm: vk::PFN_vkAcquireDrmDisplayEXT = instance.command("vkAcquireDrmDisplayEXT");
            let drm: vk::PFN_vkGetDrmDisplayEXT = instance.command("vkGetDrmDisplayEXT");
            let (mut display, dpy) = (vk::DisplayKHR::from_raw(77), without_provenance_mut(0x4000));
            vk.say("DRM", format_args!("{:?}", drm(device, 5, 34, &mut display)));
            let results = [
                randr(device, dpy, 12, &mut display),
                acquire_xlib(device, dpy, display),
                acquire_drm(device, 5, display),
                release(device, display),
            ];
            vk.say("failed", results.iter().filter(|result| result.as_raw() < 0).count());
        }
    });
    run.ok().says("creation", "ERROR_INITIALIZATION_FAILED").says("plane", "SUCCESS 0");
    run.says("plane 2", "SUCCESS 0")
        .says("DRM", "ERROR_EXTENSION_NOT_PRESENT")
        .says("failed", 4)
        .says("lists", 0);
}
