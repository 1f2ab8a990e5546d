//! Layers that wrap objects: each receives its own handles, and a layer's own objects leave nothing behind.
use ash::vk;
use vkload_tests::layered::{A, B, C};
use vkload_tests::listening::{Debug, EVERYTHING, Severity, Types, ask as ask_to_listen, say_heard};
use vkload_tests::{Ask, Device, Driver, Layer, Scenario, Vk, refuse};

fn good() -> Driver {
    vkload_tests::layered::good().unknown_commands(3, 3)
}

fn with(layers: impl IntoIterator<Item = Layer>) -> Scenario {
    layers.into_iter().fold(Scenario::new().driver(good()), Scenario::layer)
}

fn ask() -> Ask<'static> {
    Ask::new().api(1, 1).layer(A).layer(B).layer(C)
}

/// Uses an instance with the layers A, B, C and a device from beginning to end. The layers abort the process if they receive a handle that
/// is not their own.
fn use_device(vk: &Vk) {
    let instance = vk.create(&ask()).unwrap();
    let device = instance.device(instance.devices()[0], &[]);
    unsafe {
        let queue = device.get_device_queue(0, 0);
        device.queue_submit(queue, &[], vk::Fence::null()).unwrap();
        device.destroy_device(None);
        let device = instance.device(instance.devices()[0], &[]);
        device.destroy_device(None);
    }
    vk.say("unknown", instance.proc("vkUnknownPhysicalDevice1TEST") != 0);
    // Fills the table of every device that the loader considers alive.
    vk.say("unknown device", instance.proc("vkUnknownDevice1TEST") != 0);
    drop(instance);
}

// ---- the layers' parameters ----

#[test]
fn a_wrapping_layer_that_does_not_intercept_vkcreatedevice_is_asked_with_its_own_handle() {
    let wraps = |name| Layer::new(name).does("wrap").does("wrap_devices");
    let leaves_devices_alone = |name| Layer::new(name).does("wrap_instance").does("instance_only");
    for silent in [A, B, C] {
        let run = with([A, B, C].map(|name| {
            let layer = if name == silent { leaves_devices_alone(name) } else { wraps(name) };
            layer.does("no_physical_device_lookup")
        }))
        .run(use_device);
        run.ok();
        let others: Vec<_> = [A, B, C].into_iter().filter(|name| *name != silent).collect();
        for command in ["vkCreateDevice", "vkDestroyDevice"] {
            let twice: Vec<_> =
                [&others, &others].into_iter().flatten().map(|name| format!("{name} {command}")).collect();
            assert_eq!(run.calls(&[command]), twice, "{silent} {command}");
        }
        let submits: Vec<_> = others.iter().map(|name| format!("{name} vkQueueSubmit")).collect();
        assert_eq!(run.calls(&["vkQueueSubmit"]), submits);
    }
}

#[test]
fn a_physical_device_command_below_a_layer_that_wraps_the_instance_and_knows_no_such_commands() {
    let run = with([
        Layer::new(A).does("wrap_instance").does("no_physical_device_lookup"),
        Layer::new(B).does("wrap_instance"),
        Layer::new(C),
    ])
    .run(use_device);
    run.ok().says("unknown", true);
}

