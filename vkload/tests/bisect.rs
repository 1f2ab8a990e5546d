//! `vkload bisect` as a user meets it. The program is `vkload devices`, which fails if the loader with its layers lists no device.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::{Value, json};
use vkload_tests::{Device, Driver, Layer, Sandbox, library_under_test};

const VKLOAD: &str = env!("CARGO_BIN_EXE_vkload");
const SETTINGS: &str = "data/vulkan/loader_settings.d/vk_loader_settings.json";

fn name(number: u32) -> String {
    format!("VK_LAYER_TEST_{number}")
}

/// Returns a machine with a driver.
fn machine() -> Sandbox {
    let sandbox = Sandbox::new();
    Driver::new("good").device(Device::new("gpu")).install(&sandbox);
    sandbox
}

/// Returns a machine with a driver and eight implicit layers.
fn with_layers() -> Sandbox {
    let sandbox = machine();
    (0..8).for_each(|number| drop(Layer::new(&name(number)).implicit().install(&sandbox)));
    sandbox
}

/// Installs a layer that crashes in vkCreateInstance, as it is `described`, and gives the path of its manifest.
fn crashing(sandbox: &Sandbox, name: &str, described: impl Fn(Layer) -> Layer) -> PathBuf {
    sandbox.write(format!("lib/lib{name}.so.hostile"), "vkCreateInstance crash\n");
    described(Layer::new(name)).exports(&["-DEXPORT_NEGOTIATE", "-DHOSTILE"]).install(sandbox)
}

fn bisect(sandbox: &Sandbox, options: &[&str], program: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut vkload = Command::new(VKLOAD);
    vkload.arg("bisect").args(options).arg("--").args(program);
    vkload.env_clear().envs(sandbox.environment()).env("PATH", "/usr/bin:/bin");
    vkload.env("XDG_RUNTIME_DIR", sandbox.path("out")).envs(variables.iter().copied());
    vkload.output().expect("vkload runs")
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn answer(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", text(output)))
}

/// Returns a program that makes an instance, and fails if it has these layers. Each layer that is opened writes a trace.
fn fails_with(sandbox: &Sandbox, layers: &[&str]) -> String {
    let traces = sandbox.path("out");
    let trace = |layer: &&str| format!("test -e {}/{layer}.trace", traces.display());
    let all: Vec<_> = layers.iter().map(trace).collect();
    let is_there = if all.is_empty() { "false".to_owned() } else { all.join(" && ") };
    format!(
        "rm -f {}/*.trace; {VKLOAD} devices >{}/devices 2>&1 || exit 9; if {is_there}; then echo oh no >&2; exit 3; fi",
        traces.display(),
        traces.display()
    )
}

#[test]
fn the_one_of_eight_layers_that_crashes_is_named_with_how_to_turn_it_off() {
    let sandbox = with_layers();
    let guilty = name(5);
    crashing(&sandbox, &guilty, Layer::implicit);
    let output = bisect(&sandbox, &[], &[VKLOAD, "devices"], &[]);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.starts_with(&format!("{guilty} breaks vkload.\n")), "{said}");
    assert!(said.contains("exits with code 1"), "{said}");
    assert!(said.contains(&format!("  {guilty} is implicit: active in every program.\n")), "{said}");
    assert!(said.contains(&format!("  -> export NO_{guilty}=1\n")), "{said}");
    assert!(said.contains(&format!("implicit_layer.d/{guilty}.json\n")), "{said}");
    assert!(!said.contains("gpu"), "the program's output does not belong here: {said}");

    let answer = answer(&bisect(&sandbox, &["--json"], &[VKLOAD, "devices"], &[]));
    assert_eq!(answer["result"], "found");
    assert_eq!(answer["culprits"], json!([[guilty]]));
    let runs = answer["runs"].as_array().expect("runs");
    assert!(runs.len() <= 9, "two, two for each halving and one at most: {answer:#}");
    assert_eq!(runs[0]["ended"]["how"], "exited");
    assert_eq!(runs[0]["layers"].as_array().map(Vec::len), Some(8));
    assert_eq!(runs[1]["layers"], json!([]));
    assert_eq!(runs[1]["failed"], false);
}

#[test]
fn layers_that_fail_only_together_are_named_with_the_programs_output() {
    let sandbox = with_layers();
    let script = fails_with(&sandbox, &[&name(1), &name(6)]);
    let output = bisect(&sandbox, &[], &["sh", "-c", &script], &[]);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.starts_with(&format!("{} with {} breaks sh.\n", name(1), name(6))), "{said}");
    assert!(said.contains("together sh exits with code 3. Turn off one of them."), "{said}");
    assert!(said.contains("    oh no\n"), "{said}");
    for number in [1, 6] {
        assert!(said.contains(&format!("  -> export NO_{}=1\n", name(number))), "{said}");
    }
}

