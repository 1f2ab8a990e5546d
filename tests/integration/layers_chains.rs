//! Chains of layers: who is called, in which order, and with what.
use ash::vk;
use vkload_tests::layered::{A, B, C, good};
use vkload_tests::{
    Ask, Device, Driver, Layer, Scenario, Vk, code, create_full_device, create_full_instance,
};

/// Returns a scenario with the driver and three explicit layers of these kinds.
fn three(kinds: impl Fn(Layer) -> Layer) -> Scenario {
    let layers = [A, B, C].map(|name| kinds(Layer::new(name)));
    layers.into_iter().fold(Scenario::new().driver(good()), Scenario::layer)
}

/// Uses an instance with the layers A, B, C and a device from its beginning to its end.
fn use_device(vk: &Vk) {
    let instance = vk.create(&Ask::new().api(1, 1).layer(A).layer(B).layer(C)).unwrap();
    vk.say("devices", instance.names().join(","));
    let device = instance.device(instance.devices()[0], &[]);
    unsafe {
        let queue = device.get_device_queue(0, 0);
        device.queue_submit(queue, &[vk::SubmitInfo::default()], vk::Fence::null()).unwrap();
        device.device_wait_idle().unwrap();
        device.destroy_device(None);
    }
}

fn in_order(command: &str) -> Vec<String> {
    [A, B, C].map(|layer| format!("{layer} {command}")).to_vec()
}

const COMMANDS: [&str; 7] = [
    "vkCreateInstance",
    "vkCreateDevice",
    "vkGetDeviceQueue",
    "vkQueueSubmit",
    "vkDeviceWaitIdle",
    "vkDestroyDevice",
    "vkDestroyInstance",
];

#[test]
fn every_command_passes_the_layers_in_the_order_that_the_application_asks_for() {
    let run = three(|layer| layer).run(use_device);
    run.ok().says("devices", "gpu");
    for command in COMMANDS {
        assert_eq!(run.calls(&[command]), in_order(command), "{command}");
    }
    assert_eq!(run.trace("good").only("vkQueueSubmit").get("count"), "1");
    assert_eq!(run.trace("good").only("vkCreateInstance").get("layers"), "0");
    assert_eq!(run.trace("good").only("vkCreateInstance").get("chain"), chain_of(&run));
    for layer in [A, B, C] {
        assert_eq!(run.trace(layer).calls("unload").len(), 1, "{layer} has to be closed");
    }
}

/// Returns the pNext chain of a driver's vkCreateInstance: Khronos' loader leaves its own structures in it, and so may this one.
fn chain_of(run: &vkload_tests::Run) -> String {
    run.trace("good").only("vkCreateInstance").get("chain").to_owned()
}

#[test]
fn implicit_layers_come_before_explicit_ones() {
    let run = Scenario::new()
        .driver(good())
        .layer(Layer::new(A))
        .layer(Layer::new(B).implicit())
        .layer(Layer::new(C))
        .run(|vk| {
            drop(vk.create(&Ask::new().layer(C).layer(A)).unwrap());
        });
    run.ok();
    let calls = run.calls(&["vkCreateInstance"]);
    assert_eq!(calls, [B, C, A].map(|layer| format!("{layer} vkCreateInstance")));
}

#[test]
fn a_layer_that_fails_vkcreateinstance_before_calling_down() {
    let run = Scenario::new()
        .driver(good())
        .layer(Layer::new(A))
        .layer(Layer::new(B).does_with("fail_instance_early", -3))
        .run(|vk| {
            vk.say("result", code(&vk.create(&Ask::new().layer(A).layer(B)).map(drop)));
            vk.say("again", code(&vk.create(&Ask::new().layer(A)).map(drop)));
        });
    run.ok().says("result", "ERROR_INITIALIZATION_FAILED").says("again", "SUCCESS");
    assert_eq!(run.trace("good").calls("vkCreateInstance").len(), 1);
}

