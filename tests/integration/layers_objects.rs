//! Layers that change objects: wrappers, fewer and more physical devices, extensions and commands of their own.
use ash::vk;
use vkload_tests::layered::{A, B, C, good};
use vkload_tests::{Ask, Device, Driver, Layer, Scenario, Vk, code, extension_names};

fn two_devices() -> Driver {
    Driver::new("good").device(Device::new("one")).device(Device::new("two"))
}

/// Returns the layers A, B, C with one of them behaving otherwise.
fn with(which: &str, behave: impl Fn(Layer) -> Layer) -> Scenario {
    [A, B, C].into_iter().fold(Scenario::new().driver(two_devices()), |scenario, name| {
        let layer = Layer::new(name);
        scenario.layer(if name == which { behave(layer) } else { layer })
    })
}

fn ask() -> Ask<'static> {
    Ask::new().api(1, 1).layer(A).layer(B).layer(C)
}

/// Enumerates devices and groups and uses the first device, twice, since handles have to stay the same.
fn use_all(vk: &Vk) {
    let instance = vk.create(&ask()).unwrap();
    let devices = instance.devices();
    assert_eq!(devices, instance.devices());
    vk.say("devices", instance.names().join(","));
    unsafe {
        let mut groups = vec![
            vk::PhysicalDeviceGroupProperties::default();
            instance.enumerate_physical_device_groups_len().unwrap()
        ];
        instance.enumerate_physical_device_groups(&mut groups).unwrap();
        let names: Vec<String> =
            groups.iter().map(|group| instance.name(group.physical_devices[0])).collect();
        vk.say("groups", names.join(","));
        assert!(groups.iter().all(|group| devices.contains(&group.physical_devices[0])));
        let members = groups[0].physical_devices;
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let mut group = vk::DeviceGroupDeviceCreateInfo::default().physical_devices(&members[..1]);
        let grouped = vk::DeviceCreateInfo::default().queue_create_infos(&queues).push_next(&mut group);
        let plain = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
        for info in [plain, grouped] {
            let device = instance.create_device(devices[0], &info, None).unwrap();
            let queue = device.get_device_queue(0, 0);
            assert_eq!(queue, device.get_device_queue(0, 0));
            device.queue_submit(queue, &[], vk::Fence::null()).unwrap();
            device.device_wait_idle().unwrap();
            device.destroy_device(None);
        }
    }
    drop(instance);
}

#[test]
fn wrapped_instances_and_physical_devices() {
    for which in [A, B, C] {
        let run = with(which, |layer| layer.does("wrap")).run(use_all);
        run.ok().says("devices", "one,two").says("groups", "one,two");
        assert_eq!(run.trace("good").calls("vkQueueSubmit").len(), 2);
    }
}

#[test]
fn all_layers_wrap_everything() {
    let wraps = |name| Layer::new(name).does("wrap").does("wrap_devices");
    let run =
        Scenario::new().driver(two_devices()).layer(wraps(A)).layer(wraps(B)).layer(wraps(C)).run(use_all);
    run.ok().says("devices", "one,two").says("groups", "one,two");
}

#[test]
fn wrapped_devices_and_queues() {
    for which in [A, B, C] {
        let run = with(which, |layer| layer.does("wrap_devices")).run(use_all);
        run.ok();
        assert_eq!(run.trace("good").calls("vkQueueSubmit").len(), 2);
    }
}