#[test]
fn each_of_two_layers_that_fail_alone_is_named() {
    let sandbox = with_layers();
    for number in [0, 7] {
        crashing(&sandbox, &name(number), Layer::implicit);
    }
    let answer = answer(&bisect(&sandbox, &["--json"], &[VKLOAD, "devices"], &[]));
    assert_eq!(answer["culprits"], json!([[name(0)], [name(7)]]), "{answer:#}");
}

#[test]
fn that_nothing_fails_is_said() {
    let sandbox = with_layers();
    let output = bisect(&sandbox, &[], &["sh", "-c", &fails_with(&sandbox, &[])], &[]);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.starts_with("sh works with all 8 active layers.\n"), "{said}");
    assert!(said.contains("vkload bisect --repeat 10 -- sh -c '"), "{said}");
    let output = bisect(&machine(), &["--json"], &["true"], &[]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(answer(&output)["runs"].as_array().map(Vec::len), Some(1), "{}", text(&output));
}

#[test]
fn a_program_that_also_fails_without_layers_is_recognised() {
    let output = bisect(&with_layers(), &[], &["sh", "-c", "echo for another reason; exit 4"], &[]);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.starts_with("sh fails even without layers: it exits with code 4.\n"), "{said}");
    assert!(
        said.contains("    for another reason\n") && said.contains("-> vkload doctor -- sh -c '"),
        "{said}"
    );
    let asks = "echo '[Vulkan Loader] ERROR: the application asks for the layer VK_LAYER_x: is not installed'; exit 4";
    let output = bisect(&with_layers(), &[], &["sh", "-c", asks], &[]);
    let said = text(&output);
    assert!(said.contains("It asks for the layer VK_LAYER_x, which is not here.\n"), "{said}");
    let output = bisect(&machine(), &["--json"], &["sh", "-c", "kill -9 $$"], &[]);
    assert_eq!(output.status.code(), Some(1));
    let answer = answer(&output);
    assert_eq!(answer["result"], "fails-without-layers");
    assert_eq!(
        answer["runs"][0]["ended"],
        json!({"how": "signal", "number": 9, "words": "crashes (SIGKILL)"})
    );
}

#[test]
fn a_program_that_does_not_end_fails_unless_it_is_meant_to_go_on() {
    let sandbox = machine();
    let output = bisect(&sandbox, &["--timeout", "1"], &["sleep", "600"], &[]);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output);
    assert!(
        said.contains("is still running after 1 s") && said.contains("--runs-for 10 -- sleep 600"),
        "{said}"
    );
    let output = bisect(&sandbox, &["--runs-for", "1"], &["sleep", "600"], &[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let output = bisect(&sandbox, &["--runs-for", "600"], &["false"], &[]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
}

#[test]
fn a_program_that_fails_sometimes_is_repeated() {
    let sandbox = machine();
    Layer::new(&name(0)).implicit().install(&sandbox);
    // With the layer, every third run fails.
    let (count, traces) = (sandbox.path("out/count"), sandbox.path("out"));
    let script = format!(
        "rm -f {0}/*.trace; {VKLOAD} info >{0}/info; test -e {0}/{1}.trace || exit 0; echo >>{2}; test $(($(wc -l <{2}) % 3)) != 0",
        traces.display(),
        name(0),
        count.display()
    );
    assert_eq!(
        answer(&bisect(&sandbox, &["--json"], &["sh", "-c", &script], &[]))["result"],
        "nothing-fails"
    );
    fs::remove_file(&count).expect("the count");
    let answer = answer(&bisect(&sandbox, &["--json", "--repeat", "3"], &["sh", "-c", &script], &[]));
    assert_eq!(answer["culprits"], json!([[name(0)]]), "{answer:#}");
}

#[test]
fn layers_that_variables_enable_are_left_out_by_name_and_by_pattern() {
    let sandbox = machine();
    (0..4).for_each(|number| drop(Layer::new(&name(number)).install(&sandbox)));
    crashing(&sandbox, &name(4), |layer| layer.implicit().field("enable_environment", r#"{"WANT": "1"}"#));
    let found = |variables: &[(&str, &str)], script: &str| {
        let answer = answer(&bisect(&sandbox, &["--json"], &["sh", "-c", script], variables));
        (answer["layers"].as_array().map(Vec::len).unwrap_or(0), answer["culprits"].clone())
    };
    let names = [name(0), name(1), name(2)].join(":");
    let second = fails_with(&sandbox, &[&name(1)]);
    assert_eq!(found(&[("VK_INSTANCE_LAYERS", &names)], &second), (3, json!([[name(1)]])));
    let pattern = ("VK_LOADER_LAYERS_ENABLE", "*test_1,*test_0,*TEST_3");
    assert_eq!(found(&[pattern], &second), (3, json!([[name(1)]])));
    let all = ("VK_LOADER_LAYERS_ENABLE", "~all~");
    assert_eq!(found(&[all], &fails_with(&sandbox, &[])), (5, json!([[name(4)]])));
    assert_eq!(found(&[("WANT", "1")], &fails_with(&sandbox, &[])), (1, json!([[name(4)]])));
}

/// Returns an implicit layer as text, with these fields.
fn implicit(name: &str, more: &str) -> String {
    format!(
        r#"{{"file_format_version": "1.2.0", "layer": {{"name": "{name}", "type": "GLOBAL", "api_version": "1.3.0",
        "implementation_version": "1", "description": "a layer", {more}}}}}"#
    )
}