#[test]
fn a_layer_that_fails_vkcreateinstance_after_calling_down_leaves_nothing() {
    let run = Scenario::new()
        .driver(good())
        .layer(Layer::new(A).does_with("fail_instance", -3))
        .layer(Layer::new(B))
        .run(|vk| {
            vk.say("result", code(&vk.create(&Ask::new().layer(A).layer(B)).map(drop)));
        });
    run.ok().says("result", "ERROR_INITIALIZATION_FAILED");
    assert_eq!(run.trace("good").calls("vkDestroyInstance").len(), 1);
    assert_eq!(run.trace("good").last("unload").get("instances"), "0");
}

#[test]
fn a_layer_that_fails_vkcreatedevice_leaves_nothing() {
    for behaviour in ["fail_device", "fail_device_early"] {
        let run = Scenario::new()
            .driver(good().unknown_commands(0, 3))
            .layer(Layer::new(A).does_with(behaviour, -3))
            .layer(Layer::new(B))
            .run(|vk| {
                let instance = vk.create(&Ask::new().layer(A).layer(B)).unwrap();
                let result = instance.try_device(instance.devices()[0], &[]);
                vk.say("result", code(&result.map(drop)));
                // Fills the table of every device that the loader considers alive.
                vk.say("unknown", instance.proc("vkUnknownDevice1001TEST") != 0);
                vk.say("unknown", instance.proc("vkUnknownDevice1TEST") != 0);
            });
        run.ok().says("result", "ERROR_INITIALIZATION_FAILED");
        assert_eq!(run.trace("good").last("unload").get("devices"), "0");
    }
}

#[test]
fn a_layer_may_enumerate_devices_while_the_instance_is_created() {
    let run =
        Scenario::new().driver(good()).layer(Layer::new(A).does("enumerate_while_creating")).run(|vk| {
            drop(vk.create(&Ask::new().layer(A)).unwrap());
        });
    run.ok();
    assert_eq!(run.trace(A).only("while_creating").get("devices"), "1");
}

#[test]
fn a_layer_for_instances_only_is_not_asked_about_devices() {
    let run = three(|layer| layer).layer(Layer::new(B).does("instance_only")).run(use_device);
    run.ok();
    assert_eq!(run.calls(&["vkCreateInstance"]), in_order("vkCreateInstance"));
    for command in ["vkCreateDevice", "vkQueueSubmit", "vkDestroyDevice"] {
        assert_eq!(run.calls(&[command]), [A, C].map(|layer| format!("{layer} {command}")), "{command}");
    }
}

#[test]
fn a_layer_that_does_not_intercept_vkcreatedevice_takes_no_link() {
    let run = three(|layer| layer).layer(Layer::new(B).does("no_create_device")).run(use_device);
    run.ok();
    assert_eq!(run.calls(&["vkQueueSubmit"]), [A, C].map(|layer| format!("{layer} vkQueueSubmit")));
}

#[test]
fn a_layer_without_device_look_up_that_intercepts_vkcreatedevice() {
    let run = three(|layer| layer).layer(Layer::new(B).does("no_device_lookup")).run(use_device);
    run.ok();
    // It must not take the link of another layer.
    assert_eq!(run.calls(&["vkQueueSubmit"]), [A, C].map(|layer| format!("{layer} vkQueueSubmit")));
    assert_eq!(run.trace(C).calls("vkCreateDevice").len(), 1);
}

#[test]
fn the_look_up_for_physical_devices_is_to_be_had_by_name_and_knows_nothing_else() {
    let run = three(|layer| layer.does("strict_look_up")).run(use_device);
    run.ok();
    assert_eq!(run.calls(&["vkCreateInstance"]), in_order("vkCreateInstance"));
}

#[test]
fn vkcreatedevice_may_be_looked_up_without_an_instance() {
    let run = three(|layer| layer.does("null_query")).run(use_device);
    run.ok();
    assert_eq!(run.calls(&["vkCreateDevice"]), in_order("vkCreateDevice"));
}

/// Layers get the same commands without an instance as applications.
#[test]
fn global_commands_may_be_looked_up_below_a_layer_without_an_instance() {
    let run = three(|layer| layer).layer(Layer::new(C).does("ask_globally")).run(use_device);
    run.ok();
    let (trace, answers) = (run.trace(C), ["1", "1", "3", "1"]);
    let call = trace.only("globals");
    assert_eq!(["all", "version", "layers", "extensions"].map(|key| call.get(key)), answers);
}