#[test]
fn wrapped_surfaces() {
    use vkload_tests::{ask_for_windows, create_surface, khr_surface, window_driver};
    for wrap in [[A].as_slice(), &[B], &[A, B, C]] {
        let layers = [A, B, C].map(|name| {
            let layer = Layer::new(name);
            if wrap.contains(&name) { layer.does("wrap_surfaces") } else { layer }
        });
        let scenario = Scenario::new().driver(window_driver("own").own_surfaces());
        let scenario = layers.into_iter().fold(scenario.driver(window_driver("plain")), Scenario::layer);
        let run = scenario.run(|vk| {
            let instance = vk.create(&ask_for_windows().layer(A).layer(B).layer(C)).unwrap();
            let surface = create_surface(vk, &instance, "headless").unwrap();
            let khr = khr_surface(vk, &instance);
            for physical_device in instance.devices() {
                let device = instance.device(physical_device, &["VK_KHR_swapchain"]);
                let swapchain = ash::khr::swapchain::Device::new(&instance, &device);
                unsafe {
                    assert!(khr.get_physical_device_surface_support(physical_device, 0, surface).unwrap());
                    let info = vk::SwapchainCreateInfoKHR::default().surface(surface);
                    let made = swapchain.create_swapchain(&info, None).unwrap();
                    swapchain.destroy_swapchain(made, None);
                    device.destroy_device(None);
                }
            }
            unsafe { khr.destroy_surface(surface, None) };
        });
        run.ok();
        for (name, surface) in [("own", "own"), ("plain", "headless")] {
            assert_eq!(run.trace(name).only("vkCreateSwapchainKHR").get("surface"), surface, "{wrap:?}");
        }
        for layer in wrap {
            assert_eq!(run.trace(layer).calls("vkCreateSwapchainKHR").len(), 2, "{layer}");
        }
    }
}

#[test]
fn a_wrapped_queue_is_given_its_word() {
    let run = with(A, |layer| layer.does("wrap_devices").does("wordless")).run(use_all);
    run.ok();
    assert_eq!(run.trace("good").calls("vkQueueSubmit").len(), 2);
}

#[test]
fn a_layer_that_wraps_makes_a_second_device() {
    for which in [A, B, C] {
        let run =
            with(which, |layer| layer.does("wrap").does("wrap_devices").does("second_device")).run(use_all);
        run.ok();
        assert_eq!(run.trace(which).last("second_device").get("waits"), "0");
    }
}

#[test]
fn a_second_device_above_a_layer_that_wraps() {
    let run = Scenario::new()
        .driver(two_devices())
        .layer(Layer::new(A).does("second_device"))
        .layer(Layer::new(B).does("wrap").does("wrap_devices"))
        .layer(Layer::new(C))
        .run(use_all);
    run.ok();
    assert_eq!(run.trace(A).last("second_device").get("waits"), "0");
}

#[test]
fn hidden_reordered_and_added_physical_devices() {
    type Does = fn(Layer) -> Layer;
    let cases: [(&str, Does, &str); 5] = [
        (B, |layer| layer.does_with("hide", 0), "two"),
        (B, |layer| layer.does("reverse"), "two,one"),
        (A, |layer| layer.does("add"), "one,two,added by VK_LAYER_TEST_a"),
        (B, |layer| layer.does("add"), "one,two,added by VK_LAYER_TEST_b"),
        (C, |layer| layer.does("add"), "one,two,added by VK_LAYER_TEST_c"),
    ];
    for (which, does, all) in cases {
        let run = with(which, does).run(use_all);
        run.ok().says("devices", all).says("groups", all);
    }
}

#[test]
fn an_array_with_too_little_room_is_incomplete() {
    let run = with(A, |layer| layer.does("add")).run(|vk| {
        let instance = vk.create(&ask()).unwrap();
        let enumerate = instance.fp_v1_0().enumerate_physical_devices;
        let (mut count, mut room) = (2, [vk::PhysicalDevice::null(); 2]);
        let result = unsafe { enumerate(instance.handle(), &mut count, room.as_mut_ptr()) };
        vk.say("result", format_args!("{result:?} {count}"));
    });
    run.ok().says("result", "INCOMPLETE 2");
}

#[test]
fn an_instance_extension_of_a_layer() {
    let run = with(B, |layer| layer.instance_extension("VK_TEST_layer")).run(|vk| {
        let listed = |layer| {
            let list = unsafe { vk.entry.enumerate_instance_extension_properties(layer) };
            extension_names(&list.unwrap()).contains(&"VK_TEST_layer".to_owned())
        };
        vk.say("all", listed(None));
        vk.say("named", listed(Some(c"VK_LAYER_TEST_b")));
        vk.say("without", code(&vk.create(&Ask::new().layer(A).extension("VK_TEST_layer")).map(drop)));
        vk.say("with", code(&vk.create(&Ask::new().layer(B).extension("VK_TEST_layer")).map(drop)));
    });
    run.ok().says("all", false).says("named", true);
    run.says("without", "ERROR_EXTENSION_NOT_PRESENT").says("with", "SUCCESS");
    assert_eq!(run.trace("good").last("vkCreateInstance").get("extensions"), "");
}