/// Names and tags the instance and a physical device with both extensions.
fn name_everything(vk: &Vk) {
    let instance = vk.create(&ask().extension("VK_EXT_debug_utils")).unwrap();
    let physical_device = instance.devices()[0];
    let device = instance.device(physical_device, &["VK_EXT_debug_marker"]);
    let utils = ash::ext::debug_utils::Device::new(&instance, &device);
    let marker = ash::ext::debug_marker::Device::new(&instance, &device);
    let name = |info: vk::DebugUtilsObjectNameInfoEXT<'_>| {
        unsafe { utils.set_debug_utils_object_name(&info.object_name(c"somebody")) }.unwrap();
    };
    name(vk::DebugUtilsObjectNameInfoEXT::default().object_handle(instance.handle()));
    name(vk::DebugUtilsObjectNameInfoEXT::default().object_handle(physical_device));
    name(vk::DebugUtilsObjectNameInfoEXT::default().object_handle(device.handle()));
    let tag = vk::DebugUtilsObjectTagInfoEXT::default().object_handle(physical_device).tag_name(9).tag(&[1]);
    let marked = vk::DebugMarkerObjectNameInfoEXT::default()
        .object_type(vk::DebugReportObjectTypeEXT::PHYSICAL_DEVICE)
        .object(ash::vk::Handle::as_raw(physical_device))
        .object_name(c"marked");
    let marker_tag = vk::DebugMarkerObjectTagInfoEXT::default()
        .object_type(vk::DebugReportObjectTypeEXT::INSTANCE)
        .object(ash::vk::Handle::as_raw(instance.handle()))
        .tag(&[1]);
    unsafe {
        utils.set_debug_utils_object_tag(&tag).unwrap();
        (marker.fp().debug_marker_set_object_name_ext)(device.handle(), &marked).result().unwrap();
        (marker.fp().debug_marker_set_object_tag_ext)(device.handle(), &marker_tag).result().unwrap();
        device.destroy_device(None);
    }
}

