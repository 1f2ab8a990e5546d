//! Devices: the calls that drivers receive, the handles in them, and the parameters that are passed on unchanged.
use ash::vk;
use vkload_tests::{Ask, Device, Driver, Layer, Scenario, code, extension_names};

fn good(name: &str) -> Driver {
    Driver::new(name).device(Device::new(name).extension("VK_KHR_swapchain").extension("VK_KHR_maintenance5"))
}

#[test]
fn exported_commands_reach_the_right_driver() {
    let run = Scenario::new().driver(good("a")).driver(good("b")).run(|vk| {
        let instance = vk.create(&Ask::new().api(1, 1)).unwrap();
        // SAFETY: it is this command; valid use of Vulkan on one thread.
        unsafe {
            let wait: vk::PFN_vkDeviceWaitIdle = std::mem::transmute(vk.symbol("vkDeviceWaitIdle"));
            let queue_wait: vk::PFN_vkQueueWaitIdle = std::mem::transmute(vk.symbol("vkQueueWaitIdle"));
            for name in ["a", "b", "b"] {
                let device = instance.device(instance.named(name), &[]);
                assert_eq!(wait(device.handle()), vk::Result::SUCCESS);
                assert_eq!(queue_wait(device.get_device_queue(0, 0)), vk::Result::SUCCESS);
                device.destroy_device(None);
            }
        }
    });
    assert_eq!(run.ok().trace("a").calls("vkQueueWaitIdle").len(), 1);
    assert_eq!(run.trace("b").calls("vkQueueWaitIdle").len(), 2);
}

#[test]
fn queues_of_both_commands_can_be_used() {
    let run = Scenario::new().driver(good("a")).run(|vk| {
        let instance = vk.create(&Ask::new().api(1, 1)).unwrap();
        let device = instance.device(instance.devices()[0], &[]);
        unsafe {
            let first = device.get_device_queue(0, 0);
            let second = device.get_device_queue2(&vk::DeviceQueueInfo2::default().queue_index(1));
            let again = device.get_device_queue(0, 0);
            vk.say("same", first == again);
            for queue in [first, second, again] {
                device.queue_wait_idle(queue).unwrap();
            }
            device.destroy_device(None);
        }
    });
    run.ok().says("same", true);
}

#[test]
fn requested_extensions_reach_the_driver_in_order() {
    let run = Scenario::new().driver(good("a")).run(|vk| {
        let instance = vk.create(&Ask::new().api(1, 1)).unwrap();
        let device = instance.device(instance.devices()[0], &["VK_KHR_swapchain", "VK_KHR_maintenance5"]);
        unsafe { device.destroy_device(None) };
    });
    let trace = run.ok().trace("a");
    assert_eq!(trace.only("vkCreateDevice").get("extensions"), "VK_KHR_swapchain,VK_KHR_maintenance5");
}

#[test]
fn an_extension_that_the_device_lacks_is_an_error() {
    let run = Scenario::new().driver(good("a")).run(|vk| {
        let instance = vk.instance();
        vk.say("result", code(&instance.try_device(instance.devices()[0], &["VK_EXT_mesh_shader"])));
    });
    run.ok().says("result", "ERROR_EXTENSION_NOT_PRESENT");
}

#[test]
fn errors_of_the_driver_are_passed_on() {
    for error in [
        vk::Result::ERROR_FEATURE_NOT_PRESENT,
        vk::Result::ERROR_OUT_OF_HOST_MEMORY,
        vk::Result::ERROR_DEVICE_LOST,
    ] {
        let run = Scenario::new().driver(good("a").result("vkCreateDevice", error)).run(|vk| {
            let instance = vk.instance();
            vk.say("result", code(&instance.try_device(instance.devices()[0], &[])));
        });
        run.ok().says("result", format_args!("{error:?}"));
    }
}

#[test]
fn what_hangs_on_the_create_info_reaches_the_driver() {
    let run = Scenario::new().driver(good("a")).run(|vk| {
        let instance = vk.create(&Ask::new().api(1, 1)).unwrap();
        let mut features = vk::PhysicalDeviceVulkan11Features::default();
        let mut maintenance5 = vk::PhysicalDeviceMaintenance5FeaturesKHR::default();
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let info = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .push_next(&mut features)
            .push_next(&mut maintenance5);
        unsafe { instance.create_device(instance.devices()[0], &info, None).unwrap().destroy_device(None) };
    });
    let expected = [
        vk::StructureType::PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR,
        vk::StructureType::PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
    ]
    .map(|kind| kind.as_raw().to_string());
    let trace = run.ok().trace("a");
    let found: Vec<_> = trace.only("vkCreateDevice").list("chain").into_iter().map(str::to_owned).collect();
    let found: Vec<_> = found.into_iter().filter(|kind| expected.contains(kind)).collect();
    assert_eq!(found, expected);
}