#[test]
fn an_instance_extension_of_an_implicit_layer() {
    let layer = Layer::new(A).implicit().instance_extension("VK_TEST_layer");
    let run = Scenario::new().driver(two_devices()).layer(layer).run(|vk| {
        let list = unsafe { vk.entry.enumerate_instance_extension_properties(None) };
        vk.say("all", extension_names(&list.unwrap()).contains(&"VK_TEST_layer".to_owned()));
        vk.say("with", code(&vk.create(&Ask::new().extension("VK_TEST_layer")).map(drop)));
    });
    run.ok().says("all", true).says("with", "SUCCESS");
}

/// Enables VK_KHR_maintenance1, which only a layer has, and calls its command in both ways.
fn trim(vk: &Vk) {
    let instance = vk.create(&Ask::new().layer(A)).unwrap();
    let physical_device = instance.devices()[0];
    unsafe {
        let list = instance.enumerate_device_extension_properties(physical_device).unwrap();
        vk.say("listed", extension_names(&list).contains(&"VK_KHR_maintenance1".to_owned()));
        let from_instance: vk::PFN_vkTrimCommandPool = instance.command("vkTrimCommandPoolKHR");
        let device = instance.device(physical_device, &["VK_KHR_maintenance1"]);
        from_instance(device.handle(), vk::CommandPool::null(), vk::CommandPoolTrimFlags::from_raw(5));
        let own = instance.get_device_proc_addr(device.handle(), c"vkTrimCommandPoolKHR".as_ptr());
        vk.say("own", own.is_some());
        device.destroy_device(None);
    }
}

#[test]
fn a_device_extension_of_a_layer() {
    for implicit in [false, true] {
        let layer = Layer::new(A).device_extension("VK_KHR_maintenance1").does("strip");
        let run = Scenario::new()
            .driver(Driver::new("good").api("1.0.0").device(Device::new("gpu")))
            .layer(if implicit { layer.implicit() } else { layer })
            .run(trim);
        run.ok().says("listed", implicit).says("own", true);
        assert_eq!(run.trace(A).only("vkTrimCommandPoolKHR").get("flags"), "5");
    }
}

#[test]
fn a_device_extension_of_a_layer_that_leaves_it_in() {
    let run = Scenario::new()
        .driver(Driver::new("good").api("1.0.0").device(Device::new("gpu")))
        .layer(Layer::new(A).device_extension("VK_TEST_layer"))
        .run(|vk| {
            let instance = vk.create(&Ask::new().layer(A)).unwrap();
            let result = instance.try_device(instance.devices()[0], &["VK_TEST_layer"]);
            vk.say("with", code(&result));
            unsafe { result.unwrap().destroy_device(None) };
            let result = instance.try_device(instance.devices()[0], &["VK_TEST_other"]);
            vk.say("other", code(&result.map(drop)));
        });
    run.ok().says("with", "SUCCESS").says("other", "ERROR_EXTENSION_NOT_PRESENT");
    assert_eq!(run.trace("good").only("vkCreateDevice").get("extensions"), "");
}

