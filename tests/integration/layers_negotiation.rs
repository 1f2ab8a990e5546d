//! How the loader finds a layer's functions, and its treatment of layers that refuse.
use ash::vk;
use vkload_tests::layered::{A, B, good, listed};
use vkload_tests::{Ask, Layer, Run, Scenario, Vk, code};

fn use_device(vk: &Vk) {
    let instance = vk.create(&Ask::new().layer(A)).unwrap();
    let device = instance.device(instance.devices()[0], &[]);
    unsafe {
        let queue = device.get_device_queue(0, 0);
        device.queue_submit(queue, &[], vk::Fence::null()).unwrap();
        device.destroy_device(None);
    }
    drop(instance);
}

/// Checks that the layer is used for instances and devices.
fn works(layer: Layer) -> Run {
    let run = Scenario::new().driver(good()).layer(layer).run(use_device);
    run.ok();
    for command in
        ["vkCreateInstance", "vkCreateDevice", "vkQueueSubmit", "vkDestroyDevice", "vkDestroyInstance"]
    {
        assert_eq!(run.trace(A).calls(command).len(), 1, "{command}");
    }
    assert_eq!(run.trace(A).calls("load").len(), run.trace(A).calls("unload").len());
    run
}

#[test]
fn version_2_hands_its_functions_over() {
    let run = works(Layer::new(A));
    assert_eq!(run.trace(A).only("negotiate").get("offered"), "2");
}

#[test]
fn version_1_exports_its_functions() {
    works(Layer::new(A).exports(Layer::NEGOTIATE_PLAIN).does_with("interface", 1));
}

#[test]
fn two_layers_in_one_library() {
    let run = Scenario::new()
        .driver(good())
        .layer(Layer::new(A).exports_its_name().holds(B))
        .layer(Layer::new(B).held_by(A))
        .run(|vk| {
            vk.say("layers", listed(vk).join(","));
            let instance = vk.create(&Ask::new().layer(A).layer(B)).unwrap();
            let device = instance.device(instance.devices()[0], &[]);
            unsafe { device.destroy_device(None) };
        });
    run.ok();
    for command in ["vkCreateInstance", "vkCreateDevice", "vkDestroyDevice", "vkDestroyInstance"] {
        assert_eq!(run.calls(&[command]), [A, B].map(|layer| format!("{layer} {command}")));
    }
}

#[test]
fn two_layers_of_one_manifest() {
    let one = |name: &str| {
        format!(
            r#"{{"name": "{name}", "type": "GLOBAL", "library_path": "LIBRARY", "api_version": "1.3.0",
                "implementation_version": "1", "description": "one of two"}}"#
        )
    };
    let manifest = format!(r#"{{"file_format_version": "1.0.1", "layers": [{}, {}]}}"#, one(A), one(B));
    let run = Scenario::new()
        .driver(good())
        // B's own manifest is outside all search paths; its configuration is needed.
        .layer(Layer::new(A).exports_its_name().holds(B).manifest(&manifest))
        .layer(Layer::new(B).held_by(A).folder("nowhere"))
        .run(|vk| {
            vk.say("layers", listed(vk).join(","));
            drop(vk.create(&Ask::new().layer(B).layer(A)).unwrap());
        });
    run.ok().says("layers", format!("{A},{B}"));
    assert_eq!(run.calls(&["vkCreateInstance"]), [B, A].map(|layer| format!("{layer} vkCreateInstance")));
}

#[test]
fn a_layer_inside_a_driver_library() {
    let run = Scenario::new()
        .driver(good().holds_layer())
        .layer(Layer::new(A).inside_driver("good"))
        .run(use_device);
    run.ok();
    assert_eq!(run.trace(A).calls("vkQueueSubmit").len(), 1);
    assert_eq!(run.trace("good").calls("vkQueueSubmit").len(), 1);
}

/// Creates an instance with and without the layer, and notes the lists before and after.
fn refused(vk: &Vk) {
    vk.say("before", listed(vk).join(","));
    vk.say("with", code(&vk.create(&Ask::new().layer(A)).map(drop)));
    vk.say("without", code(&vk.create(&Ask::new()).map(drop)));
    vk.say("after", listed(vk).join(","));
    vk.say("again", code(&vk.create(&Ask::new().layer(A)).map(drop)));
}

#[test]
fn an_explicit_layer_that_refuses_is_not_present() {
    let run = Scenario::new()
        .driver(good())
        .layer(Layer::new(A).refuses(vk::Result::ERROR_INITIALIZATION_FAILED))
        .layer(Layer::new(B))
        .log()
        .run(refused);
    run.ok().says("with", "ERROR_LAYER_NOT_PRESENT").says("without", "SUCCESS");
    run.says("after", B).says("again", "ERROR_LAYER_NOT_PRESENT");
    assert!(!run.trace(A).has("vkCreateInstance"));
    run.logs(&["VK_LAYER_TEST_a", "LLP_LOADER_5"]);
    assert_eq!(run.trace(A).calls("load").len(), run.trace(A).calls("unload").len());
}

#[test]
fn an_implicit_layer_that_refuses_is_skipped_and_no_longer_enumerated() {
    let run = Scenario::new()
        .driver(good())
        .layer(Layer::new(A).implicit().refuses(vk::Result::ERROR_INCOMPATIBLE_DRIVER))
        .layer(Layer::new(B).implicit())
        .run(|vk| {
            vk.say("before", listed(vk).join(","));
            vk.say("result", code(&vk.create(&Ask::new()).map(drop)));
            vk.say("after", listed(vk).join(","));
        });
    run.ok().says("result", "SUCCESS").says("after", B);
    assert_eq!(run.calls(&["vkCreateInstance"]), [format!("{B} vkCreateInstance")]);
}