#[test]
#[expect(deprecated, reason = "programs written for Vulkan 1.0 name layers here")]
fn device_layers_are_not_passed_to_drivers() {
    let run = Scenario::new().log().driver(good("a")).run(|vk| {
        let instance = vk.instance();
        let layers = [c"VK_LAYER_long_gone".as_ptr()];
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_layer_names(&layers);
        unsafe { instance.create_device(instance.devices()[0], &info, None).unwrap().destroy_device(None) };
    });
    assert_eq!(run.ok().trace("a").only("vkCreateDevice").get("layers"), "0");
    run.logs(&["WARNING", "layer"]);
}

#[test]
fn device_extensions_are_the_drivers_own() {
    let run = Scenario::new().driver(good("a")).driver(Driver::new("b").device(Device::new("b"))).run(|vk| {
        let instance = vk.create(&Ask::new().api(1, 1)).unwrap();
        for name in ["a", "b"] {
            let list =
                unsafe { instance.enumerate_device_extension_properties(instance.named(name)) }.unwrap();
            vk.say(name, extension_names(&list).join(","));
        }
    });
    run.ok().says("a", "VK_KHR_swapchain,VK_KHR_maintenance5").says("b", "");
}

#[test]
fn unknown_device_extensions_are_listed_and_enabled() {
    let driver = Driver::new("a").device(Device::new("a").extension("VK_TEST_brand_new"));
    let run = Scenario::new().driver(driver).run(|vk| {
        let instance = vk.instance();
        let physical_device = instance.devices()[0];
        let list = unsafe { instance.enumerate_device_extension_properties(physical_device) }.unwrap();
        vk.say("names", extension_names(&list).join(","));
        vk.say("result", code(&instance.try_device(physical_device, &["VK_TEST_brand_new"])));
    });
    run.ok().says("names", "VK_TEST_brand_new").says("result", "SUCCESS");
}

#[test]
fn a_missing_count_of_device_extensions_is_incomplete() {
    let run = Scenario::new().driver(good("a")).run(|vk| {
        let instance = vk.instance();
        // SAFETY: the test is about the missing pointer.
        let result = unsafe {
            let function = instance.fp_v1_0().enumerate_device_extension_properties;
            function(instance.devices()[0], std::ptr::null(), std::ptr::null_mut(), std::ptr::null_mut())
        };
        vk.say("result", format_args!("{result:?}"));
    });
    run.ok().says("result", "INCOMPLETE");
}

#[test]
fn destroying_no_device_does_nothing() {
    let run = Scenario::new().driver(good("a")).run(|vk| {
        let _instance = vk.instance();
        // SAFETY: it is this command, and NULL is allowed.
        unsafe {
            let destroy: vk::PFN_vkDestroyDevice = std::mem::transmute(vk.symbol("vkDestroyDevice"));
            destroy(vk::Device::null(), std::ptr::null());
        }
        vk.say("came back", true);
    });
    run.ok().says("came back", true);
}

#[test]
fn many_devices_at_once_keep_apart() {
    let run = Scenario::new().driver(good("a")).run(|vk| {
        let instance = vk.instance();
        let devices: Vec<_> = (0..100).map(|_| instance.device(instance.devices()[0], &[])).collect();
        unsafe {
            devices.iter().for_each(|device| device.device_wait_idle().unwrap());
            devices.iter().rev().for_each(|device| device.destroy_device(None));
        }
    });
    assert_eq!(run.ok().trace("a").calls("vkDeviceWaitIdle").len(), 100);
    assert_eq!(run.trace("a").last("unload").get("devices"), "0");
}

// ---- names and tags ----