/// Its manifest says nothing of it; the layer may wrap the physical devices, and leave the extension in or not.
#[test]
fn a_device_extension_that_a_layer_answers_in_the_drivers_place() {
    for behaviours in
        [&["answer_extension"][..], &["answer_extension", "strip"], &["answer_extension", "wrap"]]
    {
        let layer = behaviours.iter().fold(Layer::new(A), |layer, behaviour| layer.does(behaviour));
        let driver = Driver::new("good").device(Device::new("gpu").extension("VK_KHR_maintenance1"));
        let run = Scenario::new().driver(driver).layer(layer).run(|vk| {
            let instance = vk.create(&Ask::new().layer(A)).unwrap();
            let device = instance.devices()[0];
            let list = unsafe { instance.enumerate_device_extension_properties(device) }.unwrap();
            vk.say("listed", extension_names(&list).join(" "));
            let result = instance.try_device(device, &["VK_TEST_layer", "VK_KHR_maintenance1"]);
            vk.say("with", code(&result));
            unsafe { result.unwrap().destroy_device(None) };
            vk.say("other", code(&instance.try_device(device, &["VK_TEST_other"]).map(drop)));
        });
        run.ok().says("listed", "VK_KHR_maintenance1 VK_TEST_layer").says("with", "SUCCESS");
        run.says("other", "ERROR_EXTENSION_NOT_PRESENT");
        let given = if behaviours.contains(&"strip") { "" } else { "VK_KHR_maintenance1" };
        assert_eq!(run.trace("good").only("vkCreateDevice").get("extensions"), given);
    }
}

/// Loaders of the system do the same for layers that are older than the extension.
#[test]
fn groups_by_the_extensions_name_go_through_layers_that_know_the_core_command() {
    for api in [0, 1] {
        let run = Scenario::new()
            .driver(two_devices().extension("VK_KHR_device_group_creation"))
            .layer(Layer::new(A).does("core_groups").does("reverse"))
            .argument("api", &api.to_string())
            .run(|vk| {
                let api = vk.arg("api").parse().unwrap();
                let ask = Ask::new().api(1, api).layer(A).extension("VK_KHR_device_group_creation");
                let instance = vk.create(&ask).unwrap();
                // SAFETY: the command has this type.
                let enumerate: vk::PFN_vkEnumeratePhysicalDeviceGroups =
                    unsafe { instance.command("vkEnumeratePhysicalDeviceGroupsKHR") };
                let (mut count, mut groups) = (4, [vk::PhysicalDeviceGroupProperties::default(); 4]);
                let result = unsafe { enumerate(instance.handle(), &mut count, groups.as_mut_ptr()) };
                vk.say("result", format_args!("{result:?} {count}"));
                let firsts: Vec<_> =
                    groups[..count as usize].iter().map(|group| group.physical_devices[0]).collect();
                vk.say("same order", firsts == instance.devices());
            });
        run.ok().says("result", "SUCCESS 2").says("same order", true);
        assert!(run.trace(A).has("vkEnumeratePhysicalDeviceGroups"));
    }
}

/// vkBasalt does so.
#[test]
fn a_device_extension_that_a_layer_adds_and_the_driver_lacks_is_kept_from_the_driver() {
    let run = with(B, |layer| layer.does("add_extension")).run(|vk| {
        let instance = vk.create(&ask()).unwrap();
        let device = instance.try_device(instance.devices()[0], &[]);
        vk.say("result", code(&device));
        unsafe { device.unwrap().destroy_device(None) };
        let other = instance.try_device(instance.devices()[0], &["VK_TEST_other"]);
        vk.say("of the application", code(&other.map(drop)));
    });
    run.ok().says("result", "SUCCESS").says("of the application", "ERROR_EXTENSION_NOT_PRESENT");
    // Layers may assume that the application's extensions and features have been validated, and are not called.
    assert_eq!(run.trace(A).calls("vkCreateDevice").len(), 1);
    assert_eq!(run.trace(C).calls("vkCreateDevice")[0].get("extensions"), "1");
    assert_eq!(run.trace("good").only("vkCreateDevice").get("extensions"), "");
}

#[test]
fn a_device_extension_that_a_layer_adds_and_the_driver_has_reaches_the_driver() {
    let driver = Driver::new("good").device(Device::new("gpu").extension("VK_KHR_image_format_list"));
    let run = Scenario::new().driver(driver).layer(Layer::new(A).does("add_extension")).run(|vk| {
        let instance = vk.create(&Ask::new().layer(A)).unwrap();
        let device = instance.device(instance.devices()[0], &[]);
        unsafe { device.destroy_device(None) };
    });
    run.ok();
    assert_eq!(run.trace("good").only("vkCreateDevice").get("extensions"), "VK_KHR_image_format_list");
}

