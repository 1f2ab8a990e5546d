//! `vkload doctor` among drivers and layers that crash, hang, abort the process and more, at every stage, each together with a working
//! driver: the answer is complete, names each culprit and says that the other driver works.

use std::fs;
use std::process::{Command, Output};

use serde_json::{Value, json};
use vkload_tests::{Device, Driver, Layer, Sandbox};

/// Exports of a driver that does what its `.hostile` file says.
const HOSTILE_DRIVER: &[&str] = &["-DEXPORT_LOOKUP", "-DEXPORT_NEGOTIATE", "-DHOSTILE"];
const HOSTILE_LAYER: &[&str] = &["-DEXPORT_NEGOTIATE", "-DHOSTILE"];

/// How many seconds a trial may take where some hang, and where none does.
const SHORT: u64 = 1;
const LONG: u64 = 60;

/// A driver's misbehaviour: the command in which it happens, its name in `tests/hostile/misbehave.c`, and the stage and the ending that the
/// doctor reports. `None` if the driver otherwise works.
type Deed = (&'static str, &'static str, Option<(&'static str, fn() -> Value)>);

fn signal(number: i32) -> Value {
    json!({ "ended": "signal", "number": number, "library": true })
}

/// By a signal that leaves the library no chance to be seen.
fn unseen(number: i32) -> Value {
    json!({ "ended": "signal", "number": number, "library": null })
}

fn exited(code: i32) -> Value {
    json!({ "ended": "exited", "code": code })
}

fn hung() -> Value {
    json!({ "ended": "timedOut", "seconds": SHORT, "library": true })
}

fn hung_unseen() -> Value {
    json!({ "ended": "timedOut", "seconds": SHORT, "library": null })
}

/// Misbehaviour that kills a driver's process at once.
const ENDING: &[Deed] = &[
    ("load", "crash", Some(("open", || signal(11)))),
    ("vk_icdNegotiateLoaderICDInterfaceVersion", "abort", Some(("negotiate", || signal(6)))),
    ("vkEnumerateInstanceExtensionProperties", "trap", Some(("query", || signal(4)))),
    ("vkCreateInstance", "exit", Some(("createInstance", || exited(3)))),
    ("vkCreateInstance", "throw", Some(("createInstance", || signal(6)))),
    ("vkCreateInstance", "daemonize", Some(("createInstance", || exited(0)))),
    ("vkEnumeratePhysicalDevices", "_exit", Some(("enumerateDevices", || exited(4)))),
    ("vkEnumeratePhysicalDevices", "exit-0", Some(("enumerateDevices", || exited(0)))),
    ("vkGetPhysicalDeviceProperties", "free-twice", Some(("properties", || signal(6)))),
    ("vkGetPhysicalDeviceProperties", "quick_exit", Some(("properties", || exited(5)))),
    ("vkCreateDevice", "overflow", Some(("createDevice", || signal(11)))),
    ("vkCreateDevice", "overflow-in-thread", Some(("createDevice", || unseen(11)))),
    ("vkCreateDevice", "take-memory", Some(("createDevice", || signal(6)))),
    ("vkQueueSubmit", "crash-in-thread", Some(("submit", || signal(11)))),
    ("vkQueueSubmit", "kill", Some(("submit", || unseen(9)))),
    ("vkWaitForFences", "terminate", Some(("wait", || unseen(15)))),
    ("vkWaitForFences", "handle-by-exiting", Some(("wait", || exited(11)))),
    ("vkDestroyInstance", "crash", Some(("destroy", || signal(11)))),
];

/// Misbehaviour that continues until the time limit.
const HANGING: &[Deed] = &[
    ("load", "spin", Some(("open", hung))),
    ("vkCreateInstance", "deadlock", Some(("createInstance", hung))),
    ("vkEnumeratePhysicalDevices", "stop", Some(("enumerateDevices", hung))),
    ("vkCreateDevice", "handle-by-looping", Some(("createDevice", hung))),
    ("vkQueueSubmit", "print-without-end", Some(("submit", hung))),
    ("vkWaitForFences", "block-signals", Some(("wait", hung_unseen))),
];

/// Misbehaviour without effect on a driver's devices, which work.
const HARMLESS: &[Deed] = &[
    ("load", "print", None),
    ("load", "print-to-terminal", None),
    ("vkCreateInstance", "close-everything", None),
    ("vkEnumeratePhysicalDevices", "fork", None),
    ("vkCreateDevice", "fork-and-return", None),
    ("unload", "crash", Some(("unload", || signal(11)))),
    ("load", "crash-at-exit", Some(("exit", || signal(11)))),
];

/// Layer misbehaviour that kills the program's process.
const OF_LAYERS: &[Deed] = &[
    ("load", "exit-0", Some(("open", || exited(0)))),
    ("negotiate", "crash", Some(("negotiate", || signal(11)))),
    ("vkCreateInstance", "abort", Some(("createInstance", || signal(6)))),
    ("vkCreateDevice", "throw", Some(("createDevice", || signal(6)))),
    ("vkQueueSubmit", "crash", Some(("submit", || signal(11)))),
    ("vkDestroyInstance", "_exit", Some(("destroy", || exited(4)))),
    ("unload", "trap", Some(("unload", || signal(4)))),
];

/// A test case with these drivers and a good one.
struct World {
    sandbox: Sandbox,
    names: Vec<String>,
}

impl World {
    fn new(deeds: &[Deed]) -> Self {
        let sandbox = Sandbox::new();
        Driver::new("good").device(Device::new("good gpu")).install(&sandbox);
        let install = |(command, behaviour, _): &Deed| {
            let name = format!("{command}-{behaviour}");
            Driver::new(&name).exports(HOSTILE_DRIVER).device(Device::new("gpu")).install(&sandbox);
            misbehave(&sandbox, &name, command, behaviour);
            name
        };
        let names = deeds.iter().map(install).collect();
        Self { sandbox, names }
    }

    fn manifest(&self, name: &str) -> String {
        self.sandbox.path(format!("data/vulkan/icd.d/{name}.json")).display().to_string()
    }
}

fn misbehave(sandbox: &Sandbox, library: &str, command: &str, behaviour: &str) {
    sandbox.write(format!("lib/lib{library}.so.hostile"), format!("{command} {behaviour}\n"));
}

fn doctor(sandbox: &Sandbox, limit: u64, arguments: &[&str]) -> Output {
    let mut vkload = Command::new(env!("CARGO_BIN_EXE_vkload"));
    vkload
        .args(["doctor", "--timeout", &limit.to_string()])
        .args(arguments)
        .env_clear()
        .envs(sandbox.environment());
    vkload.output().expect("vkload runs")
}

/// Returns the answer in JSON and as text, which a recording gives without trying everything again.
fn answers(sandbox: &Sandbox, limit: u64) -> (Value, String) {
    let file = sandbox.path("out/recording.json").display().to_string();
    let output = doctor(sandbox, limit, &["--json", "--record", &file]);
    let json = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    (json, replay(&file))
}

fn replay(file: &str) -> String {
    let mut vkload = Command::new(env!("CARGO_BIN_EXE_vkload"));
    let output =
        vkload.args(["replay", file, "--show", "doctor", "--verbose"]).output().expect("vkload runs");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Returns the result of the driver or layer with this name.
fn trial<'a>(answer: &'a Value, list: &str, key: &str, name: &str) -> &'a Value {
    let all = answer[list].as_array().expect("trials");
    let found = all.iter().find(|one| one[key] == name);
    &found.unwrap_or_else(|| panic!("{name}: {answer:#}"))["trial"]
}

/// Returns the ending, with the name of the library's file replaced by whether it is this one.
fn ending(trial: &Value, library: &str) -> Value {
    let mut ending = trial["ending"].clone();
    if ending["library"].is_string() {
        ending["library"] = json!(ending["library"] == library);
    }
    ending
}

/// Checks the answers, in JSON and as text, in a test case with drivers that misbehave in these ways.
fn check(deeds: &[Deed], limit: u64) {
    let world = World::new(deeds);
    let (answer, text) = answers(&world.sandbox, limit);
    let good = trial(&answer, "drivers", "manifest", &world.manifest("good"));
    assert_eq!(good["ending"]["ended"], "finished", "{good:#}");
    for ((_, _, expected), name) in deeds.iter().zip(&world.names) {
        let manifest = world.manifest(name);
        let trial = trial(&answer, "drivers", "manifest", &manifest);
        let (stage, ended) = expected.map_or(("done", json!({ "ended": "finished" })), |it| (it.0, it.1()));
        assert_eq!(trial["stage"], stage, "{name}: {trial:#}");
        assert_eq!(ending(trial, &format!("lib{name}.so")), ended, "{name}");
        let said = answer["findings"].as_array().expect("findings").iter().any(|it| it["about"] == *manifest);
        assert_eq!(said, expected.is_some(), "{name}: {:#}", answer["findings"]);
        assert_eq!(text.contains(&manifest), expected.is_some(), "{name}: {text}");
    }
    // Programs get all drivers, and die with them.
    if answer["works"] == false {
        assert!(text.contains("; without "), "{text}");
    }
}

#[test]
fn drivers_that_crash_are_reported_with_stage_signal_and_library() {
    check(ENDING, LONG);
}

#[test]
fn drivers_that_hang_are_reported_after_the_time_limit() {
    check(HANGING, SHORT);
}

#[test]
fn drivers_whose_devices_work_are_used_whatever_else_they_do() {
    check(HARMLESS, LONG);
}

#[test]
fn layers_that_crash_and_exit_are_reported_one_by_one() {
    check_layers(OF_LAYERS, LONG);
}

#[test]
fn a_layer_that_hangs_is_reported_after_the_time_limit() {
    check_layers(&[("vkEnumeratePhysicalDevices", "spin", Some(("enumerateDevices", hung)))], SHORT);
}

/// Checks the answers in a test case with layers that misbehave in these ways.
fn check_layers(deeds: &[Deed], limit: u64) {
    let sandbox = Sandbox::new();
    Driver::new("good").device(Device::new("good gpu")).install(&sandbox);
    // The layer's variable contains its name.
    let name = |deed: &Deed| format!("{}_{}", deed.0, deed.1).replace('-', "_");
    for deed in deeds {
        Layer::new(&name(deed)).implicit().exports(HOSTILE_LAYER).install(&sandbox);
        misbehave(&sandbox, &name(deed), deed.0, deed.1);
    }
    let (answer, text) = answers(&sandbox, limit);
    let good = sandbox.path("data/vulkan/icd.d/good.json").display().to_string();
    assert_eq!(trial(&answer, "drivers", "manifest", &good)["ending"]["ended"], "finished", "{answer:#}");
    for deed in deeds {
        let (name, (stage, ended)) = (name(deed), deed.2.expect("an ending"));
        let trial = trial(&answer, "layers", "name", &name);
        assert_eq!(trial["stage"], stage, "{name}: {trial:#}");
        assert_eq!(ending(trial, &format!("lib{name}.so")), ended(), "{name}");
        let manifest =
            sandbox.path(format!("data/vulkan/implicit_layer.d/{name}.json")).display().to_string();
        let all = answer["findings"].as_array().expect("findings");
        // A finding names the driver or layer itself if removing it was seen to help.
        let finding = all.iter().find(|it| it["about"] == *manifest || it["about"] == *name);
        let finding = finding.unwrap_or_else(|| panic!("{name}: {answer:#}"));
        assert!(
            finding["next"].to_string().contains(&format!("NO_{name}")),
            "how to turn it off: {finding:#}"
        );
        assert!(text.contains(&manifest), "{name}: {text}");
    }
}

/// Returns a good driver, and a meta-layer of which the second component needs the first.
fn needy() -> Sandbox {
    let sandbox = Sandbox::new();
    Driver::new("good").device(Device::new("good gpu")).install(&sandbox);
    Layer::new("VK_LAYER_first").install(&sandbox);
    Layer::new("VK_LAYER_needy").exports(HOSTILE_LAYER).install(&sandbox);
    misbehave(&sandbox, "VK_LAYER_needy", "vkCreateInstance", "need-the-first-layer");
    let meta = r#"{"file_format_version": "1.1.1", "layer": {"name": "VK_LAYER_meta", "type": "GLOBAL",
        "api_version": "1.3.0", "implementation_version": "1", "description": "both",
        "component_layers": ["VK_LAYER_first", "VK_LAYER_needy"], "disable_environment": {"NO_META": "1"}}}"#;
    sandbox.write("data/vulkan/implicit_layer.d/meta.json", meta);
    sandbox
}