#[test]
#[expect(deprecated, reason = "programs still use VK_EXT_debug_marker")]
fn names_of_objects_reach_the_driver_with_its_own_handles() {
    let driver = Driver::new("a")
        .own_surfaces()
        .extension("VK_EXT_debug_utils")
        .extension("VK_KHR_surface")
        .extension("VK_EXT_headless_surface")
        .device(Device::new("gpu").extension("VK_EXT_debug_marker"));
    let run = Scenario::new().driver(driver).driver(good("b")).run(|vk| {
        let ask = Ask::new()
            .api(1, 1)
            .extension("VK_EXT_debug_utils")
            .extension("VK_KHR_surface")
            .extension("VK_EXT_headless_surface");
        let instance = vk.create(&ask).unwrap();
        let physical_device = instance.named("gpu");
        let device = instance.device(physical_device, &["VK_EXT_debug_marker"]);
        let utils = ash::ext::debug_utils::Device::new(&instance, &device);
        let marker = ash::ext::debug_marker::Device::new(&instance, &device);
        let headless = ash::ext::headless_surface::Instance::new(&vk.entry, &instance);
        let khr = ash::khr::surface::Instance::new(&vk.entry, &instance);
        unsafe {
            let surface =
                headless.create_headless_surface(&vk::HeadlessSurfaceCreateInfoEXT::default(), None).unwrap();
            let queue = device.get_device_queue(0, 0);
            let named = |info: vk::DebugUtilsObjectNameInfoEXT<'_>| {
                utils.set_debug_utils_object_name(&info.object_name(c"somebody")).unwrap();
            };
            named(vk::DebugUtilsObjectNameInfoEXT::default().object_handle(instance.handle()));
            named(vk::DebugUtilsObjectNameInfoEXT::default().object_handle(physical_device));
            named(vk::DebugUtilsObjectNameInfoEXT::default().object_handle(device.handle()));
            named(vk::DebugUtilsObjectNameInfoEXT::default().object_handle(queue));
            named(vk::DebugUtilsObjectNameInfoEXT::default().object_handle(surface));
            let tag = vk::DebugUtilsObjectTagInfoEXT::default()
                .object_handle(physical_device)
                .tag_name(9)
                .tag(&[1]);
            utils.set_debug_utils_object_tag(&tag).unwrap();
            let name = vk::DebugMarkerObjectNameInfoEXT::default()
                .object_type(vk::DebugReportObjectTypeEXT::PHYSICAL_DEVICE)
                .object(ash::vk::Handle::as_raw(physical_device))
                .object_name(c"marked");
            marker.debug_marker_set_object_name(&name).unwrap();
            khr.destroy_surface(surface, None);
            device.destroy_device(None);
        }
    });
    let trace = run.ok().trace("a");
    let named: Vec<_> = trace
        .calls("vkSetDebugUtilsObjectNameEXT")
        .iter()
        .map(|call| call.get("object").to_owned())
        .collect();
    assert_eq!(named, ["instance", "gpu", "device", "queue", "own_surface"]);
    assert_eq!(trace.only("vkSetDebugUtilsObjectTagEXT").get("object"), "gpu");
    assert_eq!(trace.only("vkDebugMarkerSetObjectNameEXT").get("object"), "gpu");
}

/// Its driver calls it by an address that the device's driver would follow.
#[test]
fn a_physical_device_of_another_driver_or_of_a_layer_is_not_named() {
    let with_names = |name| Driver::new(name).device(Device::new(name)).extension("VK_EXT_debug_utils");
    for (layers, named) in [("", "a"), ("VK_LAYER_TEST_wraps", "")] {
        let scenario = Scenario::new().driver(with_names("a")).driver(with_names("b"));
        let scenario = scenario.layer(Layer::new("VK_LAYER_TEST_wraps").does("wrap"));
        let run = scenario.argument("layers", layers).run(|vk| {
            let ask = Ask::new().api(1, 1).extension("VK_EXT_debug_utils");
            let layers = vk.arg("layers");
            let ask = layers.split(',').filter(|it| !it.is_empty()).fold(ask, |ask, it| ask.layer(it));
            let instance = vk.create(&ask).unwrap();
            let device = instance.device(instance.named("a"), &[]);
            let utils = ash::ext::debug_utils::Device::new(&instance, &device);
            unsafe {
                for name in ["a", "b"] {
                    let info = vk::DebugUtilsObjectNameInfoEXT::default().object_name(c"somebody");
                    let info = info.object_handle(instance.named(name));
                    utils.set_debug_utils_object_name(&info).unwrap();
                }
                device.destroy_device(None);
            }
        });
        let trace = run.ok().trace("a");
        let calls = trace.calls("vkSetDebugUtilsObjectNameEXT");
        let objects: Vec<_> = calls.iter().map(|call| call.get("object").to_owned()).collect();
        assert_eq!(objects, named.split_terminator(',').collect::<Vec<_>>(), "{layers}");
        assert!(!run.trace("b").has("vkSetDebugUtilsObjectNameEXT"));
    }
}

