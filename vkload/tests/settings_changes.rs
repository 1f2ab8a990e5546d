//! `vkload settings` as it changes the file: each change is read by the loaders that are installed, and taken back.

use crate::probe;
use crate::test_layers;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use ash::vk::PhysicalDeviceType;
use serde_json::Value;
use vkload_tests::{Device, Driver, Sandbox};

use probe::{Memory, SEALS, SIZE};
use test_layers::{FIRST, IMPLICIT, SECOND, WAITING};

const VKLOAD: &str = env!("CARGO_BIN_EXE_vkload");
const FILE: &str = "home/.local/share/vulkan/loader_settings.d/vk_loader_settings.json";
/// Loaders of Khronos: one that reads no settings file, and one that reads all of it. Each is tried if it is installed.
const OLD: &str = "/usr/lib/x86_64-linux-gnu/libvulkan.so.1";
const RECENT: &str = "/usr/lib/chromium/libvulkan.so.1";

/// Returns a machine with two drivers, one of them software, a layer that is active, one that waits for a variable, and two explicit ones.
fn machine() -> Sandbox {
    let sandbox = Sandbox::new();
    let gpu = |name: &str, bus: u32| {
        Device::new(name).kind(PhysicalDeviceType::DISCRETE_GPU).api("1.3.0").pci([0, bus, 0, 0])
    };
    let hard = Driver::new("hard").api("1.3.0").manifest_api("1.3.0");
    // The UUIDs of each driver's devices are numbers from one.
    hard.device(gpu("gpu zero", 1)).device(gpu("gpu one", 2)).device(gpu("gpu two", 3)).install(&sandbox);
    let soft = Driver::new("soft").api("1.3.0").manifest_api("1.3.0");
    soft.device(Device::new("software").api("1.3.0")).install(&sandbox);
    test_layers::install(&sandbox);
    sandbox
}

fn vkload(sandbox: &Sandbox, program: &Path, variables: &[(&str, &str)], arguments: &[&str]) -> Output {
    command(sandbox, program, variables, arguments).output().expect("vkload runs")
}

fn command(sandbox: &Sandbox, program: &Path, variables: &[(&str, &str)], arguments: &[&str]) -> Command {
    let mut vkload = Command::new(program);
    vkload.args(arguments).env_clear().envs(sandbox.environment()).env("PATH", "/usr/bin:/bin");
    vkload.env("XDG_RUNTIME_DIR", sandbox.path("out")).envs(variables.iter().copied());
    vkload
}

fn settings(sandbox: &Sandbox, arguments: &[&str]) -> Output {
    vkload(sandbox, Path::new(VKLOAD), &[], &[&["settings"], arguments].concat())
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// A program's layers in the order of calls, and its devices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Seen {
    layers: Vec<String>,
    devices: Vec<String>,
}

/// Returns the layers and devices of a program with these variables on a loader of Khronos.
fn seen(sandbox: &Sandbox, program: &Path, loader: &str, variables: &[(&str, &str)]) -> Seen {
    let subject = format!(r#"{{"subject": "loader", "library": "{loader}"}}"#);
    let memory = Memory::new(std::process::id(), &subject, SIZE, SEALS);
    let variables = [variables, &[("VK_LOADER_DEBUG", "layer")]].concat();
    let mut command = command(sandbox, program, &variables, &["vkload-probe"]);
    memory.pass_to(&mut command);
    let output = command.output().expect("vkload runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let inserted = said.lines().filter(|line| line.contains("nsert instance layer"));
    let mut layers: Vec<_> = inserted.filter_map(|line| line.split('"').nth(1)).map(str::to_owned).collect();
    layers.reverse();
    let told = memory.text();
    let names = told.split('{').filter(|line| line.contains("\"apiVersion\""));
    let name = |line: &str| Some(line.split("\"name\":\"").nth(1)?.split('"').next()?.to_owned());
    Seen { layers, devices: names.filter_map(name).collect() }
}

/// Returns the layers and devices of a program on this project's loader.
fn seen_on_own(sandbox: &Sandbox, program: &Path, variables: &[(&str, &str)]) -> Seen {
    let ask = |command: &[&str]| -> Value {
        let output = vkload(sandbox, program, variables, command);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", text(&output)))
    };
    let names = |list: &Value| -> Vec<String> {
        let all = list.as_array().expect("a list").iter();
        all.map(|it| it["name"].as_str().expect("a name").to_owned()).collect()
    };
    let chain = ask(&["chain", "--own", "--json"]);
    Seen { layers: names(&chain["layers"]), devices: names(&ask(&["info", "--own", "--json"])["devices"]) }
}

/// A change, and the layers and devices after it.
struct RoundTrip<'a> {
    /// The file's content before. `None`: it does not exist.
    before: Option<&'a str>,
    options: &'a [&'a str],
    variables: &'a [(&'a str, &'a str)],
    layers: &'a [&'a str],
    devices: &'a [&'a str],
}

