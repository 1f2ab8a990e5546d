//! The requirements between loader and layers, by their numbers in the layer interface document.
use ash::vk;
use vkload_tests::layered::{A, B, active, create, create_with_a, good};
use vkload_tests::{Ask, Layer, Scenario};

fn scenario() -> Scenario {
    Scenario::new().driver(good()).log()
}

#[test]
fn llp_loader_1_layers_are_supported() {
    let run = scenario().layer(Layer::new(A)).layer(Layer::new(B).implicit()).run(create_with_a);
    run.ok().says("result", "SUCCESS");
    assert_eq!(active(&run), [B, A]);
}

#[test]
fn llp_loader_2_layers_load_from_elsewhere() {
    for variable in ["VK_LAYER_PATH", "VK_ADD_LAYER_PATH"] {
        let run = scenario()
            .layer(Layer::new(A).folder("elsewhere"))
            .env(variable, "SANDBOX/elsewhere")
            .run(create_with_a);
        run.ok().says("result", "SUCCESS");
    }
    for variable in ["VK_IMPLICIT_LAYER_PATH", "VK_ADD_IMPLICIT_LAYER_PATH"] {
        let run = scenario()
            .layer(Layer::new(A).implicit().folder("elsewhere"))
            .env(variable, "SANDBOX/elsewhere/VK_LAYER_TEST_a.json")
            .run(create);
        assert_eq!(active(run.ok()), [A], "{variable}");
    }
}

#[test]
fn llp_loader_4_a_layer_of_another_api_is_not_loaded() {
    let run = scenario().layer(Layer::new(A).api("1.1.3.0")).run(create_with_a);
    run.ok().says("result", "ERROR_LAYER_NOT_PRESENT").logs(&["VK_LAYER_TEST_a", "LLP_LOADER_4"]);
    assert!(!run.loaded(A));
}

#[test]
fn llp_loader_5_a_layer_that_cannot_be_negotiated_with_is_not_loaded() {
    let refusing = || Layer::new(A).refuses(vk::Result::ERROR_INITIALIZATION_FAILED);
    let run = scenario().layer(refusing()).run(create_with_a);
    run.ok().says("result", "ERROR_LAYER_NOT_PRESENT").logs(&["ERROR", "VK_LAYER_TEST_a", "LLP_LOADER_5"]);
    let run = scenario().layer(refusing().implicit()).run(create);
    run.ok().says("result", "SUCCESS").logs(&["INFO", "VK_LAYER_TEST_a", "LLP_LOADER_5"]);
    assert!(active(&run).is_empty());
}

#[test]
fn llp_loader_8_links_are_passed_when_an_instance_is_created() {
    // The layers abort the process if a link is missing or odd.
    let run = scenario().layer(Layer::new(A)).layer(Layer::new(B).implicit()).run(create_with_a);
    run.ok().says("result", "SUCCESS");
    assert_eq!(active(&run), [B, A]);
}

#[test]
fn llp_loader_9_links_are_passed_when_a_device_is_created() {
    let run = scenario().layer(Layer::new(A)).layer(Layer::new(B).implicit()).run(|vk| {
        let instance = vk.create(&Ask::new().layer(A)).unwrap();
        let device = instance.device(instance.devices()[0], &[]);
        unsafe { device.destroy_device(None) };
    });
    run.ok();
    assert_eq!(run.calls(&["vkCreateDevice"]), [B, A].map(|layer| format!("{layer} vkCreateDevice")));
}

fn meta(name: &str, components: &str, api: &str, fields: &str) -> String {
    format!(
        r#"{{"file_format_version": "1.2.0", "layer": {{"name": "{name}", "type": "GLOBAL", "api_version": "{api}",
            "implementation_version": "1", "description": "meta", "component_layers": [{components}]{fields}}}}}"#
    )
}

const OVERRIDE: &str = "VK_LAYER_LUNARG_override";
const DISABLE: &str = r#", "disable_environment": {"NO_OVERRIDE": "1"}"#;

#[test]
fn llp_loader_12_the_blacklist_of_the_override_layer_is_applied() {
    let fields = format!(r#"{DISABLE}, "blacklisted_layers": ["{B}"]"#);
    let run = scenario()
        .layer(Layer::new(A))
        .layer(Layer::new(B).implicit())
        .file("data/vulkan/implicit_layer.d/0.json", meta(OVERRIDE, r#""VK_LAYER_TEST_a""#, "1.3.0", &fields))
        .run(create);
    run.ok().says("result", "SUCCESS").logs(&["VK_LAYER_TEST_b", "LLP_LOADER_12"]);
    assert_eq!(active(&run), [A]);
    assert!(!run.loaded(B));
}

/// Checks that the loader reports a structure that the layer overwrote instead of passing it on, and does not follow its pointers.
fn aborts(layer: Layer, words: &[&str]) {
    let run = Scenario::new().driver(good()).layer(layer).layer(Layer::new(B)).run(|vk| {
        let instance = vk.create(&Ask::new().layer(A).layer(B)).unwrap();
        _ = instance.device(instance.devices()[0], &[]);
    });
    run.aborted().logs(words);
}

#[test]
fn llp_layer_21_pinstance_is_not_overwritten_on_the_way_down() {
    for value in [0, 1, 0x1234_5678, 0x7fff_0000_0000, -8] {
        aborts(Layer::new(A).does_with("overwrite_instance", value), &["vkCreateInstance", "LLP_LAYER_21"]);
    }
    aborts(Layer::new(A).does("clear_instance"), &["vkCreateInstance", "LLP_LAYER_21"]);
}

#[test]
fn llp_layer_22_pdevice_is_not_overwritten_on_the_way_down() {
    let words = ["vkCreateDevice", "LLP_LAYER_22", "0x10aded040410aded"];
    for value in [0, 1, 0x1234_5678, 0x7fff_0000_0000, -8] {
        aborts(Layer::new(A).does_with("overwrite_device", value), &words);
    }
    aborts(Layer::new(A).does("clear_device"), &words);
}