#[test]
fn of_two_layers_with_one_variable_only_the_guilty_one_is_left_out() {
    let sandbox = machine();
    let text = |number| {
        implicit(&name(number), r#""library_path": "LIBRARY", "disable_environment": {"NO_BOTH": "1"}"#)
    };
    Layer::new(&name(0)).implicit().manifest(&text(0)).install(&sandbox);
    crashing(&sandbox, &name(1), |layer| layer.implicit().manifest(&text(1)));
    let answer = answer(&bisect(&sandbox, &["--json"], &[VKLOAD, "devices"], &[]));
    assert_eq!(answer["culprits"], json!([[name(1)]]), "{answer:#}");
}

#[test]
fn a_part_of_a_meta_layer_is_left_out_alone() {
    let sandbox = machine();
    for number in [0, 2] {
        Layer::new(&name(number)).install(&sandbox);
    }
    crashing(&sandbox, &name(1), |layer| layer);
    let parts = [name(0), name(1), name(2)];
    let meta = format!(r#""component_layers": {}, "disable_environment": {{"NO_META": "1"}}"#, json!(parts));
    sandbox.write("data/vulkan/implicit_layer.d/meta.json", implicit("VK_LAYER_TEST_meta", &meta));
    let answer = answer(&bisect(&sandbox, &["--json"], &[VKLOAD, "devices"], &[]));
    assert_eq!(answer["culprits"], json!([[name(1)]]), "{answer:#}");
    assert_eq!(answer["layers"][1]["off"], format!("export VK_LOADER_LAYERS_DISABLE={}", name(1)));
    // This variable overrides the one that would leave them out.
    let output = bisect(&sandbox, &[], &[VKLOAD, "devices"], &[("VK_LOADER_LAYERS_ALLOW", "*")]);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains(&format!("{} was active in every run", name(1))), "{said}");
}

#[test]
fn a_layer_that_the_settings_file_turns_on_is_left_out_and_the_users_configuration_stays() {
    let sandbox = machine();
    let good = Layer::new(&name(0)).folder("layers").install(&sandbox);
    let bad = crashing(&sandbox, &name(1), |layer| layer.folder("layers"));
    let entry = |number, path: &std::path::Path| json!({"name": name(number), "path": path, "control": "on"});
    let settings =
        |layers: Value| json!({"file_format_version": "1.0.0", "settings": {"layers": layers}}).to_string();
    sandbox.write(SETTINGS, settings(json!([entry(0, &good), entry(1, &bad)])));
    sandbox.write("home/.config/program.conf", "kept");
    let script = format!("test -e ${{XDG_CONFIG_HOME:-$HOME/.config}}/program.conf && {VKLOAD} devices");
    let folder = sandbox.path("loader");
    fs::create_dir(&folder).expect("a folder");
    symlink(library_under_test(), folder.join("libvulkan.so.1")).expect("a link");
    let reads_settings = [("LD_LIBRARY_PATH", folder.to_str().expect("UTF-8"))];
    let output = bisect(&sandbox, &[], &["sh", "-c", &script], &reads_settings);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.starts_with(&format!("{} breaks sh.\n", name(1))), "{said}");
    let file = sandbox.path(SETTINGS);
    assert!(said.contains(&format!("enabled by the settings file {}", file.display())), "{said}");
    assert!(said.contains(&format!("change \"control\" of {} from \"on\" to \"off\"", name(1))), "{said}");
}

#[test]
fn unrunnable_programs_are_reported() {
    let sandbox = machine();
    let missing = bisect(&sandbox, &[], &["no-such-program-here"], &[]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(&missing).contains("no program no-such-program-here"), "{}", text(&missing));
    assert_eq!(Command::new(VKLOAD).arg("bisect").output().expect("vkload runs").status.code(), Some(2));
}