impl RoundTrip<'_> {
    /// Makes the change, reads it with every loader, and takes it back.
    fn check(&self) {
        let sandbox = machine();
        let file = sandbox.path(FILE);
        if let Some(before) = self.before {
            sandbox.write(FILE, before);
        }
        let own = Path::new(VKLOAD);
        let old = Path::new(OLD).exists().then(|| seen(&sandbox, own, OLD, self.variables));
        let hard = sandbox.path("data/vulkan/icd.d/hard.json").display().to_string();
        let options: Vec<_> = self
            .options
            .iter()
            .map(|option| if *option == "HARD" { hard.as_str() } else { option })
            .collect();
        let what = format!("{options:?}");
        let output = settings(&sandbox, &options);
        assert!(output.status.code() < Some(2), "{what}: {}", text(&output));

        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let expected = Seen { layers: list(self.layers), devices: list(self.devices) };
        assert_eq!(seen_on_own(&sandbox, own, self.variables), expected, "{what}: {}", text(&output));
        if Path::new(RECENT).exists() {
            assert_eq!(seen(&sandbox, own, RECENT, self.variables), expected, "{what}: {}", text(&output));
        }
        if let Some(old) = old {
            assert_eq!(seen(&sandbox, own, OLD, self.variables), old, "{what}");
            assert!(text(&output).contains("reads no settings file"), "{what}: {}", text(&output));
        }

        let output = settings(&sandbox, &["--undo"]);
        assert!(output.status.success(), "{what}: {}", text(&output));
        assert_eq!(fs::read_to_string(&file).ok().as_deref(), self.before, "{what}");
        let left = fs::read_dir(sandbox.path("home")).map_or(0, Iterator::count);
        assert!(self.before.is_some() || left == 0, "{what}: folders stay");
    }
}

const ALL: &[&str] = &["gpu zero", "gpu one", "gpu two", "software"];
const BOTH: (&str, &str) = ("VK_INSTANCE_LAYERS", "VK_LAYER_TEST_first:VK_LAYER_TEST_second");
/// Settings as another tool may write them: with fields, numbers and line ends of its own.
const FOREIGN: &str = "{\r\n\t\"future\": [1.50, {\"b\": 1, \"a\": null}],\r\n\t\"file_format_version\": \"1.0.0\",\r\n\
    \t\"settings\": {\"stderr_log\": [], \"later\": \"\\u00e9\"}}";

#[test]
fn layers_are_turned_on_and_off() {
    let trip = RoundTrip { before: None, options: &[], variables: &[], layers: &[], devices: ALL };
    let on = format!("{FIRST}=on");
    RoundTrip { options: &["--layer", &on], layers: &[IMPLICIT, FIRST], ..trip }.check();
    let off = format!("{IMPLICIT}=off");
    RoundTrip { before: Some(FOREIGN), options: &["--layer", &off], ..trip }.check();
    let waiting = format!("{WAITING}=on");
    RoundTrip { options: &["--layer", &waiting, "--layer", &off], layers: &[WAITING], ..trip }.check();
}

#[test]
fn layers_are_called_in_the_order_that_is_asked_for() {
    let trip = RoundTrip { before: None, options: &[], variables: &[BOTH], layers: &[], devices: ALL };
    let order = format!("{SECOND},{FIRST}");
    RoundTrip { options: &["--order", &order], layers: &[IMPLICIT, SECOND, FIRST], ..trip }.check();
    let order = format!("{FIRST},{IMPLICIT}");
    let layers = &[FIRST, SECOND, IMPLICIT];
    RoundTrip { before: Some(FOREIGN), options: &["--order", &order], layers, ..trip }.check();
}

#[test]
fn devices_are_chosen_and_ordered() {
    let trip = RoundTrip { before: None, options: &[], variables: &[], layers: &[IMPLICIT], devices: &[] };
    RoundTrip { options: &["--device", "TWO"], devices: &["gpu two"], ..trip }.check();
    let options = &["--device", "two", "--device", "one"];
    RoundTrip { before: Some(FOREIGN), options, devices: &["gpu two", "gpu one"], ..trip }.check();
}

#[test]
fn drivers_are_chosen() {
    let devices = &["gpu zero", "gpu one", "gpu two"];
    let trip = RoundTrip { before: None, options: &[], variables: &[], layers: &[IMPLICIT], devices };
    RoundTrip { before: Some("{}"), options: &["--driver", "HARD"], ..trip }.check();
    RoundTrip { options: &["--only-hardware"], ..trip }.check();
    RoundTrip { options: &["--only-gpu", "discrete"], ..trip }.check();
    RoundTrip { options: &["--only-gpu", "GPU ONE"], ..trip }.check();
    let said = text(&settings(&machine(), &["--dry-run", "--only-gpu", "gpu one"]));
    assert!(said.contains("also serve gpu zero, gpu two, which programs still wake"), "{said}");
    let said = text(&settings(&machine(), &["--dry-run", "--only-gpu", "discrete"]));
    assert!(!said.contains("still wake"), "{said}");
    let said = text(&settings(&machine(), &["--dry-run", "--only-gpu", "integrated"]));
    assert!(said.contains("no driver has such a GPU"), "{said}");
}