#[test]
fn a_layer_of_a_later_interface_is_refused() {
    let run = Scenario::new()
        .driver(good())
        .layer(Layer::new(A).does_with("interface", 3))
        .layer(Layer::new(B))
        .run(refused);
    run.ok().says("with", "ERROR_LAYER_NOT_PRESENT").says("without", "SUCCESS");
}

#[test]
fn a_layer_whose_library_is_missing_is_refused() {
    let missing = || Layer::new(A).library_path("/nonexistent/liblayer.so");
    let run = Scenario::new().driver(good()).layer(missing()).run(refused);
    run.ok().says("with", "ERROR_LAYER_NOT_PRESENT").says("without", "SUCCESS");
    let run = Scenario::new().driver(good()).layer(missing().implicit()).run(|vk| {
        vk.say("result", code(&vk.create(&Ask::new()).map(drop)));
    });
    run.ok().says("result", "SUCCESS");
}

// ---- where functions are looked for first ----

/// Returns the names under which the layer's look-up functions were found, each once.
fn found_by(run: &Run) -> Vec<String> {
    let trace = run.trace(A);
    let mut names: Vec<_> = ["look_up", "device_look_up"]
        .iter()
        .flat_map(|call| trace.calls(call))
        .map(|call| call.get("by").to_owned())
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

const EVERYTHING: &[&str] = &[
    "-DEXPORT_PLAIN",
    "-DEXPORT_NAMED",
    "-DLAYER_NAME=VK_LAYER_TEST_a",
    "-DEXPORT_OTHER",
    "-DEXPORT_INTROSPECTION",
];
const LOOK_UPS: &str =
    r#"{"vkGetInstanceProcAddr": "test_lookup", "vkGetDeviceProcAddr": "test_device_lookup"}"#;

#[test]
fn functions_are_found_by_every_name_that_they_may_have() {
    const NEGOTIATE: &str = r#"{"vkNegotiateLoaderLayerInterfaceVersion": "test_negotiate"}"#;
    const NONE: &str = r#"{"vkGetInstanceProcAddr": "none", "vkGetDeviceProcAddr": "none"}"#;
    let layer = |exports: &[&str]| Layer::new(A).exports(exports);
    let hands_nothing_over = layer(&["-DEXPORT_NEGOTIATE", "-DEXPORT_PLAIN"]).does("no_functions");
    for (layer, by) in [
        (hands_nothing_over, "plain"),
        (layer(Layer::PLAIN), "plain"),
        (Layer::new(A).exports_its_name(), "named"),
        (layer(Layer::OTHER).field("functions", LOOK_UPS), "manifest"),
        (layer(EVERYTHING).field("functions", LOOK_UPS), "manifest"),
        (layer(Layer::PLAIN).field("functions", NONE), "plain"),
    ] {
        assert_eq!(found_by(&works(layer)), [by]);
    }
    for exports in [Layer::OTHER.to_vec(), [Layer::OTHER, Layer::NEGOTIATE].concat()] {
        let run = works(layer(&exports).field("functions", NEGOTIATE));
        assert_eq!(run.trace(A).calls("negotiate_by").len(), 1);
        assert_eq!(run.trace(A).calls("negotiate").len(), 1);
    }
}

#[test]
fn the_layers_own_name_comes_before_the_plain_ones() {
    let run = works(Layer::new(A).exports(EVERYTHING));
    assert_eq!(found_by(&run), ["named"]);
}

#[test]
fn negotiated_functions_come_before_exports() {
    let exports = [EVERYTHING, Layer::NEGOTIATE].concat();
    let run = works(Layer::new(A).exports(&exports).field("functions", LOOK_UPS));
    assert!(found_by(&run).is_empty(), "{:?}", found_by(&run));
}

#[test]
fn version_1_may_rename_its_functions_in_the_manifest() {
    let exports = [EVERYTHING, Layer::NEGOTIATE].concat();
    let run = works(Layer::new(A).exports(&exports).does_with("interface", 1).field("functions", LOOK_UPS));
    assert_eq!(found_by(&run), ["manifest"]);
}

#[test]
fn the_negotiation_is_the_first_call_of_all() {
    let run =
        works(Layer::new(A).exports(&[EVERYTHING, Layer::NEGOTIATE].concat()).does_with("interface", 1));
    let trace = run.trace(A);
    assert_eq!(trace.commands()[..2], ["load", "negotiate"]);
}

#[test]
fn the_enumerations_of_a_library_of_version_0_are_not_called() {
    // The layers abort the process.
    let run = Scenario::new().driver(good()).layer(Layer::new(A).implicit().exports(EVERYTHING)).run(|vk| {
        vk.say("layers", listed(vk).join(","));
        let of_layer = unsafe { vk.entry.enumerate_instance_extension_properties(Some(c"VK_LAYER_TEST_a")) };
        vk.say("extensions", of_layer.unwrap().len());
        let instance = vk.create(&Ask::new()).unwrap();
        let count = unsafe { instance.enumerate_device_layer_properties(instance.devices()[0]) };
        vk.say("of device", count.unwrap().len());
    });
    run.ok().says("layers", A).says("extensions", 0);
}
