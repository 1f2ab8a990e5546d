//! `vkload compare` as a user meets it.

use std::fs;
use std::process::{Command, Output};

use serde_json::{Value, json};
use vkload_tests::{Device, Driver, Layer, Sandbox};

const SETTINGS: &str = "data/vulkan/loader_settings.d/vk_loader_settings.json";

fn vkload(sandbox: &Sandbox, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut vkload = Command::new(env!("CARGO_BIN_EXE_vkload"));
    vkload.args(arguments).env_clear().envs(sandbox.environment()).envs(variables.iter().copied());
    vkload.output().expect("vkload runs")
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Returns a machine with a driver and a layer.
fn machine() -> Sandbox {
    let sandbox = Sandbox::new();
    Driver::new("good").device(Device::new("gpu")).install(&sandbox);
    Layer::new("VK_LAYER_TEST_always").implicit().install(&sandbox);
    sandbox
}

/// Records the machine with this command, and gives the file.
fn record(sandbox: &Sandbox, command: &str, name: &str, variables: &[(&str, &str)]) -> String {
    let file = sandbox.path("out").join(name).display().to_string();
    let own = (command == "info").then_some("--own");
    let arguments: Vec<&str> = [command, "--record", &file].into_iter().chain(own).collect();
    let _ = vkload(sandbox, &arguments, variables);
    file
}

fn compare(sandbox: &Sandbox, one: &str, other: &str) -> Output {
    vkload(sandbox, &["compare", one, other], &[])
}

fn json(sandbox: &Sandbox, one: &str, other: &str) -> Value {
    let output = vkload(sandbox, &["compare", "--json", one, other], &[]);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", text(&output)))
}

/// Returns the two recordings' values of a subject.
fn values(answer: &Value, subject: &str, of: &str) -> (Option<String>, Option<String>) {
    let all = answer["differences"].as_array().expect("differences");
    let found = all.iter().find(|it| it["subject"] == subject && it["of"] == of);
    let found = found.unwrap_or_else(|| panic!("{subject} {of}: {answer:#}"));
    let value = |key: &str| found[key].as_str().map(str::to_owned);
    (value("one"), value("other"))
}

#[test]
fn two_recordings_of_one_machine_are_the_same() {
    let sandbox = machine();
    for command in ["info", "doctor"] {
        let files = ["a.json", "b.json"].map(|name| record(&sandbox, command, name, &[]));
        let output = compare(&sandbox, &files[0], &files[1]);
        assert_eq!(output.status.code(), Some(0), "{command}: {}", text(&output));
        assert_eq!(text(&output), "a.json and b.json are the same.\n");
        assert_eq!(json(&sandbox, &files[0], &files[1])["same"], true);
    }
}

#[test]
fn what_differs_is_listed_by_subject_and_by_file() {
    let sandbox = machine();
    let before = record(&sandbox, "info", "before.json", &[("VK_LOADER_DRIVERS_SELECT", "*")]);
    Driver::new("new").library_path("/nowhere/libgone.so").install(&sandbox);
    Layer::new("VK_LAYER_TEST_new").install(&sandbox);
    sandbox.write(SETTINGS, r#"{"file_format_version": "1.0.0", "settings": {"stderr_log": ["error"]}}"#);
    let variables = [("NO_VK_LAYER_TEST_always", "1"), ("VK_LOADER_DRIVERS_SELECT", "*w.json")];
    let after = record(&sandbox, "info", "after.json", &variables);

    let answer = json(&sandbox, &before, &after);
    assert_eq!((&answer["one"], &answer["other"]), (&json!("before.json"), &json!("after.json")));
    let select = values(&answer, "variables", "VK_LOADER_DRIVERS_SELECT");
    assert_eq!(select, (Some("*".into()), Some("*w.json".into())));
    let manifest = |name: &str| sandbox.path(format!("data/vulkan/icd.d/{name}.json")).display().to_string();
    let good = values(&answer, "drivers", &manifest("good"));
    assert_eq!(good.0.as_deref(), Some("used"));
    assert!(good.1.is_some_and(|value| value.contains("not used: ")), "{answer:#}");
    assert_eq!(values(&answer, "drivers", &manifest("new")).0, None);
    let layer = values(&answer, "layers", "VK_LAYER_TEST_always");
    assert!(layer.0.is_some_and(|value| value.starts_with("active, ")), "{answer:#}");
    assert!(layer.1.is_some_and(|value| value.starts_with("not active, ") && value.contains("NO_VK_LAYER")));
    assert_eq!(values(&answer, "devices", "gpu").1, None);
    assert_eq!(values(&answer, "settings", "file").1, Some(sandbox.path(SETTINGS).display().to_string()));

    let output = compare(&sandbox, &before, &after);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output);
    let position = |line: &str| said.find(line).unwrap_or_else(|| panic!("{line}: {said}"));
    assert!(position("\nDevices\n  gpu: only in before.json: ") < position("\nDrivers\n"));
    assert!(
        position("\nVariables\n")
            < position("  VK_LOADER_DRIVERS_SELECT: before.json: * / after.json: *w.json\n")
    );
    assert!(position("  VK_LAYER_TEST_new: only in after.json: not active") < position("\nVariables\n"));
}

#[test]
fn the_doctors_facts_and_findings_are_compared() {
    let sandbox = machine();
    let one = record(&sandbox, "doctor", "one.json", &[]);
    let other = record(&sandbox, "doctor", "other.json", &[("VK_DRIVER_FILES", "/nowhere.json")]);
    // The kernel of another machine.
    let mut recording: Value = serde_json::from_slice(&fs::read(&other).expect("a file")).expect("JSON");
    recording["facts"]["system"]["kernel"] = json!("9.9.9");
    recording["facts"]["nodes"] = json!([{ "path": "/dev/dri/renderD128", "kind": "render", "mode": 0o600 }]);
    fs::write(&other, recording.to_string()).expect("a file");
    let answer = json(&sandbox, &one, &other);
    assert_eq!(values(&answer, "system", "kernel").1.as_deref(), Some("9.9.9"));
    assert!(values(&answer, "nodes", "/dev/dri/renderD128").1.is_some_and(|it| it.contains("mode 600")));
    let differences = answer["differences"].as_array().expect("differences");
    let is_replaced = |it: &&Value| it["of"].as_str().is_some_and(|of| of.contains("VK_DRIVER_FILES"));
    let finding = differences.iter().find(|it| it["subject"] == "findings" && is_replaced(it));
    assert_eq!(finding.map(|it| &it["one"]), Some(&Value::Null), "{answer:#}");
    let driver = sandbox.path("data/vulkan/icd.d/good.json").display().to_string();
    assert!(
        values(&answer, "trials", &driver).0.is_some_and(|it| it.ends_with("libgood.so: 1 device works")),
        "{answer:#}"
    );
}

#[test]
fn unreadable_files_are_reported_and_equal_names_are_distinguished() {
    let sandbox = machine();
    let one = record(&sandbox, "info", "same.json", &[]);
    let gone = compare(&sandbox, &one, "/nowhere/gone.json");
    assert_eq!(gone.status.code(), Some(2));
    assert!(text(&gone).contains("/nowhere/gone.json"), "{}", text(&gone));
    let wrong = sandbox.write("out/wrong.json", "{}").display().to_string();
    assert_eq!(compare(&sandbox, &wrong, &one).status.code(), Some(2));
    fs::create_dir_all(sandbox.path("out/folder")).expect("a folder");
    let other = record(&sandbox, "info", "folder/same.json", &[("VK_LOADER_DRIVERS_SELECT", "*")]);
    let said = text(&compare(&sandbox, &one, &other));
    assert!(said.contains(&format!("VK_LOADER_DRIVERS_SELECT: only in {other}: *")), "{said}");
}
