//! The requirements between loader and layers, by their numbers in the layer interface document.
use std::path::PathBuf;

use ash::vk;
use vkload_tests::{Ask, Device, Driver, Layer, Run, Scenario, Vk, code};

const A: &str = "VK_LAYER_TEST_a";
const B: &str = "VK_LAYER_TEST_b";

fn scenario() -> Scenario {
    Scenario::new().driver(Driver::new("good").device(Device::new("gpu"))).log()
}

fn create(vk: &Vk) {
    vk.say("result", code(&vk.create(&Ask::new()).map(drop)));
}

fn create_with_a(vk: &Vk) {
    vk.say("result", code(&vk.create(&Ask::new().api(1, 3).layer(A)).map(drop)));
}

fn active(run: &Run) -> Vec<String> {
    let calls = run.calls(&["vkCreateInstance"]);
    calls.iter().filter_map(|call| call.split(' ').next()).map(str::to_owned).collect()
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
fn llp_loader_3_of_a_name_that_is_enabled_twice_the_first_counts() {
    let run = scenario().layer(Layer::new(A)).layer(Layer::new(B)).run(|vk| {
        vk.say("result", code(&vk.create(&Ask::new().layer(B).layer(A).layer(B)).map(drop)));
    });
    run.ok().says("result", "SUCCESS");
    assert_eq!(active(&run), [B, A]);
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
fn llp_loader_6_an_enable_variable_is_needed() {
    let layer = || Layer::new(A).implicit().field("enable_environment", r#"{"YES_A": "on"}"#);
    let run = scenario().layer(layer()).run(create);
    assert!(active(run.ok()).is_empty());
    let run = scenario().layer(layer()).env("YES_A", "off").run(create);
    assert!(active(run.ok()).is_empty());
    let run = scenario().layer(layer()).env("YES_A", "on").run(create);
    assert_eq!(active(run.ok()), [A]);
}

#[test]
fn llp_loader_7_a_disable_variable_wins() {
    let layer = || Layer::new(A).implicit().field("enable_environment", r#"{"YES_A": "on"}"#);
    for value in ["1", "0", "anything"] {
        let run = scenario()
            .layer(layer())
            .env("YES_A", "on")
            .env("NO_VK_LAYER_TEST_a", value)
            .env("VK_LOADER_LAYERS_ENABLE", A)
            .run(create);
        assert!(active(run.ok()).is_empty(), "{value}");
        assert!(!run.loaded(A));
    }
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
        // SAFETY: it is alive and not used any more.
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

#[test]
fn llp_loader_10_all_components_are_there_and_of_a_fitting_version() {
    let result = |components: &str, api: &str| {
        let run = scenario()
            .layer(Layer::new(A).api("1.1.0"))
            .file("data/vulkan/explicit_layer.d/meta.json", meta("VK_LAYER_TEST_meta", components, api, ""))
            .run(|vk| {
                vk.say("result", code(&vk.create(&Ask::new().layer("VK_LAYER_TEST_meta")).map(drop)));
            });
        run.ok();
        (run.said("result").to_owned(), active(&run))
    };
    assert_eq!(result(r#""VK_LAYER_TEST_a""#, "1.1.9"), ("SUCCESS".to_owned(), vec![A.to_owned()]));
    assert_eq!(result(r#""VK_LAYER_TEST_a""#, "1.2.0").0, "ERROR_LAYER_NOT_PRESENT");
    assert_eq!(result(r#""VK_LAYER_TEST_a", "VK_LAYER_TEST_b""#, "1.1.0").0, "ERROR_LAYER_NOT_PRESENT");
}

const OVERRIDE: &str = "VK_LAYER_LUNARG_override";
const DISABLE: &str = r#", "disable_environment": {"NO_OVERRIDE": "1"}"#;

#[test]
fn llp_loader_11_the_override_layer_comes_last_of_all_implicit_layers() {
    let run = scenario()
        .layer(Layer::new(A))
        .layer(Layer::new(B).implicit())
        // Found before B.
        .file("data/vulkan/implicit_layer.d/0.json", meta(OVERRIDE, r#""VK_LAYER_TEST_a""#, "1.3.0", DISABLE))
        .run(create);
    run.ok().says("result", "SUCCESS");
    assert_eq!(active(&run), [B, A]);
}

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

/// Returns a copy of this executable that runs with elevated privileges, if this process may make one.
fn elevated_executable(scenario: &Scenario) -> Option<PathBuf> {
    use std::os::unix::fs::{PermissionsExt, chown};
    // SAFETY: no preconditions.
    if unsafe { libc::geteuid() } != 0 {
        return None;
    }
    let path = scenario.sandbox().path("elevated");
    // Not by this process: children of other threads would inherit the open file, and it would be busy.
    let copy = std::process::Command::new("cp").arg(std::env::current_exe().ok()?).arg(&path).status();
    copy.ok().filter(std::process::ExitStatus::success)?;
    chown(&path, Some(0), Some(1)).ok()?;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o2755)).ok()?;
    Some(path)
}

#[test]
fn llp_loader_13_nothing_comes_from_the_users_places_when_elevated() {
    let scenario = scenario()
        .layer(Layer::new(A).folder("elsewhere"))
        .layer(Layer::new(B).implicit().folder("home/.local/share/vulkan/implicit_layer.d"))
        .env("VK_LAYER_PATH", "SANDBOX/elsewhere")
        .env("VK_INSTANCE_LAYERS", A);
    let Some(executable) = elevated_executable(&scenario) else {
        eprintln!("skipped: needs to be the administrator");
        return;
    };
    let run = scenario.executable(executable).run(|vk| {
        // SAFETY: nothing is asked of the caller.
        let layers = unsafe { vk.entry.enumerate_instance_layer_properties() }.unwrap();
        let name =
            |layer: &vk::LayerProperties| layer.layer_name_as_c_str().unwrap().to_string_lossy().into_owned();
        vk.say(
            "layers",
            layers.iter().map(name).filter(|name| name.contains("TEST")).collect::<Vec<_>>().join(","),
        );
        vk.say("result", code(&vk.create(&Ask::new()).map(drop)));
    });
    run.ok().says("layers", "");
    assert!(!run.loaded(A) && !run.loaded(B));
}

/// Checks that the loader reports a structure that the layer overwrote instead of passing it on, and does not follow its pointers.
fn aborts(layer: Layer, words: &[&str]) {
    let run = Scenario::new()
        .driver(Driver::new("good").device(Device::new("gpu")))
        .layer(layer)
        .layer(Layer::new(B))
        .run(|vk| {
            let instance = vk.create(&Ask::new().layer(A).layer(B)).unwrap();
            drop(instance.device(instance.devices()[0], &[]));
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