#[test]
fn objects_are_named_to_each_layer_by_the_handle_that_it_knows() {
    let named = |driver: Driver| driver.extension("VK_EXT_debug_utils");
    let device = || Device::new("gpu").extension("VK_EXT_debug_marker");
    for behaviours in [&["wrap"][..], &["wrap_instance"], &["wrap", "wrap_devices"]] {
        let layers = [A, B, C].map(|name| {
            behaviours.iter().fold(Layer::new(name).does("name"), |layer, behaviour| layer.does(behaviour))
        });
        let scenario = Scenario::new().driver(named(Driver::new("good").device(device())));
        let run = layers.into_iter().fold(scenario, Scenario::layer).run(name_everything);
        let trace = run.ok().trace("good");
        let objects = |command: &str| {
            trace.calls(command).iter().map(|call| call.get("object").to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(objects("vkSetDebugUtilsObjectNameEXT"), ["instance", "gpu", "device"], "{behaviours:?}");
        assert_eq!(objects("vkSetDebugUtilsObjectTagEXT"), ["gpu"], "{behaviours:?}");
        assert_eq!(objects("vkDebugMarkerSetObjectNameEXT"), ["gpu"], "{behaviours:?}");
        for layer in [A, B, C] {
            assert_eq!(run.trace(layer).calls("vkSetDebugUtilsObjectNameEXT").len(), 3);
            assert_eq!(run.trace(layer).calls("vkDebugMarkerSetObjectTagEXT").len(), 1);
        }
    }
}

/// The surface is the layers' at the upper end and the driver's own at the lower one.
#[test]
#[expect(deprecated, reason = "programs still use VK_EXT_debug_marker")]
fn a_surface_is_named_to_the_driver_by_its_own_handle_below_layers_that_wrap_surfaces() {
    let driver =
        Driver::new("good").own_surfaces().device(Device::new("gpu").extension("VK_EXT_debug_marker"));
    let extensions = ["VK_EXT_debug_utils", "VK_KHR_surface", "VK_EXT_headless_surface"];
    let scenario = Scenario::new().driver(extensions.iter().fold(driver, |driver, it| driver.extension(it)));
    let layers = [A, B, C].map(|name| Layer::new(name).does("name").does("wrap_surfaces"));
    let run = layers.into_iter().fold(scenario, Scenario::layer).run(|vk| {
        let ask = ask().extension("VK_EXT_debug_utils").extension("VK_KHR_surface");
        let instance = vk.create(&ask.extension("VK_EXT_headless_surface")).unwrap();
        let device = instance.device(instance.devices()[0], &["VK_EXT_debug_marker"]);
        let utils = ash::ext::debug_utils::Device::new(&instance, &device);
        let marker = ash::ext::debug_marker::Device::new(&instance, &device);
        let headless = ash::ext::headless_surface::Instance::new(&vk.entry, &instance);
        let khr = ash::khr::surface::Instance::new(&vk.entry, &instance);
        unsafe {
            let surface =
                headless.create_headless_surface(&vk::HeadlessSurfaceCreateInfoEXT::default(), None).unwrap();
            let name = vk::DebugUtilsObjectNameInfoEXT::default().object_handle(surface);
            utils.set_debug_utils_object_name(&name.object_name(c"somebody")).unwrap();
            let mark = vk::DebugMarkerObjectNameInfoEXT::default().object_name(c"marked");
            let mark = mark.object_type(vk::DebugReportObjectTypeEXT::SURFACE_KHR);
            marker.debug_marker_set_object_name(&mark.object(ash::vk::Handle::as_raw(surface))).unwrap();
            khr.destroy_surface(surface, None);
            device.destroy_device(None);
        }
    });
    let trace = run.ok().trace("good");
    assert_eq!(trace.only("vkSetDebugUtilsObjectNameEXT").get("object"), "own_surface");
    assert_eq!(trace.only("vkDebugMarkerSetObjectNameEXT").get("object"), "own_surface");
}

/// The layer passes its own handle on: an object unknown to the loader is not named, and aborts nothing.
#[test]
fn an_object_that_a_layer_does_not_translate_is_not_named() {
    let driver = Driver::new("good").extension("VK_EXT_debug_utils");
    let driver = driver.device(Device::new("gpu").extension("VK_EXT_debug_marker"));
    let scenario = Scenario::new().driver(driver);
    let layers = [Layer::new(A), Layer::new(B).does("wrap"), Layer::new(C)];
    let run = layers.into_iter().fold(scenario, Scenario::layer).run(name_everything);
    assert!(!run.ok().trace("good").has("vkSetDebugUtilsObjectTagEXT"));
}

#[test]
fn second_devices_by_the_callback_in_every_place_below_wrapping_layers() {
    for which in [A, B, C] {
        let run = with([A, B, C].map(|name| {
            let layer = Layer::new(name).does("wrap").does("wrap_devices");
            if name == which { layer.does("second_device") } else { layer }
        }))
        .run(use_device);
        run.ok();
        assert_eq!(run.trace("good").last("unload").get("devices"), "0");
    }
}

// ---- devices that a layer makes for itself ----

/// A layer calls the next vkCreateDevice twice, like layers that do not use the loader's callback, with its own device first or last, which
/// it destroys at once or when the application's goes.
#[test]
fn a_device_that_a_layer_makes_for_itself() {
    let (wraps, last): (&[&str], _) = (&["wrap_devices", "wrap"], "own_device_last");
    for (lives, behaviours) in [
        (0, vec![]),
        (0, wraps.to_vec()),
        (0, vec![last]),
        (0, [wraps, &[last]].concat()),
        (1, vec![]),
        (1, vec![last]),
    ] {
        for which in [A, B, C] {
            let run = with([A, B, C].map(|name| {
                let layer = Layer::new(name);
                if name != which {
                    return layer;
                }
                behaviours.iter().fold(layer.does_with("own_device", lives), |layer, it| layer.does(it))
            }))
            .run(use_device);
            run.ok();
            assert_eq!(run.trace(which).calls("own_device").len(), 2);
            assert_eq!(run.trace("good").calls("vkCreateDevice").len(), 4);
            assert_eq!(run.trace("good").last("unload").get("devices"), "0");
        }
    }
}

#[test]
fn a_layer_that_fails_after_it_made_two_devices_leaves_nothing() {
    for behaviour in ["own_device", "own_device_last"] {
        let failing = Layer::new(A).does_with("own_device", 0).does(behaviour).does_with("fail_device", -3);
        let run = with([failing, Layer::new(B), Layer::new(C)]).run(|vk| {
            let instance = vk.create(&ask()).unwrap();
            vk.say("result", format_args!("{:?}", instance.try_device(instance.devices()[0], &[]).err()));
            vk.say("unknown", instance.proc("vkUnknownDevice1TEST") != 0);
        });
        run.ok().says("result", "Some(ERROR_INITIALIZATION_FAILED)");
        assert_eq!(run.trace("good").last("unload").get("devices"), "0");
    }
}

// ---- messengers ----

#[test]
fn messengers_below_layers_that_wrap_the_instance() {
    for which in [[true, false, false], [false, true, false], [false, false, true], [true, true, true]] {
        let layers = [A, B, C].into_iter().zip(which).map(|(name, wraps)| {
            let layer = Layer::new(name);
            if wraps { layer.does("wrap").does("wrap_devices") } else { layer }
        });
        let run = with(layers).run(|vk| {
            let instance = vk.create(&ask_to_listen().layer(A).layer(B).layer(C)).unwrap();
            let debug = Debug::new(vk, &instance);
            let messenger = debug.listen(1, EVERYTHING);
            debug.submit(Severity::WARNING, Types::GENERAL, c"hello");
            say_heard(vk, "submitted");
            // Something that the loader itself has to say.
            let result = instance.try_device(instance.devices()[0], &["VK_TEST_nobody_has_it"]);
            assert_eq!(result.err(), Some(vk::Result::ERROR_EXTENSION_NOT_PRESENT));
            say_heard(vk, "own");
            debug.stop(messenger);
            debug.submit(Severity::WARNING, Types::GENERAL, c"nobody");
            say_heard(vk, "stopped");
        });
        run.ok().says("submitted", "1 utils 100 1 id: hello").says("stopped", "");
        assert!(run.said("own").contains("VK_TEST_nobody_has_it"), "{}", run.said("own"));
    }
}

#[test]
fn a_message_of_the_loader_names_the_instance_that_the_application_has() {
    unsafe extern "system" fn hear(
        _: Severity,
        _: Types,
        data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
        objects: *mut std::ffi::c_void,
    ) -> vk::Bool32 {
        // SAFETY: the loader passes valid data; the test a list that lives longer.
        unsafe {
            let data = &*data;
            let list = std::slice::from_raw_parts(data.p_objects, data.object_count as usize);
            (*objects.cast::<Vec<(vk::ObjectType, u64)>>())
                .extend(list.iter().map(|object| (object.object_type, object.object_handle)));
        }
        vk::FALSE
    }
    let run = with([Layer::new(A).does("wrap"), Layer::new(B), Layer::new(C)]).run(|vk| {
        use ash::vk::Handle as _;
        let instance = vk.create(&ask_to_listen().layer(A).layer(B).layer(C)).unwrap();
        let debug = Debug::new(vk, &instance);
        let mut objects: Vec<(vk::ObjectType, u64)> = Vec::new();
        let info = vkload_tests::listening::messenger(0, EVERYTHING)
            .pfn_user_callback(Some(hear))
            .user_data((&raw mut objects).cast());
        let messenger = unsafe { debug.utils.create_debug_utils_messenger(&info, None) }.unwrap();
        _ = instance.try_device(instance.devices()[0], &["VK_TEST_nobody_has_it"]);
        debug.stop(messenger);
        let own = (vk::ObjectType::INSTANCE, instance.handle().as_raw());
        vk.say("own", objects.contains(&own));
        vk.say("others", objects.iter().filter(|object| object.0 == own.0 && object.1 != own.1).count());
    });
    run.ok().says("own", true).says("others", 0);
}

// ---- calls that a sandbox refuses ----

#[test]
fn layers_that_wrap_work_in_a_sandbox_that_refuses_to_look_at_addresses() {
    let wraps = |name| Layer::new(name).does("wrap").does("wrap_devices");
    let run = with([A, B, C].map(wraps)).run(|vk| {
        refuse(libc::SYS_rt_sigprocmask, None, libc::EPERM);
        use_device(vk);
    });
    run.ok();
}
