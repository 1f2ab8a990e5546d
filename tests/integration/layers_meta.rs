//! Meta-layers and the override layer, with layers that are really opened.
use vkload_tests::layered::{A, B, C, active, create_with_a, good, listed};
use vkload_tests::{Ask, Layer, Scenario, code};

fn two_and_one() -> Scenario {
    let driver = good();
    Scenario::new().driver(driver).layer(Layer::new(A)).layer(Layer::new(B)).layer(Layer::new(C).implicit())
}

fn meta(name: &str, components: &str, fields: &str) -> String {
    format!(
        r#"{{"file_format_version": "1.2.0", "layer": {{"name": "{name}", "type": "GLOBAL", "api_version": "1.3.0",
            "implementation_version": "1", "description": "meta", "component_layers": [{components}]{fields}}}}}"#
    )
}

const META: &str = "VK_LAYER_TEST_meta";

fn with_meta(components: &str) -> Scenario {
    two_and_one().file("data/vulkan/explicit_layer.d/meta.json", meta(META, components, ""))
}

#[test]
fn a_meta_layer_is_replaced_by_its_components() {
    let run = with_meta(r#""VK_LAYER_TEST_b", "VK_LAYER_TEST_a""#).run(|vk| {
        vk.say("result", code(&vk.create(&Ask::new().layer(META)).map(drop)));
    });
    run.ok().says("result", "SUCCESS");
    assert_eq!(active(&run), [C, B, A]);
}

