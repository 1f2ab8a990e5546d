//! The search of Fuchsia: without fallbacks of variables, with the loader service's manifests.

use super::*;
use crate::discovery::{LayerPlan, LayerRequest, LayerScope};
use crate::platform::FileError;

mod settings;

const MANIFESTS: &str = "/svc/loader/manifests";

static FUCHSIA_ROOTS: [Root; 6] = Policy::fuchsia_roots(b"/vulkan-loader-configuration", b"/pkg/data");
static FUCHSIA: Policy =
    Policy { pointer_width: 64, ..Policy::fuchsia(&FUCHSIA_ROOTS, MANIFESTS.as_bytes()) };

fn plan_on_fuchsia(system: &'static Imaginary) -> Plan {
    let settings = KnownSettings::discover(&system.platform(), &FUCHSIA).unwrap();
    discover(&system.platform(), &FUCHSIA, &REQUEST, &settings, &mut Snapshot::new()).unwrap()
}

/// Returns a system with a driver in its loader service.
fn with_service() -> &'static Imaginary {
    let system = Imaginary::new();
    system.file(&format!("{MANIFESTS}/0-libvulkan_a.so.json"), manifest("0-libvulkan_a.so"));
    system.file("/pkg/data/vulkan/icd.d/own.json", manifest("libown.so"));
    system
}

#[test]
fn the_manifests_of_the_service_replace_the_default_search_paths() {
    let plan = plan_on_fuchsia(with_service());
    assert_eq!(searched(&plan), [MANIFESTS]);
    assert_eq!(plan.searched[0].origin, Origin::Service);
    assert_eq!(used(&plan), ["0-libvulkan_a.so"]);
}

#[test]
fn where_the_service_fails_the_default_search_paths_are_searched_too() {
    let system = with_service();
    system.failing(MANIFESTS, FileError::Other(5));
    let plan = plan_on_fuchsia(system);
    let expected = [MANIFESTS, "/vulkan-loader-configuration/vulkan/icd.d", "/pkg/data/vulkan/icd.d"];
    assert_eq!(searched(&plan), expected);
    assert_eq!(plan.searched[0].result, SearchResult::Failed(FileError::Other(5)));
    assert_eq!(used(&plan), ["libown.so"]);
}

#[test]
fn a_component_without_the_loader_service_gets_the_reason() {
    let plan = plan_on_fuchsia(Imaginary::new());
    let line = crate::drivers::best_reason(&plan, &[]).to_string();
    assert_eq!(
        line,
        "no driver manifest was found: /svc/loader/manifests (the loader service) does not exist; add it to the services \
         that the component's manifest uses"
    );
}

#[test]
fn a_variable_that_replaces_the_search_replaces_the_service() {
    for variable in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
        let system = with_service();
        system.file("/mine.json", manifest("/libmine.so")).set(variable, "/mine.json");
        assert_eq!(used(&plan_on_fuchsia(system)), ["/libmine.so"], "{variable}");
    }
}

#[test]
fn drivers_that_a_variable_adds_come_before_those_of_the_service() {
    let system = with_service();
    system.file("/mine.json", manifest("/libmine.so")).set("VK_ADD_DRIVER_FILES", "/mine.json");
    assert_eq!(used(&plan_on_fuchsia(system)), ["/libmine.so", "0-libvulkan_a.so"]);
}

#[test]
fn layers_are_not_searched_for_in_the_service() {
    let system = with_service();
    system.file(&format!("{MANIFESTS}/layer.json"), layer("VK_LAYER_service"));
    system.file("/pkg/data/vulkan/explicit_layer.d/layer.json", layer("VK_LAYER_package"));
    let plan = layers_on_fuchsia(system);
    let names: StdVec<_> = plan.layers.iter().map(|layer| shown(layer.name())).collect();
    assert_eq!(names, ["VK_LAYER_package"]);
}

#[test]
fn only_home_stands_in_for_a_variable() {
    let system = Imaginary::new();
    let [configuration, package] = ["/vulkan-loader-configuration/vulkan/icd.d", "/pkg/data/vulkan/icd.d"];
    assert_eq!(searched(&plan_on_fuchsia(system)), [MANIFESTS, configuration, package]);
    system.set("HOME", "/h");
    assert_eq!(
        searched(&plan_on_fuchsia(system)),
        [MANIFESTS, "/h/.config/vulkan/icd.d", configuration, package, "/h/.local/share/vulkan/icd.d"]
    );
}