#[test]
fn a_layer_that_crashes_alone_is_not_an_error_and_a_meta_layer_is_not_tried() {
    let sandbox = needy();
    let (answer, _) = answers(&sandbox, LONG);
    let layers: Vec<_> = answer["layers"].as_array().expect("layers").iter().map(|it| &it["name"]).collect();
    assert_eq!(layers, ["VK_LAYER_first", "VK_LAYER_needy"], "{answer:#}");
    assert_eq!(trial(&answer, "layers", "name", "VK_LAYER_first")["stage"], "done", "{answer:#}");
    // If programs work, layers are only opened.
    assert_eq!(trial(&answer, "layers", "name", "VK_LAYER_needy")["stage"], "done", "{answer:#}");
    for finding in answer["findings"].as_array().expect("findings") {
        let of_layer = finding.to_string().contains("VK_LAYER");
        assert!(!of_layer || finding["severity"] == "warning", "{finding:#}");
    }
}

#[test]
fn a_layer_that_fails_above_the_built_in_driver_and_not_among_programs_is_not_mentioned() {
    let sandbox = needy();
    let (answer, _) = answers(&sandbox, LONG);
    if answer["loader"]["stage"] == "open" {
        return; // No loader for programs is installed here.
    }
    let file = sandbox.path("out/recording.json");
    let mut recording: Value = serde_json::from_slice(&fs::read(&file).expect("a file")).expect("JSON");
    let layers = recording["trials"]["layers"].as_array_mut().expect("layers");
    for layer in layers.iter_mut() {
        layer[1]["stage"] = json!("createInstance");
        layer[1]["ending"] = json!({ "ended": "result", "code": -7 });
    }
    fs::write(&file, recording.to_string()).expect("a file");
    let replayed = replay(&file.display().to_string());
    assert!(!replayed.contains("VK_LAYER_"), "{replayed}");
}

#[test]
fn a_drivers_output_is_in_its_trial_and_nowhere_else() {
    let world = World::new(&HARMLESS[..1]);
    let output = doctor(&world.sandbox, LONG, &["--json"]);
    assert!(output.stderr.is_empty(), "{output:?}");
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON, and nothing before or after it");
    let trial = trial(&answer, "drivers", "manifest", &world.manifest(&world.names[0]));
    assert_eq!(trial["printed"], json!([r#"{"printed": true}"#, "[31mred", "a driver's complaint"]));
}
