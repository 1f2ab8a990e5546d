//! Swapchains: they are made for the surface that the driver knows.
use ash::vk;
use vkload_tests::{Scenario, Vk, ask_for_windows, code, create_surface, khr_surface, window_driver};

/// Creates a swapchain on each device, and two shared ones.
fn swapchains(vk: &Vk) {
    let instance = vk.create(&ask_for_windows()).unwrap();
    let surface = create_surface(vk, &instance, "xcb").unwrap();
    for physical_device in instance.devices() {
        let device = instance.device(physical_device, &["VK_KHR_swapchain", "VK_KHR_display_swapchain"]);
        let info = vk::SwapchainCreateInfoKHR::default().surface(surface);
        let swapchain = ash::khr::swapchain::Device::new(&instance, &device);
        let shared = ash::khr::display_swapchain::Device::new(&instance, &device);
        unsafe {
            let mut all = shared.create_shared_swapchains(&[info, info], None).unwrap();
            all.push(swapchain.create_swapchain(&info, None).unwrap());
            let modes = swapchain.get_device_group_surface_present_modes(surface).unwrap();
            assert!(modes == vk::DeviceGroupPresentModeFlagsKHR::LOCAL);
            all.into_iter().for_each(|each| swapchain.destroy_swapchain(each, None));
            device.destroy_device(None);
        }
        vk.say("surface unchanged", info.surface == surface);
    }
    unsafe { khr_surface(vk, &instance).destroy_surface(surface, None) };
}

#[test]
fn swapchains_get_the_drivers_surface() {
    let run = Scenario::new()
        .driver(window_driver("own").own_surfaces())
        .driver(window_driver("plain"))
        .run(swapchains);
    run.ok().says("surface unchanged", true);
    for (name, surface) in [("own", "own"), ("plain", "xcb")] {
        let trace = run.trace(name);
        assert_eq!(trace.only("vkCreateSwapchainKHR").get("surface"), surface);
        assert_eq!(trace.only("vkGetDeviceGroupSurfacePresentModesKHR").get("surface"), surface);
        let shared = trace.calls("vkCreateSharedSwapchainsKHR");
        assert_eq!(shared.len(), 2);
        assert!(shared.iter().all(|call| call.get("surface") == surface));
        assert_eq!(trace.last("unload").get("swapchains"), "0");
    }
}

/// And the surface can be used for another device and swapchain afterwards.
#[test]
fn errors_of_swapchains_are_passed_on_and_surfaces_go_on() {
    for error in [
        vk::Result::ERROR_NATIVE_WINDOW_IN_USE_KHR,
        vk::Result::ERROR_DEVICE_LOST,
        vk::Result::ERROR_INITIALIZATION_FAILED,
    ] {
        let failing = window_driver("failing").own_surfaces().result("vkCreateSwapchainKHR", error);
        let run = Scenario::new().driver(failing).driver(window_driver("plain")).run(|vk| {
            let instance = vk.create(&ask_for_windows()).unwrap();
            let surface = create_surface(vk, &instance, "xcb").unwrap();
            let info = vk::SwapchainCreateInfoKHR::default().surface(surface);
            for name in ["failing", "plain"] {
                let device = instance.device(instance.named(name), &["VK_KHR_swapchain"]);
                let swapchain = ash::khr::swapchain::Device::new(&instance, &device);
                unsafe {
                    let made = swapchain.create_swapchain(&info, None);
                    vk.say(name, code(&made));
                    made.into_iter().for_each(|made| swapchain.destroy_swapchain(made, None));
                    device.destroy_device(None);
                }
            }
            unsafe { khr_surface(vk, &instance).destroy_surface(surface, None) };
        });
        run.ok().says("failing", format_args!("{error:?}")).says("plain", "SUCCESS");
    }
}

#[test]
fn swapchains_through_the_instances_look_up_get_the_drivers_surface_too() {
    let run = Scenario::new().driver(window_driver("own").own_surfaces()).run(|vk| {
        let instance = vk.create(&ask_for_windows()).unwrap();
        let surface = create_surface(vk, &instance, "xcb").unwrap();
        let device = instance.device(instance.devices()[0], &["VK_KHR_swapchain"]);
        let info = vk::SwapchainCreateInfoKHR::default().surface(surface);
        let mut swapchain = vk::SwapchainKHR::null();
        // SAFETY: these are the commands; valid use of Vulkan on one thread.
        unsafe {
            let create: vk::PFN_vkCreateSwapchainKHR = instance.command("vkCreateSwapchainKHR");
            let destroy: vk::PFN_vkDestroySwapchainKHR = instance.command("vkDestroySwapchainKHR");
            vk.say(
                "result",
                format_args!("{:?}", create(device.handle(), &info, std::ptr::null(), &mut swapchain)),
            );
            destroy(device.handle(), swapchain, std::ptr::null());
            device.destroy_device(None);
            khr_surface(vk, &instance).destroy_surface(surface, None);
        }
    });
    run.ok().says("result", "SUCCESS");
    assert_eq!(run.trace("own").only("vkCreateSwapchainKHR").get("surface"), "own");
}

#[test]
fn a_swapchain_without_a_surface_ends_with_a_message() {
    // VK_GOOGLE_surfaceless_query is for queries alone.
    for shared in ["", "shared"] {
        let driver = window_driver("own").own_surfaces().extension("VK_GOOGLE_surfaceless_query");
        let run = Scenario::new().driver(driver).argument("shared", shared).run(|vk| {
            let instance = vk.create(&ask_for_windows().extension("VK_GOOGLE_surfaceless_query")).unwrap();
            let device =
                instance.device(instance.devices()[0], &["VK_KHR_swapchain", "VK_KHR_display_swapchain"]);
            let info = vk::SwapchainCreateInfoKHR::default();
            // SAFETY: the process ends.
            unsafe {
                if vk.arg("shared").is_empty() {
                    let swapchain = ash::khr::swapchain::Device::new(&instance, &device);
                    let _ = swapchain.create_swapchain(&info, None);
                } else {
                    let shared = ash::khr::display_swapchain::Device::new(&instance, &device);
                    let _ = shared.create_shared_swapchains(&[info], None);
                }
            }
        });
        let command = if shared.is_empty() { "vkCreateSwapchainKHR" } else { "vkCreateSharedSwapchainsKHR" };
        let message = format!("{command}: Invalid surface [VUID-VkSwapchainCreateInfoKHR-surface-parameter]");
        assert!(run.aborted().last_line().contains(&message), "{}", run.ended());
        assert!(!run.trace("own").has(command));
    }
}