#[test]
fn the_search_paths_come_in_order() {
    let system = Imaginary::new();
    system.set("XDG_CONFIG_HOME", "/c").set("XDG_CONFIG_DIRS", "/c1:/c2");
    system.set("XDG_DATA_HOME", "/d").set("XDG_DATA_DIRS", "/d1:/d2");
    let expected = ["/c", "/c1", "/c2", "/vulkan-loader-configuration", "/pkg/data", "/d", "/d1", "/d2"]
        .map(|root| format!("{root}/vulkan/icd.d"));
    assert_eq!(searched(&plan_on_fuchsia(system))[1..], expected);
}

#[test]
fn a_library_is_a_name_or_a_path() {
    let system = Imaginary::new();
    for (file, library) in [("1", "libbare.so"), ("2", "../lib/librelative.so"), ("3", "/lib/libabsolute.so")]
    {
        system.file(&format!("/pkg/data/vulkan/icd.d/{file}.json"), manifest(library));
    }
    assert_eq!(
        used(&plan_on_fuchsia(system)),
        ["libbare.so", "/pkg/data/vulkan/icd.d/../lib/librelative.so", "/lib/libabsolute.so"]
    );
}

#[test]
fn an_override_layer_for_certain_programs_is_for_none() {
    let system = Imaginary::new();
    system.file(
        "/pkg/data/vulkan/implicit_layer.d/override.json",
        r#"{"file_format_version": "1.2.0", "layer": {"name": "VK_LAYER_LUNARG_override", "type": "GLOBAL",
        "api_version": "1.3.0", "implementation_version": "1", "description": "", "component_layers": ["VK_LAYER_x"],
        "disable_environment": {"NO": "1"}, "app_keys": ["/pkg/bin/app", ""]}}"#,
    );
    system.file("/pkg/data/vulkan/explicit_layer.d/x.json", layer("VK_LAYER_x"));
    assert!(active_on_fuchsia(system).is_empty());
}

#[test]
fn a_layer_with_a_manifest_of_the_first_format_is_active() {
    let system = Imaginary::new();
    system.file(
        "/pkg/data/vulkan/implicit_layer.d/image_pipe.json",
        r#"{"file_format_version": "1.0.0", "layer": {"name": "VK_LAYER_FUCHSIA_imagepipe_swapchain", "type": "GLOBAL",
        "library_path": "VkLayer_image_pipe_swapchain.so", "api_version": "1.0.38", "implementation_version": "2",
        "description": "", "disable_environment": {"DISABLE_IMAGEPIPE_SWAPCHAIN_LAYER": "1"},
        "instance_extensions": [{"name": "VK_KHR_surface", "spec_version": "25"},
            {"name": "VK_FUCHSIA_imagepipe_surface", "spec_version": "1"}],
        "device_extensions": [{"name": "VK_KHR_swapchain", "spec_version": "68", "entrypoints": []}]}}"#,
    );
    assert_eq!(active_on_fuchsia(system), ["VK_LAYER_FUCHSIA_imagepipe_swapchain"]);
    system.set("DISABLE_IMAGEPIPE_SWAPCHAIN_LAYER", "1");
    assert!(active_on_fuchsia(system).is_empty());
}

#[test]
fn variables_are_read_for_every_user() {
    let system = with_service();
    system.elevate();
    system.file("/mine.json", manifest("/libmine.so")).set("VK_DRIVER_FILES", "/mine.json");
    let plan = plan_on_fuchsia(system);
    assert_eq!(used(&plan), ["/libmine.so"]);
    assert!(notes(&plan).is_empty());
}

fn layer(name: &str) -> String {
    format!(
        r#"{{"file_format_version": "1.2.0", "layer": {{"name": "{name}", "type": "GLOBAL", "library_path": "lib.so",
        "api_version": "1.3.0", "implementation_version": "1", "description": ""}}}}"#
    )
}

fn layers_on_fuchsia(system: &'static Imaginary) -> LayerPlan {
    let settings = KnownSettings::discover(&system.platform(), &FUCHSIA).unwrap();
    discover_layers(&system.platform(), &FUCHSIA, LayerScope::All, &settings, &mut Snapshot::new()).unwrap()
}

/// Returns the layer names that are active without a request.
fn active_on_fuchsia(system: &'static Imaginary) -> StdVec<String> {
    let plan = layers_on_fuchsia(system);
    let active = plan.activate(&LayerRequest::default()).unwrap();
    active.layers.iter().map(|layer| shown(plan.layers[layer.layer].name())).collect()
}
