//! Newer questions about surfaces, answered for drivers that know only older ones.
use ash::vk;
use vkload_tests::{Scenario, Vk, ask_for_windows, code, create_surface, khr_surface, window_driver};

/// Queries through VK_KHR_get_surface_capabilities2 and notes the result.
fn ask_2(vk: &Vk) {
    let instance = vk.create(&ask_for_windows().extension("VK_KHR_get_surface_capabilities2")).unwrap();
    let surface = create_surface(vk, &instance, "xcb").unwrap();
    let two = ash::khr::get_surface_capabilities2::Instance::new(&vk.entry, &instance);
    let info = vk::PhysicalDeviceSurfaceInfo2KHR::default().surface(surface);
    for device in instance.devices() {
        let name = instance.name(device);
        let mut capabilities = vk::SurfaceCapabilities2KHR::default();
        capabilities.surface_capabilities.min_image_count = 4321;
        let result =
            unsafe { two.get_physical_device_surface_capabilities2(device, &info, &mut capabilities) };
        let count = capabilities.surface_capabilities.min_image_count;
        vk.say(&format!("{name} capabilities"), format_args!("{} {count}", code(&result)));
        let formats = unsafe { two.get_physical_device_surface_formats2_len(device, &info) };
        let mut list = vec![vk::SurfaceFormat2KHR::default(); formats.unwrap_or(0)];
        let result = unsafe { two.get_physical_device_surface_formats2(device, &info, &mut list) };
        let formats: Vec<_> = list.iter().map(|format| format.surface_format.format.as_raw()).collect();
        vk.say(&format!("{name} formats"), format_args!("{} {formats:?}", code(&result)));
    }
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
            let result = unsafe { function(instance.named(name), surface, &mut capabilities) };
            let counters = capabilities.supported_surface_counters.as_raw();
            vk.say(name, format_args!("{result:?} {} {counters}", capabilities.min_image_count));
        }
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
    unsafe { khr_surface(vk, &instance).destroy_surface(surface, None) };
}

/// One driver knows all, one only VK_KHR_get_surface_capabilities2, and one nothing of it.
#[test]
fn what_drivers_do_not_know_of_a_surface_is_answered_for_them() {
    let two = window_driver("two").extension("VK_KHR_get_surface_capabilities2");
    let all = window_driver("all")
        .extension("VK_KHR_get_surface_capabilities2")
        .extension("VK_EXT_surface_maintenance1")
        .extension("VK_KHR_surface_protected_capabilities");
    let run = Scenario::new().driver(all).driver(two).driver(window_driver("none")).run(ask_with_chains);
    let mailbox = format!("1 {}", vk::PresentModeKHR::MAILBOX.as_raw());
    for name in ["two", "none"] {
        let says = |what: &str, said: &str| run.ok().says(&format!("{name} {what}"), said);
        says("modes", &mailbox);
        says("scaling", "SUCCESS 0 1x2 4096x2160");
        says("protected", "0");
    }
    run.says("all modes", format_args!("4 {}", vk::PresentModeKHR::IMMEDIATE.as_raw()));
    run.says("all scaling", "SUCCESS 4 7x7 7x7").says("all protected", 1);
}