type PhysicalDeviceTest = unsafe extern "system" fn(vk::PhysicalDevice, u64, f64) -> u64;
type DeviceTest = unsafe extern "system" fn(vk::Device, u64, f64) -> u64;

#[test]
fn an_unknown_physical_device_command() {
    for (which, wraps) in [(A, None), (B, None), (C, None), (B, Some("wrap"))] {
        let run = with(which, |layer| {
            let layer = layer.does("physical_device_command");
            if let Some(wraps) = wraps { layer.does(wraps) } else { layer }
        })
        .run(|vk| {
            let instance = vk.create(&ask()).unwrap();
            // SAFETY: the layer's command has this type.
            unsafe {
                let command: PhysicalDeviceTest = instance.command("vkLayerPhysicalDeviceTEST");
                vk.say("answer", command(instance.devices()[1], 40, 2.0));
            }
            vk.say("other", instance.proc("vkLayerPhysicalDeviceTESTX"));
        });
        run.ok().says("answer", 42).says("other", 0);
    }
}

#[test]
fn an_unknown_device_command() {
    for which in [A, B, C] {
        let run = with(which, |layer| layer.does("device_command")).run(|vk| {
            let instance = vk.create(&ask()).unwrap();
            let device = instance.device(instance.devices()[0], &[]);
            // SAFETY: the layer's command has this type.
            unsafe {
                // For a device created before the look-up and for a later one.
                let command: DeviceTest = instance.command("vkLayerDeviceTEST");
                vk.say("earlier", command(device.handle(), 21, 2.0));
                let own = instance.get_device_proc_addr(device.handle(), c"vkLayerDeviceTEST".as_ptr());
                let own: DeviceTest = std::mem::transmute(own.unwrap());
                vk.say("own", own(device.handle(), 21, 2.0));
                device.destroy_device(None);
                let device = instance.device(instance.devices()[0], &[]);
                vk.say("later", command(device.handle(), 21, 2.0));
                device.destroy_device(None);
            }
        });
        run.ok().says("earlier", 42).says("own", 42).says("later", 42);
    }
}

#[test]
fn an_unknown_command_below_a_layer_that_wraps_the_instance_and_looks_up_none() {
    let driver = good().unknown_commands(1, 1);
    for more in [None, Some(Layer::new(B))] {
        let scenario = Scenario::new()
            .driver(driver.clone())
            .env("VK_INSTANCE_LAYERS", "VK_LAYER_TEST_a:VK_LAYER_TEST_b");
        let scenario = scenario.layer(Layer::new(A).exports(Layer::PLAIN).does("wrap"));
        let scenario = more.into_iter().fold(scenario, Scenario::layer);
        let run = scenario.run(|vk| {
            let instance = vk.instance();
            vk.say("known", instance.proc("vkUnknownPhysicalDevice0TEST") != 0);
            vk.say("unknown", instance.proc("vkNoSuchCommand") != 0);
        });
        run.ok().says("known", true).says("unknown", false);
    }
}

/// A layer knows a device by its word until its own vkDestroyDevice comes to an end, after the driver's.
#[test]
fn no_device_has_the_word_of_one_that_layers_are_not_done_with() {
    let driver = Driver::new("a").device(Device::new("gpu"));
    // Memory that one thread frees is another one's at once.
    let scenario = Scenario::new().driver(driver).env("GLIBC_TUNABLES", "glibc.malloc.arena_max=1");
    let run = scenario.layer(Layer::new(A)).run(|vk| {
        let instance = vk.create(&Ask::new().layer(A)).unwrap();
        let physical_device = instance.devices()[0];
        let raw: &ash::Instance = &instance;
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
                    let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
                    for _ in 0..50 {
                        unsafe {
                            raw.create_device(physical_device, &info, None).unwrap().destroy_device(None)
                        };
                    }
                });
            }
        });
    });
    run.ok();
    assert_eq!(run.trace("a").calls("vkDestroyDevice").len(), 150);
}
