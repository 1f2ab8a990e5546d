//! The requirements of a well-behaved loader, by their numbers in the driver interface document.
use ash::vk;
use vkload_tests::layered::good;
use vkload_tests::{Ask, Device, Driver, Scenario, code, list_devices};

#[test]
fn ldp_loader_1_no_driver_is_incompatible_driver() {
    Scenario::new().run(list_devices).ok().says("result", "ERROR_INCOMPATIBLE_DRIVER");
}

#[test]
fn ldp_loader_1_no_driver_that_works_is_incompatible_driver() {
    let run = Scenario::new()
        .driver(Driver::new("missing").library_path("/nonexistent/libmissing.so"))
        .driver(Driver::new("failing").result("vkCreateInstance", vk::Result::ERROR_INCOMPATIBLE_DRIVER))
        .run(list_devices);
    run.ok().says("result", "ERROR_INCOMPATIBLE_DRIVER");
}

#[test]
fn ldp_loader_2_every_well_formed_manifest_is_tried() {
    let run = Scenario::new()
        .driver(Driver::new("a").device(Device::new("gpu a")))
        .driver(Driver::new("b").folder("config/vulkan/icd.d").device(Device::new("gpu b")))
        .driver(Driver::new("c").folder("home/.config/vulkan/icd.d").device(Device::new("gpu c")))
        .driver(Driver::new("d").folder("home/.local/share/vulkan/icd.d").device(Device::new("gpu d")))
        .run(list_devices);
    let mut devices = run.ok().list("devices");
    devices.sort_unstable();
    assert_eq!(devices, ["gpu a", "gpu b", "gpu c", "gpu d"]);
}

#[test]
fn ldp_loader_3_drivers_load_from_elsewhere() {
    for variable in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES"] {
        let run = Scenario::new()
            .driver(good().folder("elsewhere"))
            .env(variable, "SANDBOX/elsewhere/good.json")
            .run(list_devices);
        run.ok().says("devices", "gpu");
    }
}

#[test]
fn ldp_loader_4_a_driver_of_another_api_is_not_loaded() {
    let never = || Driver::new("other").device(Device::new("never"));
    for version in ["2.0.0", "0.9.0", "1.1.3.0"] {
        let scenario = Scenario::new().log().driver(never().manifest_api(version)).driver(good());
        let run = scenario.run(list_devices);
        run.ok().says("devices", "gpu").logs(&["other", "LDP_LOADER_4"]);
        assert!(!run.loaded("other"), "{version}: it must not even be opened");
    }
    // Its manifest does not say so.
    for version in ["2.0.0", "1.1.3.0"] {
        let other = never().api(version).manifest_api("1.3.0");
        let run = Scenario::new().log().driver(other).driver(good()).run(list_devices);
        run.ok().says("devices", "gpu").logs(&["other", "LDP_LOADER_4"]);
        assert!(!run.trace("other").has("vkCreateInstance"), "{version}");
    }
}

#[test]
fn ldp_loader_5_a_driver_that_cannot_be_negotiated_with_is_ignored() {
    let refuse = ("vk_icdNegotiateLoaderICDInterfaceVersion", vk::Result::ERROR_INCOMPATIBLE_DRIVER);
    let run = Scenario::new()
        .driver(Driver::new("refusing").result(refuse.0, refuse.1).device(Device::new("never")))
        .driver(good())
        .run(list_devices);
    run.ok().says("devices", "gpu");
    assert!(!run.trace("refusing").has("vkCreateInstance"));
    let run = Scenario::new().driver(Driver::new("refusing").result(refuse.0, refuse.1)).run(list_devices);
    run.ok().says("result", "ERROR_INCOMPATIBLE_DRIVER");
}

/// The specification forbids an error here from Vulkan 1.1 on, so the policy's check never fails with such a driver.
#[test]
fn ldp_loader_6_a_version_above_every_drivers_succeeds() {
    let run = Scenario::new().driver(good().api("1.1.0")).run(|vk| {
        vk.say("1.4", code(&vk.create(&Ask::new().api(1, 4))));
        vk.say("1.99", code(&vk.create(&Ask::new().api(1, 99))));
        vk.say("2.0", code(&vk.create(&Ask::new().api(2, 0))));
    });
    run.ok().says("1.4", "SUCCESS").says("1.99", "SUCCESS").says("2.0", "SUCCESS");
    let asked = run.trace("good");
    let asked: Vec<&str> = asked.calls("vkCreateInstance").iter().map(|call| call.get("api")).collect();
    let versions = [(1, 4), (1, 99), (2, 0)];
    assert_eq!(asked, versions.map(|(major, minor)| vk::make_api_version(0, major, minor, 0).to_string()));
}

#[test]
fn ldp_loader_7_version_1_0_drivers_are_asked_for_version_1_0() {
    let run = Scenario::new()
        .driver(Driver::new("old").api("1.0.0").device(Device::new("old gpu")))
        .driver(Driver::new("new").api("1.2.0").device(Device::new("new gpu")))
        .run(list_devices);
    assert_eq!(run.ok().list("devices").len(), 2);
    assert_eq!(run.trace("old").only("vkCreateInstance").get("api"), vk::API_VERSION_1_0.to_string());
    assert_eq!(run.trace("new").only("vkCreateInstance").get("api"), vk::API_VERSION_1_3.to_string());
}