#[test]
fn a_second_device_inside_vkcreatedevice() {
    for layer in [A, B, C] {
        let run = three(|layer| layer).layer(Layer::new(layer).does("second_device")).run(use_device);
        run.ok();
        assert_eq!(run.trace(layer).only("second_device").get("waits"), "0");
        let calls = run.calls(&["vkCreateDevice"]);
        let mut expected = in_order("vkCreateDevice");
        // The second one passes only the layers below.
        let below = [A, B, C].iter().position(|known| *known == layer).unwrap() + 1;
        expected.extend(in_order("vkCreateDevice").split_off(below));
        assert_eq!(calls, expected, "{layer}");
        assert_eq!(run.trace("good").calls("vkCreateDevice").len(), 2);
        assert_eq!(run.trace("good").last("unload").get("devices"), "0");
    }
}

const PRE_INSTANCE: &str = r#"{"vkEnumerateInstanceVersion": "test_preVersion",
    "vkEnumerateInstanceLayerProperties": "test_preLayers",
    "vkEnumerateInstanceExtensionProperties": "test_preExtensions"}"#;

fn globals(vk: &Vk) {
    unsafe {
        vk.say("version", vk.entry.try_enumerate_instance_version().unwrap().unwrap());
        vk.say("layers", vk.entry.enumerate_instance_layer_properties().unwrap().len());
        vk.say("extensions", vk.entry.enumerate_instance_extension_properties(None).unwrap().len());
    }
}

#[test]
fn pre_instance_functions_are_chained() {
    let layer = |name| Layer::new(name).implicit().field("pre_instance_functions", PRE_INSTANCE);
    let run = Scenario::new()
        .driver(good())
        .layer(layer(A).does_with("version", 7))
        .layer(layer(B).does_with("version", 8).does("no_layers").does("no_extensions"))
        .run(globals);
    run.ok().says("version", 7).says("layers", 0).says("extensions", 0);
    let both = |command| [A, B].map(|layer| format!("{layer} {command}")).to_vec();
    assert_eq!(run.calls(&["vkEnumerateInstanceVersion"]), both("vkEnumerateInstanceVersion"));
    let call = run.trace(A);
    let call = call.only("vkEnumerateInstanceVersion");
    assert_eq!((call.get("kind"), call.get("version"), call.get("size")), ("3", "1", "1"));
    assert_eq!(run.trace(A).last("vkEnumerateInstanceLayerProperties").get("kind"), "2");
    assert_eq!(run.trace(A).last("vkEnumerateInstanceExtensionProperties").get("kind"), "1");
    // Its library is closed with the loader.
    let trace = run.trace(A);
    assert_eq!(trace.calls("load").len(), trace.calls("unload").len());
}

#[test]
fn pre_instance_functions_of_layers_that_are_not_active_are_left_out() {
    let layer = |name| Layer::new(name).field("pre_instance_functions", PRE_INSTANCE).does_with("version", 7);
    let run = Scenario::new()
        .driver(good())
        .layer(layer(A))
        .layer(layer(B).implicit())
        .env("NO_VK_LAYER_TEST_b", "1")
        .env("VK_INSTANCE_LAYERS", A)
        .run(globals);
    run.ok();
    assert_ne!(run.said("version"), "7");
    assert!(!run.loaded(A) && !run.loaded(B));
}

#[test]
fn layers_see_the_create_infos_of_the_application() {
    let gpu = Device::new("gpu").extension("VK_KHR_maintenance1");
    let scenario = Scenario::new().driver(Driver::new("good").device(gpu));
    let run = scenario.layer(Layer::new(A).does("tell_info")).env("VK_INSTANCE_LAYERS", A).run(|vk| {
        let (of_instance, instance) = create_full_instance(&vk.entry, &[]).unwrap();
        let (of_device, device) = create_full_device(&instance, &[]).unwrap();
        vk.say("passed", format!("{of_instance} {of_device}"));
        unsafe {
            device.destroy_device(None);
            instance.destroy_instance(None);
        }
    });
    run.ok();
    let trace = run.trace(A);
    let seen: Vec<_> = trace.calls("info").iter().map(|call| call.get("members")).collect();
    assert_eq!(seen.join(" "), run.said("passed"));
}
