//! `vkload layers` as a user meets it. Which layers a program gets is seen by the traces that they write when a loader opens them.

use crate::probe;
use crate::test_layers;

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};
use vkload_tests::{Device, Driver, Layer, Sandbox};

use probe::{Memory, SEALS, SIZE};
use test_layers::{FIRST, IMPLICIT, SECOND, WAITING};

const VKLOAD: &str = env!("CARGO_BIN_EXE_vkload");
const SETTINGS: &str = "data/vulkan/loader_settings.d/vk_loader_settings.json";
/// The distribution's loader, if it is installed.
const SYSTEM_LOADER: &str = "/usr/lib/x86_64-linux-gnu/libvulkan.so.1";

/// Returns a machine with a driver, a layer that is active, one that waits for a variable, and two explicit ones.
fn machine() -> Sandbox {
    let sandbox = Sandbox::new();
    Driver::new("good").device(Device::new("gpu")).install(&sandbox);
    test_layers::install(&sandbox);
    sandbox
}

fn layers(sandbox: &Sandbox, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    command(sandbox, arguments, variables).output().expect("vkload runs")
}

fn command(sandbox: &Sandbox, arguments: &[&str], variables: &[(&str, &str)]) -> Command {
    let mut vkload = Command::new(VKLOAD);
    vkload.arg("layers").args(arguments).env_clear().envs(sandbox.environment()).env("PATH", "/usr/bin:/bin");
    vkload.env("XDG_RUNTIME_DIR", sandbox.path("out")).envs(variables.iter().copied());
    vkload
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn json(sandbox: &Sandbox, arguments: &[&str], variables: &[(&str, &str)]) -> Value {
    let output = layers(sandbox, &[&["--json"], arguments].concat(), variables);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", text(&output)))
}

/// Returns whether a layer is active according to the list, and the reason's name.
fn state(list: &Value, name: &str) -> (bool, String) {
    let all = list["layers"].as_array().expect("layers");
    let layer = all.iter().find(|it| it["name"] == name).unwrap_or_else(|| panic!("{name}: {list:#}"));
    (layer["active"] == true, layer["outcome"].as_str().expect("a name").to_owned())
}

/// Returns the layers that a program opens with these options: on the loader of this project, and on the distribution's.
fn opened(sandbox: &Sandbox, options: &[&str], variables: &[(&str, &str)]) -> Vec<Vec<String>> {
    let subject = format!(r#"{{"subject": "loader", "library": "{SYSTEM_LOADER}"}}"#);
    let programs = [&["info", "--own"][..], &["vkload-probe"]];
    let there = if Path::new(SYSTEM_LOADER).exists() { 2 } else { 1 };
    let run = |program: &&[&str]| {
        let memory = Memory::new(std::process::id(), &subject, SIZE, SEALS);
        let mut command = command(sandbox, &[options, &["--", VKLOAD], program].concat(), variables);
        memory.pass_to(&mut command);
        let output = command.output().expect("vkload runs");
        let said = text(&output) + &memory.text();
        assert!(output.status.success() && said.contains("gpu"), "{}", text(&output));
        let traces =
            fs::read_dir(sandbox.path("out")).expect("traces").map(|entry| entry.expect("a file").path());
        let traces: Vec<_> = traces.filter(|path| path.extension().is_some_and(|it| it == "trace")).collect();
        let stem =
            |path: &std::path::PathBuf| path.file_stem().expect("a name").to_string_lossy().into_owned();
        let mut names: Vec<_> = traces.iter().map(stem).filter(|name| name.starts_with("VK_")).collect();
        traces.iter().for_each(|path| fs::remove_file(path).expect("a trace"));
        names.sort();
        names
    };
    programs.iter().take(there).map(run).collect()
}

/// Fails unless the program opens exactly these layers, on every loader.
fn assert_opened(sandbox: &Sandbox, options: &[&str], variables: &[(&str, &str)], expected: &[&str]) {
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    for (index, names) in opened(sandbox, options, variables).iter().enumerate() {
        assert_eq!(names, &expected, "{options:?} {variables:?} on loader {index}");
    }
}

#[test]
fn the_list_says_of_every_layer_whether_it_is_active_and_why() {
    let sandbox = machine();
    let said = text(&layers(&sandbox, &[], &[]));
    let line = |name: &str| {
        said.lines().find(|line| line.contains(name)).unwrap_or_else(|| panic!("{name}: {said}"))
    };
    assert!(
        line(IMPLICIT).contains("yes") && line(IMPLICIT).contains("set NO_VK_LAYER_TEST_implicit=1"),
        "{said}"
    );
    assert!(line(WAITING).contains("no ") && line(WAITING).contains("WANT"), "{said}");
    assert!(!said.contains("export"), "nothing is to be changed: {said}");
    let list = json(&sandbox, &[], &[("VK_INSTANCE_LAYERS", FIRST)]);
    assert_eq!(state(&list, FIRST), (true, "active".into()));
    assert_eq!(state(&list, SECOND), (false, "not-asked-for".into()));
    assert_eq!(list["changes"], json!([]));
    let empty = Sandbox::new();
    assert!(text(&layers(&empty, &[], &[("XDG_DATA_HOME", "/nowhere")])).contains("No layer is found"));
    let hidden = text(&layers(&sandbox, &[], &[("VK_LAYER_PATH", "/nowhere")]));
    assert!(
        hidden.contains(&format!("{FIRST} (")) && hidden.contains("is hidden, since VK_LAYER_PATH"),
        "{hidden}"
    );
}

#[test]
fn the_list_shows_what_would_be_with_the_options_and_the_variables_for_it() {
    let sandbox = machine();
    let options = ["--enable", FIRST, "--enable", WAITING, "--disable", IMPLICIT];
    let list = json(&sandbox, &options, &[]);
    assert!(state(&list, FIRST).0 && state(&list, WAITING).0 && !state(&list, IMPLICIT).0, "{list:#}");
    let changes = json!([
        { "variable": "NO_VK_LAYER_TEST_implicit", "value": "1" },
        { "variable": "VK_INSTANCE_LAYERS", "value": FIRST },
        { "variable": "VK_LOADER_LAYERS_DISABLE", "value": IMPLICIT },
        { "variable": "WANT", "value": "1" },
    ]);
    assert_eq!(list["changes"], changes);
    let said = text(&layers(&sandbox, &options, &[]));
    assert!(said.contains("\n  export WANT=1\n"), "{said}");
}

#[test]
fn a_program_gets_the_layers_of_the_options_on_every_loader() {
    let sandbox = machine();
    assert_opened(&sandbox, &[], &[], &[IMPLICIT]);
    assert_opened(&sandbox, &["--enable", FIRST], &[], &[IMPLICIT, FIRST]);
    assert_opened(&sandbox, &["--enable", WAITING, "--disable", IMPLICIT], &[], &[WAITING]);
    assert_opened(&sandbox, &["--only"], &[], &[]);
    assert_opened(&sandbox, &["--only", "--enable", SECOND], &[("WANT", "1")], &[SECOND]);
}

#[test]
fn what_variables_say_is_kept_but_for_the_layers_of_the_options() {
    let sandbox = machine();
    let both = [FIRST, SECOND].join(":");
    let named = ("VK_INSTANCE_LAYERS", both.as_str());
    assert_opened(&sandbox, &["--disable", FIRST], &[named], &[IMPLICIT, SECOND]);
    assert_opened(
        &sandbox,
        &["--disable", FIRST],
        &[("VK_LOADER_LAYERS_ENABLE", "*test_*")],
        &[IMPLICIT, WAITING, SECOND],
    );
    assert_opened(&sandbox, &["--enable", IMPLICIT], &[("NO_VK_LAYER_TEST_implicit", "1")], &[IMPLICIT]);
    let none = ("VK_LOADER_LAYERS_DISABLE", "~all~");
    assert_opened(&sandbox, &["--enable", FIRST], &[none], &[FIRST]);
}

#[test]
fn a_layer_of_the_settings_file_is_turned_on_and_off_for_one_run() {
    let sandbox = machine();
    let manifest = |name: &str| sandbox.path(format!("data/vulkan/explicit_layer.d/{name}.json"));
    let entry = |name: &str, control: &str| json!({"name": name, "path": manifest(name), "control": control});
    let settings = json!({
        "file_format_version": "1.0.0",
        "settings": {"layers": [entry(FIRST, "on"), entry(SECOND, "off")]},
    });
    let file = sandbox.write(SETTINGS, settings.to_string());
    // The distribution's loader may be too old for settings.
    let by_ours = |options: &[&str]| opened(&sandbox, options, &[]).remove(0);
    assert_eq!(by_ours(&[]), [FIRST]);
    assert_eq!(by_ours(&["--disable", FIRST]), [""; 0]);
    assert_eq!(by_ours(&["--enable", SECOND]), [FIRST, SECOND]);
    assert_eq!(fs::read_to_string(&file).expect("the settings"), settings.to_string(), "the file stays");

    // The loader reads a tab within a string, and JSON does not allow one.
    fs::write(&file, settings.to_string().replace("1.0.0", "1.\t0")).expect("a file");
    let output = layers(&sandbox, &["--disable", FIRST, "true"], &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output).contains("is not plain JSON"), "{}", text(&output));
}

#[test]
fn arguments_exit_code_and_signals_are_the_programs_own() {
    let sandbox = machine();
    let run = |script| layers(&sandbox, &["--enable", FIRST, "sh", "-c", script, "x", "--json", "-d"], &[]);
    assert_eq!(run("echo $* $VK_INSTANCE_LAYERS").stdout, format!("--json -d {FIRST}\n").into_bytes());
    assert_eq!(run("exit 7").status.code(), Some(7));
    assert_eq!(run("kill -TERM $$").status.signal(), Some(15));
    assert_eq!(layers(&sandbox, &["--only", "--", "no-such-program-here"], &[]).status.code(), Some(127));
    assert_eq!(layers(&sandbox, &["--only", "--", "/etc/passwd"], &[]).status.code(), Some(126));
}

#[test]
fn a_layer_that_is_not_there_or_cannot_be_used_is_said_before_anything_runs() {
    let sandbox = machine();
    let refused = |options: &[&str], words: &[&str]| {
        let output = layers(&sandbox, &[options, &["--", "sh", "-c", "echo ran"]].concat(), &[]);
        let said = text(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(!said.contains("ran") && words.iter().all(|words| said.contains(words)), "{said}");
    };
    refused(
        &["--enable", "VK_LAYER_TEST_frist"],
        &["no layer VK_LAYER_TEST_frist", &format!("did you mean {FIRST}?")],
    );
    refused(&["--disable", "test"], &[" or ", SECOND]);
    refused(&["--disable", "xyz"], &["`vkload layers` lists"]);
    refused(&["--enable", FIRST, "--disable", FIRST], &["both enabled and disabled"]);
    let old = Layer::new("VK_LAYER_TEST_old").api("2.0.0");
    old.install(&sandbox);
    refused(&["--enable", "VK_LAYER_TEST_old"], &["cannot be turned on for one run: ", "2.0.0"]);
}

#[test]
fn an_order_is_tried_for_one_run() {
    let sandbox = machine();
    let both = [FIRST, SECOND].join(":");
    let named = ("VK_INSTANCE_LAYERS", both.as_str());
    let chain = sandbox.path("out/chain");
    let script = format!("exec {VKLOAD} chain --own --json >{}", chain.display());
    let order = |options: &[&str]| -> Vec<String> {
        let output = layers(&sandbox, &[options, &["--", "sh", "-c", &script]].concat(), &[named]);
        assert!(output.status.success(), "{}", text(&output));
        let chain: Value = serde_json::from_slice(&fs::read(&chain).expect("a chain")).expect("JSON");
        let names = chain["layers"].as_array().expect("layers").iter();
        names.map(|layer| layer["name"].as_str().expect("a name").to_owned()).collect()
    };
    assert_eq!(order(&[]), [IMPLICIT, FIRST, SECOND]);
    assert_eq!(order(&["--order", &format!("{SECOND},{IMPLICIT}")]), [SECOND, FIRST, IMPLICIT]);
    assert_eq!(order(&["--order", &format!("{SECOND},{FIRST}")]), [IMPLICIT, SECOND, FIRST]);
    assert!(!sandbox.path("home/.local").exists() && !sandbox.path("home/.config").exists(), "nothing stays");
    // A loader that reads no settings file heeds the variable.
    let list = json(&sandbox, &["--order", &format!("{SECOND},{FIRST}")], &[named]);
    let changes = list["changes"].as_array().expect("changes").iter();
    let mut names = changes.filter(|change| change["variable"] == "VK_INSTANCE_LAYERS");
    assert_eq!(names.next().expect("a change")["value"], [SECOND, FIRST].join(":"));
    let output = layers(&sandbox, &["--order", "VK_LAYER_TEST_frist"], &[]);
    assert!(text(&output).contains("did you mean VK_LAYER_TEST_first?"), "{}", text(&output));
}