#[test]
fn ldp_loader_8_what_one_driver_lacks_is_made_up_for() {
    let properties2 = "VK_KHR_get_physical_device_properties2";
    let run = Scenario::new()
        .driver(Driver::new("has").api("1.0.0").extension(properties2).device(Device::new("has")))
        .driver(Driver::new("lacks").api("1.0.0").device(Device::new("lacks").id(5, 6)))
        .run(|vk| {
            let instance =
                vk.create(&Ask::new().extension("VK_KHR_get_physical_device_properties2")).unwrap();
            // SAFETY: it is this command.
            let function: vk::PFN_vkGetPhysicalDeviceProperties2 =
                unsafe { instance.command("vkGetPhysicalDeviceProperties2KHR") };
            for name in ["has", "lacks"] {
                let mut properties = vk::PhysicalDeviceProperties2::default();
                // SAFETY: the device is alive and the structure as the specification wants it.
                unsafe { function(instance.named(name), &mut properties) };
                let found =
                    properties.properties.device_name_as_c_str().unwrap().to_str().unwrap().to_owned();
                vk.say(name, found);
            }
        });
    run.ok().says("has", "has").says("lacks", "lacks");
    assert!(run.trace("has").has("vkGetPhysicalDeviceProperties2KHR"));
}

#[test]
fn ldp_loader_9_drivers_get_only_extensions_that_they_have() {
    let run = Scenario::new()
        .driver(
            Driver::new("a")
                .extension("VK_KHR_surface")
                .extension("VK_KHR_xcb_surface")
                .device(Device::new("a")),
        )
        .driver(Driver::new("b").extension("VK_KHR_surface").device(Device::new("b")))
        .driver(Driver::new("c").device(Device::new("c")))
        .run(|vk| {
            let ask = Ask::new().api(1, 1).extension("VK_KHR_surface").extension("VK_KHR_xcb_surface");
            vk.say("devices", vk.create(&ask).unwrap().names().len());
        });
    run.ok().says("devices", 3);
    let extensions = |driver| run.trace(driver).only("vkCreateInstance").get("extensions").to_owned();
    assert_eq!(extensions("a"), "VK_KHR_surface,VK_KHR_xcb_surface");
    assert_eq!(extensions("b"), "VK_KHR_surface");
    assert_eq!(extensions("c"), "");
}

/// Two drivers are asked about one surface: one takes the loader's, the other has made its own.
fn shared_surface() -> vkload_tests::Run {
    let driver = |name| {
        Driver::new(name)
            .extension("VK_KHR_surface")
            .extension("VK_EXT_headless_surface")
            .device(Device::new(name))
    };
    let run = Scenario::new().driver(driver("plain")).driver(driver("own").own_surfaces()).run(|vk| {
        let ask = Ask::new().api(1, 1).extension("VK_KHR_surface").extension("VK_EXT_headless_surface");
        let instance = vk.create(&ask).unwrap();
        let headless = ash::ext::headless_surface::Instance::new(&vk.entry, &instance);
        let khr = ash::khr::surface::Instance::new(&vk.entry, &instance);
        unsafe {
            let surface =
                headless.create_headless_surface(&vk::HeadlessSurfaceCreateInfoEXT::default(), None).unwrap();
            for name in ["plain", "own"] {
                let support = khr.get_physical_device_surface_support(instance.named(name), 0, surface);
                vk.say(name, support.unwrap());
            }
            khr.destroy_surface(surface, None);
        }
    });
    run.ok().says("plain", "true").says("own", "true");
    run
}

#[test]
fn ldp_loader_10_one_surface_serves_all_drivers() {
    let run = shared_surface();
    assert_eq!(run.trace("plain").only("vkGetPhysicalDeviceSurfaceSupportKHR").get("surface"), "headless");
}

#[test]
fn ldp_loader_11_a_driver_gets_its_own_surface_back() {
    let run = shared_surface();
    let own = run.trace("own");
    assert!(own.has("vkCreateHeadlessSurfaceEXT") && own.has("vkDestroySurfaceKHR"));
    assert_eq!(own.only("vkGetPhysicalDeviceSurfaceSupportKHR").get("surface"), "own");
    assert!(!run.trace("plain").has("vkDestroySurfaceKHR"), "there is nothing that it made");
}

#[test]
fn ldp_loader_12_drivers_are_never_asked_about_a_layers_extensions() {
    let run = Scenario::new().driver(good()).run(|vk| {
        let name = c"VK_LAYER_nobody_has";
        unsafe {
            _ = vk.entry.enumerate_instance_extension_properties(Some(name));
            let instance = vk.instance();
            let mut count = 0;
            let function = instance.fp_v1_0().enumerate_device_extension_properties;
            _ = function(instance.devices()[0], name.as_ptr(), &mut count, std::ptr::null_mut());
        }
    });
    let trace = run.ok().trace("good");
    let calls = ["vkEnumerateInstanceExtensionProperties", "vkEnumerateDeviceExtensionProperties"];
    for call in calls.iter().flat_map(|command| trace.calls(command)) {
        assert_eq!(call.get("layer"), "NULL");
    }
}
