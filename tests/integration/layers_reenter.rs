//! No lock is held while a layer runs: a layer calls every global command from every callback, on the same thread and on
//! two others that it waits for. Only instances with layers are not made there by others: layers are entered by one thread at a
//! time.
use std::collections::BTreeSet;

use ash::vk;
use vkload_tests::layered::{A, B, good};
use vkload_tests::{Ask, Layer, Scenario, Vk};

const PRE_INSTANCE: &str = r#"{"vkEnumerateInstanceVersion": "test_preVersion",
    "vkEnumerateInstanceLayerProperties": "test_preLayers",
    "vkEnumerateInstanceExtensionProperties": "test_preExtensions"}"#;

const CALLBACKS: [&str; 14] = [
    "negotiate",
    "vkCreateDevice",
    "vkCreateInstance",
    "vkDestroyDevice",
    "vkDestroyInstance",
    "vkDeviceWaitIdle",
    "vkEnumerateDeviceExtensionProperties",
    "vkEnumeratePhysicalDeviceGroups",
    "vkEnumeratePhysicalDevices",
    "vkGetDeviceProcAddr",
    "vkGetDeviceQueue",
    "vkGetInstanceProcAddr",
    "vkGetPhysicalDeviceProperties",
    "vkQueueSubmit",
];

fn call_everything(vk: &Vk) {
    let instance = vk.create(&Ask::new().api(1, 1).layer(A).layer(B)).unwrap();
    let gpu = instance.devices()[0];
    vk.say("devices", instance.names().join(","));
    unsafe {
        vk.say("groups", instance.enumerate_physical_device_groups_len().unwrap());
        instance.get_physical_device_queue_family_properties(gpu);
        instance.enumerate_device_extension_properties(gpu).unwrap();
        let device = instance.device(gpu, &[]);
        let queue = device.get_device_queue(0, 0);
        device.queue_submit(queue, &[], vk::Fence::null()).unwrap();
        device.device_wait_idle().unwrap();
        device.destroy_device(None);
    }
    vk.say("unknown", instance.proc("vkNobodyKnowsTEST"));
    drop(instance);
}

fn reentered(run: &vkload_tests::Run, layer: &str) -> BTreeSet<String> {
    let trace = run.trace(layer);
    trace.calls("reentered").iter().map(|call| call.get("in").to_owned()).collect()
}

fn all_callbacks() -> BTreeSet<String> {
    let more = ["vkGetPhysicalDeviceQueueFamilyProperties", "vk_layerGetPhysicalDeviceProcAddr"];
    CALLBACKS.iter().chain(&more).map(|name| (*name).to_owned()).collect()
}

fn scenario() -> Scenario {
    Scenario::new().driver(good())
}

fn works(scenario: Scenario, body: fn(&Vk)) -> vkload_tests::Run {
    let run = scenario.run(body);
    run.ok();
    assert_eq!(run.trace("good").last("unload").get("instances"), "0");
    run
}

#[test]
fn an_explicit_layer_calls_every_global_command_from_every_callback() {
    let run = works(scenario().layer(Layer::new(A).does("reenter")).layer(Layer::new(B)), call_everything);
    assert_eq!(reentered(&run, A), all_callbacks());
}

#[test]
fn an_implicit_layer_calls_every_global_command_from_every_callback() {
    let run = works(
        scenario().layer(Layer::new(A).implicit().does("reenter").does("others_ask")).layer(Layer::new(B)),
        call_everything,
    );
    assert_eq!(reentered(&run, A), all_callbacks());
}

#[test]
fn layers_that_wrap_and_make_devices_call_every_global_command_from_every_callback() {
    let layer =
        |name| Layer::new(name).does("reenter").does("wrap").does("wrap_devices").does("second_device");
    let run = works(scenario().layer(layer(A)).layer(layer(B)), call_everything);
    assert_eq!(reentered(&run, A), all_callbacks());
    assert_eq!(reentered(&run, B), all_callbacks());
}

#[test]
fn a_layer_that_refuses_calls_every_global_command_first() {
    let refusing = Layer::new(A).implicit().does("reenter").does("others_ask");
    let refusing = refusing.refuses(vk::Result::ERROR_INITIALIZATION_FAILED);
    let run = works(scenario().layer(refusing).layer(Layer::new(B)), |vk| {
        drop(vk.create(&Ask::new().layer(B)).unwrap());
    });
    assert_eq!(reentered(&run, A), BTreeSet::from(["negotiate".to_owned()]));
}

#[test]
fn pre_instance_functions_call_every_global_command() {
    let layer = Layer::new(A).implicit().does("reenter").does("others_ask");
    let layer = layer.field("pre_instance_functions", PRE_INSTANCE);
    let run = works(scenario().layer(layer), |vk| {
        unsafe {
            vk.entry.try_enumerate_instance_version().unwrap();
            vk.entry.enumerate_instance_layer_properties().unwrap();
            vk.entry.enumerate_instance_extension_properties(None).unwrap();
        }
        drop(vk.create(&Ask::new()).unwrap());
    });
    let reentered = reentered(&run, A);
    for command in [
        "vkEnumerateInstanceVersion",
        "vkEnumerateInstanceLayerProperties",
        "vkEnumerateInstanceExtensionProperties",
    ] {
        assert!(reentered.contains(command), "{reentered:?}");
    }
}

#[test]
fn threads_of_the_application_meet_a_layer_that_calls_every_global_command() {
    let layer = Layer::new(A).does("reenter").does("others_ask");
    works(scenario().layer(layer).layer(Layer::new(B).implicit()), |_| {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                std::thread::spawn(|| {
                    let vk = Vk::open();
                    for _ in 0..2 {
                        let instance = vk.create(&Ask::new().api(1, 1).layer(A).layer(B)).unwrap();
                        let device = instance.device(instance.devices()[0], &[]);
                        unsafe { device.destroy_device(None) };
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}