#[test]
fn a_program_has_settings_of_its_own() {
    let sandbox = machine();
    let before = r#"{"file_format_version": "1.0.0", "settings": {"stderr_log": []}}"#;
    let file = sandbox.write(FILE, before);
    let program = sandbox.path("out/game");
    // Not by this process: another thread that starts a program would hold the file open for writing.
    assert!(Command::new("cp").arg(VKLOAD).arg(&program).status().expect("cp runs").success());
    let name = program.to_str().expect("UTF-8");
    let on = format!("{FIRST}=on");
    let output = settings(&sandbox, &["--program", name, "--layer", &on]);
    assert!(output.status.code() < Some(2), "{}", text(&output));
    for (program, layers) in [(program.as_path(), &[IMPLICIT, FIRST][..]), (Path::new(VKLOAD), &[IMPLICIT])] {
        assert_eq!(seen_on_own(&sandbox, program, &[]).layers, layers);
        if Path::new(RECENT).exists() {
            assert_eq!(seen(&sandbox, program, RECENT, &[]).layers, layers);
        }
        if Path::new(OLD).exists() {
            assert_eq!(seen(&sandbox, program, OLD, &[]).layers, [IMPLICIT]);
        }
    }
    assert!(settings(&sandbox, &["--undo"]).status.success());
    assert_eq!(fs::read_to_string(file).expect("the file"), before);
}

#[test]
fn what_it_does_not_understand_stays() {
    let sandbox = machine();
    let file = sandbox.write(FILE, FOREIGN);
    let off = format!("{IMPLICIT}=off");
    let output = settings(&sandbox, &["--layer", &off]);
    let after = fs::read_to_string(&file).expect("the file");
    for part in ["1.50", r#""b": 1"#, r#""a": null"#, r#""later": "\u00e9""#, r#""stderr_log": []"#] {
        assert!(after.contains(part), "{part}: {after}");
    }
    let said = text(&output);
    assert!(said.contains("  + ") && said.contains(r#""control": "off""#), "{said}");
    assert!(!said.contains("future"), "only what changes is shown: {said}");
    assert!(text(&settings(&sandbox, &["--layer", &off])).contains("says so already"));
}

#[test]
fn changes_are_taken_back_one_by_one_unless_someone_else_has_changed_the_file() {
    let sandbox = machine();
    let file = sandbox.path(FILE);
    for control in ["on", "off"] {
        assert!(settings(&sandbox, &["--layer", &format!("{FIRST}={control}")]).status.code() < Some(2));
    }
    let last = fs::read_to_string(&file).expect("the file");
    fs::write(&file, last.replace("off", "auto")).expect("a file");
    let output = settings(&sandbox, &["--undo"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output).contains("has changed since vkload wrote it"), "{}", text(&output));
    fs::write(&file, &last).expect("a file");
    assert!(settings(&sandbox, &["--undo"]).status.success());
    assert!(fs::read_to_string(&file).expect("the file").contains(r#""control": "on""#));
    assert!(settings(&sandbox, &["--undo"]).status.success());
    assert!(!file.exists());
    assert!(text(&settings(&sandbox, &["--undo"])).contains("no change"), "nothing is left");
}

#[test]
fn a_mistake_changes_nothing() {
    let sandbox = machine();
    let mistakes: [(&[&str], &str); 6] = [
        (&["--layer", "VK_LAYER_TEST_frist=on"], "did you mean VK_LAYER_TEST_first?"),
        (&["--layer", FIRST], "NAME=on"),
        (&["--device", "gpu"], "name its address or UUID"),
        (&["--device", "nothing"], "the devices are"),
        (&["--driver", "/nowhere.json"], "/nowhere.json"),
        (&["--program", "/nowhere", "--only-hardware"], "no file /nowhere"),
    ];
    for (options, words) in mistakes {
        let output = settings(&sandbox, options);
        assert_eq!(output.status.code(), Some(2), "{options:?}");
        assert!(text(&output).contains(words), "{options:?}: {}", text(&output));
    }
    let dry = settings(&sandbox, &["--dry-run", "--only-hardware"]);
    assert!(text(&dry).contains("additional_drivers_use_exclusively"), "{}", text(&dry));
    assert!(!sandbox.path("home/.local").exists());
    sandbox.write(FILE, "{");
    let output = settings(&sandbox, &["--only-hardware"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output).contains("is not valid JSON"), "{}", text(&output));
}