/// A messenger is an object of the loader, which a driver would take for its own and dereference.
#[test]
#[expect(deprecated, reason = "programs still use VK_EXT_debug_marker and VK_EXT_debug_report")]
fn messengers_and_report_callbacks_are_named_to_no_driver() {
    use ash::vk::Handle as _;
    let driver = Driver::new("a").extension("VK_EXT_debug_utils").extension("VK_EXT_debug_report");
    let driver = driver.device(Device::new("gpu").extension("VK_EXT_debug_marker"));
    for layer in ["", "VK_LAYER_TEST_names"] {
        let scenario = Scenario::new().driver(driver.clone()).argument("layer", layer);
        let run = scenario.layer(Layer::new("VK_LAYER_TEST_names").does("name")).run(|vk| {
            let ask = Ask::new().api(1, 1).extension("VK_EXT_debug_utils").extension("VK_EXT_debug_report");
            let layer = vk.arg("layer");
            let instance = vk.create(&if layer.is_empty() { ask } else { ask.layer(&layer) }).unwrap();
            let device = instance.device(instance.named("gpu"), &["VK_EXT_debug_marker"]);
            let utils = ash::ext::debug_utils::Instance::new(&vk.entry, &instance);
            let reports = ash::ext::debug_report::Instance::new(&vk.entry, &instance);
            let names = ash::ext::debug_utils::Device::new(&instance, &device);
            let marker = ash::ext::debug_marker::Device::new(&instance, &device);
            unsafe {
                let info = vk::DebugUtilsMessengerCreateInfoEXT::default();
                let messenger = utils.create_debug_utils_messenger(&info, None).unwrap();
                let info = vk::DebugReportCallbackCreateInfoEXT::default();
                let report = reports.create_debug_report_callback(&info, None).unwrap();
                for (kind, object) in [
                    (vk::ObjectType::DEBUG_UTILS_MESSENGER_EXT, messenger.as_raw()),
                    (vk::ObjectType::DEBUG_REPORT_CALLBACK_EXT, report.as_raw()),
                ] {
                    let mut name = vk::DebugUtilsObjectNameInfoEXT::default().object_name(c"somebody");
                    (name.object_type, name.object_handle) = (kind, object);
                    names.set_debug_utils_object_name(&name).unwrap();
                    let mut tag = vk::DebugUtilsObjectTagInfoEXT::default().tag(&[1]);
                    (tag.object_type, tag.object_handle) = (kind, object);
                    names.set_debug_utils_object_tag(&tag).unwrap();
                }
                let kind = vk::DebugReportObjectTypeEXT::DEBUG_REPORT_CALLBACK_EXT;
                let name = vk::DebugMarkerObjectNameInfoEXT::default().object_name(c"somebody");
                let name = name.object_type(kind).object(report.as_raw());
                marker.debug_marker_set_object_name(&name).unwrap();
                let tag = vk::DebugMarkerObjectTagInfoEXT::default().tag(&[1]);
                let tag = tag.object_type(kind).object(report.as_raw());
                (marker.fp().debug_marker_set_object_tag_ext)(device.handle(), &tag).result().unwrap();
                utils.destroy_debug_utils_messenger(messenger, None);
                reports.destroy_debug_report_callback(report, None);
                device.destroy_device(None);
            }
        });
        let trace = run.ok().trace("a");
        for command in [
            "vkSetDebugUtilsObjectNameEXT",
            "vkSetDebugUtilsObjectTagEXT",
            "vkDebugMarkerSetObjectNameEXT",
            "vkDebugMarkerSetObjectTagEXT",
        ] {
            assert!(!trace.has(command), "{command} {layer}");
        }
        assert_eq!(trace.last("unload").get("messengers"), "0");
    }
}

#[test]
fn a_driver_without_debug_utils_is_not_asked_to_name_anything() {
    let run = Scenario::new().driver(good("a")).run(|vk| {
        let instance = vk.create(&Ask::new().api(1, 1).extension("VK_EXT_debug_utils")).unwrap();
        let device = instance.device(instance.devices()[0], &[]);
        // SAFETY: these are the commands; valid use of Vulkan on one thread.
        unsafe {
            let function: vk::PFN_vkSetDebugUtilsObjectNameEXT =
                instance.command("vkSetDebugUtilsObjectNameEXT");
            let info =
                vk::DebugUtilsObjectNameInfoEXT::default().object_handle(device.handle()).object_name(c"x");
            vk.say("result", format_args!("{:?}", function(device.handle(), &info)));
            device.destroy_device(None);
        }
    });
    run.ok().says("result", "SUCCESS");
}