/// The documents give the field to file format 1.1.1 and newer; shipped loaders read it in every version.
#[test]
fn component_layers_are_read_whatever_the_file_format_is() {
    for file_format in ["1.0.0", "1.1.0", "1.1.1"] {
        let manifest = meta(META, r#""VK_LAYER_TEST_a""#, "").replace("1.2.0", file_format);
        let run = two_and_one().file("data/vulkan/explicit_layer.d/meta.json", manifest).run(|vk| {
            vk.say("result", code(&vk.create(&Ask::new().layer(META)).map(drop)));
        });
        run.ok().says("result", "SUCCESS");
        assert_eq!(active(&run), [C, A], "{file_format}");
    }
}

/// The shape by which a fuzzer found an endless recursion: a meta-layer inside one that lists itself, below the override layer.
#[test]
fn a_meta_layer_inside_one_that_lists_itself_below_the_override_layer() {
    let run = with_override(r#""VK_LAYER_TEST_outer", "VK_LAYER_TEST_a""#)
        .file(
            "data/vulkan/explicit_layer.d/inner.json",
            meta("VK_LAYER_TEST_inner", r#""VK_LAYER_TEST_b""#, ""),
        )
        .file(
            "data/vulkan/explicit_layer.d/outer.json",
            meta("VK_LAYER_TEST_outer", r#""VK_LAYER_TEST_inner", "VK_LAYER_TEST_outer""#, ""),
        )
        .run(|vk| {
            vk.say("names", listed(vk).join(","));
            vk.say("result", code(&vk.create(&Ask::new().layer("VK_LAYER_TEST_inner")).map(drop)));
            let outer = vk.create(&Ask::new().layer("VK_LAYER_TEST_outer"));
            vk.say("outer", code(&outer.map(drop)));
        });
    run.ok().says("result", "SUCCESS").says("outer", "ERROR_LAYER_NOT_PRESENT");
    assert!(!run.list("names").contains(&"VK_LAYER_TEST_outer"));
}

// ---- components that turn out to be unusable ----

/// Layers that cannot be used for different reasons, which show only when they are opened.
fn unusable() -> [Layer; 4] {
    [
        Layer::new(B).refuses(ash::vk::Result::ERROR_INITIALIZATION_FAILED),
        Layer::new(B).library_path("/nonexistent/liblayer.so"),
        Layer::new(B).does_with("interface", 3),
        Layer::new(B).exports(Layer::OTHER),
    ]
}

#[test]
fn llp_loader_10_a_component_that_cannot_be_used_makes_the_meta_layer_of_the_application_not_present() {
    for layer in unusable() {
        let run = with_meta(r#""VK_LAYER_TEST_a", "VK_LAYER_TEST_b""#).layer(layer).log().run(|vk| {
            vk.say("before", listed(vk).join(","));
            vk.say("result", code(&vk.create(&Ask::new().layer(META)).map(drop)));
            vk.say("after", listed(vk).join(","));
            let extensions =
                unsafe { vk.entry.enumerate_instance_extension_properties(Some(c"VK_LAYER_TEST_meta")) };
            vk.say("extensions", code(&extensions));
            vk.say("component", code(&vk.create(&Ask::new().layer(A)).map(drop)));
        });
        run.ok().says("result", "ERROR_LAYER_NOT_PRESENT").says("extensions", "ERROR_LAYER_NOT_PRESENT");
        run.says("before", [C, A, B, META].join(","))
            .says("after", [C, A].join(","))
            .says("component", "SUCCESS");
        run.logs(&["ERROR", B]);
        assert_eq!(active(&run), [C, A]);
    }
}

#[test]
fn a_component_of_a_component_that_cannot_be_used() {
    let outer = meta("VK_LAYER_TEST_outer", r#""VK_LAYER_TEST_a", "VK_LAYER_TEST_meta""#, "");
    let run = with_meta(r#""VK_LAYER_TEST_b""#)
        .file("data/vulkan/explicit_layer.d/outer.json", outer)
        .layer(Layer::new(B).refuses(ash::vk::Result::ERROR_INITIALIZATION_FAILED))
        .run(|vk| {
            vk.say("result", code(&vk.create(&Ask::new().layer("VK_LAYER_TEST_outer")).map(drop)));
        });
    run.ok().says("result", "ERROR_LAYER_NOT_PRESENT");
    assert!(active(&run).is_empty());
}

#[test]
fn a_component_that_is_implicit_and_cannot_be_used_fails_only_who_names_the_meta_layer() {
    let run = with_meta(r#""VK_LAYER_TEST_a", "VK_LAYER_TEST_c""#)
        .layer(Layer::new(C).implicit().refuses(ash::vk::Result::ERROR_INITIALIZATION_FAILED))
        .run(|vk| {
            vk.say("without", code(&vk.create(&Ask::new().layer(A)).map(drop)));
            vk.say("with", code(&vk.create(&Ask::new().layer(META)).map(drop)));
        });
    run.ok().says("without", "SUCCESS").says("with", "ERROR_LAYER_NOT_PRESENT");
}

#[test]
fn a_component_that_cannot_be_used_is_left_out_where_a_variable_or_the_loader_names_the_meta_layer() {
    for layer in unusable() {
        let run = with_meta(r#""VK_LAYER_TEST_a", "VK_LAYER_TEST_b""#)
            .layer(layer)
            .env("VK_INSTANCE_LAYERS", META)
            .run(|vk| {
                vk.say("result", code(&vk.create(&Ask::new()).map(drop)));
            });
        run.ok().says("result", "SUCCESS");
        assert_eq!(active(&run), [C, A]);
    }
}

// ---- the position of the override layer ----

const DISABLE: &str = r#", "disable_environment": {"NO_OVERRIDE": "1"}"#;

/// Returns the override layer with these components, found before all other layers.
fn with_override(components: &str) -> Scenario {
    let text = meta("VK_LAYER_LUNARG_override", components, DISABLE);
    two_and_one()
        .file("data/vulkan/implicit_layer.d/0.json", text)
        .layer(Layer::new("VK_LAYER_TEST_z").implicit())
}

#[test]
fn implicit_components_of_the_override_layer_leave_their_place_and_come_last_of_all_implicit_layers() {
    let run = with_override(r#""VK_LAYER_TEST_c", "VK_LAYER_TEST_b""#).run(create_with_a);
    run.ok().says("result", "SUCCESS");
    assert_eq!(active(&run), ["VK_LAYER_TEST_z", C, B, A]);
}
