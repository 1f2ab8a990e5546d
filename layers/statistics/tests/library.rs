//! The layer, opened as loaders do, above real drivers: its counts match the programs' calls.

#[path = "../../../vkload/tests/schema/mod.rs"]
#[allow(dead_code, reason = "the tool's tests ask more of it")]
mod schema;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use schema::Schema;
use serde_json::Value;
use tempfile::TempDir;
use vkload_tests::programs::{CProgram, Library, Machine, Need, Output, Screen, VALIDATION, lavapipe, run};
use vkload_tests::skip_unless;

const NEEDS: &[Need] = &[Need::Compiler, Need::Lavapipe, Need::Distribution];

const DRIVERS: [fn() -> Machine; 2] = [Machine::with_null_driver, || Machine::with_drivers(&[lavapipe()])];

const LOADERS: [fn() -> Library; 2] = [Library::under_test, Library::distribution];

/// The calls of `counted.c`: a command, its calls, their bytes, and how many threads call it.
const COUNTED: [(&str, u64, u64, u64); 12] = [
    ("vkCreateInstance", 1, 0, 1),
    ("vkEnumeratePhysicalDevices", 1, 0, 1),
    ("vkCreateDevice", 1, 0, 1),
    ("vkAllocateMemory", 2, 2 * 65_536, 2),
    ("vkMapMemory", 2, 2 * 4096, 2),
    ("vkCmdUpdateBuffer", 200, 200 * 64, 2),
    ("vkCmdPushConstants", 20, 20 * 16, 2),
    ("vkQueueSubmit", 2, 0, 2),
    ("vkQueueWaitIdle", 2, 0, 2),
    ("vkDestroyBuffer", 2, 0, 2),
    ("vkDestroyDevice", 1, 0, 1),
    ("vkDestroyInstance", 1, 0, 1),
];

/// The layer, installed in a folder, with its output.
struct Layer(TempDir);

impl Layer {
    fn install() -> Self {
        let folder = tempfile::Builder::new().prefix("vkload-statistics-").tempdir().expect("a folder");
        let tests = std::env::current_exe().expect("the path of this test");
        let library = tests.with_file_name("libVkLayer_vkload_statistics.so");
        assert!(library.exists(), "there is no {}", library.display());
        let manifest = include_str!("../VkLayer_vkload_statistics.json")
            .replace("./libVkLayer_vkload_statistics.so", library.to_str().expect("a path in UTF-8"));
        fs::write(folder.path().join("layer.json"), manifest).expect("a manifest");
        Self(folder)
    }

    /// Activates it for a program, together with other layers.
    fn activate(&self, command: &mut Command, layers: &str) {
        self.offer(command.env("VK_INSTANCE_LAYERS", layers));
        command
            .env("VKLOAD_STATISTICS", "json,trace")
            .env("VKLOAD_STATISTICS_FILE", self.0.path().join("out"));
    }

    /// Lets a program name it.
    fn offer<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.env("VK_ADD_LAYER_PATH", self.0.path())
    }

    fn file(&self, ending: &str) -> PathBuf {
        self.0.path().join(format!("out.{ending}"))
    }

    fn written(&self, ending: &str) -> Value {
        let text = fs::read_to_string(self.file(ending)).expect("a report");
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }
}

const STATISTICS: &str = "VK_LAYER_VKLOAD_statistics";

fn counted(layer: &Layer, machine: &Machine, library: &Library, how: &str, layers: &str) -> Output {
    let program = CProgram::compile("counted", library, &[]);
    let mut command = program.command(machine, library);
    layer.activate(command.arg(how), layers);
    run(&mut command)
}

/// Calls, bytes and threads by command.
fn counts(report: &Value) -> BTreeMap<String, (u64, u64, u64)> {
    let number = |row: &Value, name: &str| row[name].as_u64().unwrap();
    let rows = report["commands"].as_array().expect("rows");
    rows.iter()
        .map(|row| {
            let numbers = (number(row, "calls"), number(row, "bytes"), number(row, "threads"));
            (row["command"].as_str().unwrap().to_owned(), numbers)
        })
        .collect()
}

#[test]
fn counts_are_exact_on_two_threads_under_both_loaders() {
    skip_unless!(NEEDS);
    for (driver, library) in DRIVERS.iter().flat_map(|driver| LOADERS.map(|library| (driver, library()))) {
        let layer = Layer::install();
        let output = counted(&layer, &driver(), &library, "end", STATISTICS);
        assert_eq!((output.stderr.as_str(), output.status.success()), ("", true));
        let report = layer.written("json");
        assert_eq!(Schema::read("../docs/schemas/statistics.schema.json").problem(&report), None);
        let counts = counts(&report);
        for (command, calls, bytes, threads) in COUNTED {
            assert_eq!(counts.get(command), Some(&(calls, bytes, threads)), "{command}: {report:#}");
        }
        assert_eq!(report["total"]["threads"], 3);
        let sum = |name: &str| -> u64 {
            report["commands"].as_array().unwrap().iter().map(|row| row[name].as_u64().unwrap()).sum()
        };
        assert_eq!(report["total"]["calls"], sum("calls"));
        assert_eq!(report["total"]["time_ns"], sum("time_ns"));
        let times: Vec<_> =
            report["commands"].as_array().unwrap().iter().map(|row| &row["time_ns"]).collect();
        assert!(times.is_sorted_by_key(|time| std::cmp::Reverse(time.as_u64())), "{times:?}");
    }
}

#[test]
fn each_thread_has_its_own_part_of_the_report() {
    skip_unless!(NEEDS);
    let layer = Layer::install();
    let _ =
        counted(&layer, &Machine::with_null_driver(), &Library::under_test(), "end", STATISTICS).success();
    let report = layer.written("json");
    let calls = |thread: &Value, name: &str| {
        let rows = thread["commands"].as_array().unwrap();
        rows.iter().find(|row| row["command"] == name).map_or(0, |row| row["calls"].as_u64().unwrap())
    };
    let threads = report["threads"].as_array().unwrap();
    let mut updates: Vec<_> = threads.iter().map(|thread| calls(thread, "vkCmdUpdateBuffer")).collect();
    updates.sort_unstable();
    assert_eq!(updates, [0, 100, 100]);
    assert!(threads.iter().all(|thread| thread["name"] == "counted"), "{report:#}");
}

#[test]
fn a_program_that_destroys_nothing_gets_its_report_when_it_exits() {
    skip_unless!(NEEDS);
    for library in LOADERS {
        let layer = Layer::install();
        let _ = counted(&layer, &Machine::with_null_driver(), &library(), "leave", STATISTICS).success();
        let counts = counts(&layer.written("json"));
        assert_eq!(counts.get("vkCmdUpdateBuffer"), Some(&(200, 12_800, 2)));
        assert_eq!(counts.get("vkDestroyInstance"), None);
    }
}

#[test]
fn instances_and_devices_that_exist_at_once_go_their_own_ways() {
    skip_unless!(NEEDS);
    for (driver, library) in DRIVERS.iter().flat_map(|driver| LOADERS.map(|library| (driver, library()))) {
        let layer = Layer::install();
        let _ = counted(&layer, &driver(), &library, "twice", STATISTICS).success();
        let counts = counts(&layer.written("json"));
        assert_eq!(counts.get("vkCreateDevice"), Some(&(2, 0, 1)));
        assert_eq!(counts.get("vkCmdUpdateBuffer"), Some(&(200, 12_800, 2)));
        assert_eq!(counts.get("vkDestroyInstance"), Some(&(2, 0, 1)), "the report comes with the last one");
    }
}

#[test]
fn the_validation_layer_has_nothing_to_say_above_or_below() {
    skip_unless!(NEEDS);
    skip_unless!(&[Need::Layer(&VALIDATION)]);
    let (above, below) =
        (format!("{}:{STATISTICS}", VALIDATION.name), format!("{STATISTICS}:{}", VALIDATION.name));
    for (library, layers) in LOADERS.iter().flat_map(|library| [(library(), &above), (library(), &below)]) {
        let layer = Layer::install();
        let machine = Machine::with_drivers(&[lavapipe()]).with_layers(&[&VALIDATION]);
        let output = counted(&layer, &machine, &library, "end", layers);
        assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("", ""), "{layers}");
        assert!(output.status.success());
        assert_eq!(counts(&layer.written("json")).get("vkCmdUpdateBuffer"), Some(&(200, 12_800, 2)));
    }
}

#[test]
fn events_of_a_trace_nest_and_are_as_many_as_the_calls() {
    skip_unless!(NEEDS);
    let layer = Layer::install();
    let _ =
        counted(&layer, &Machine::with_null_driver(), &Library::under_test(), "end", STATISTICS).success();
    let trace = layer.written("trace.json");
    let mut tracks = BTreeMap::<u64, Vec<(f64, f64)>>::new();
    let events = trace["traceEvents"].as_array().unwrap();
    for event in events.iter().filter(|event| event["ph"] == "X") {
        let (start, time) = (event["ts"].as_f64().unwrap(), event["dur"].as_f64().unwrap());
        tracks.entry(event["tid"].as_u64().unwrap()).or_default().push((start, start + time));
    }
    let count: usize = tracks.values().map(Vec::len).sum();
    assert_eq!(layer.written("json")["total"]["calls"], count);
    assert_eq!((tracks.len(), &trace["otherData"]["dropped_events"]), (3, &Value::from("0")));
    for track in tracks.values_mut() {
        track.sort_by(|one, other| one.0.total_cmp(&other.0).then(other.1.total_cmp(&one.1)));
        let mut open = Vec::<f64>::new();
        for (start, end) in track {
            // The format's precision is a thousandth of a microsecond; sums of such numbers are not exact.
            open.retain(|until| *until > *start + 0.0001);
            assert!(open.last().is_none_or(|until| *end <= *until + 0.0001), "{start} to {end} in {open:?}");
            open.push(*end);
        }
    }
}

#[test]
fn a_trace_is_cut_at_the_limit_and_reports_the_rest() {
    skip_unless!(NEEDS);
    let (layer, machine, library) = (Layer::install(), Machine::with_null_driver(), Library::under_test());
    let program = CProgram::compile("counted", &library, &[]);
    let mut command = program.command(&machine, &library);
    layer.activate(command.arg("end").env("VKLOAD_STATISTICS_EVENTS", "5"), STATISTICS);
    let _ = run(&mut command).success();
    let trace = layer.written("trace.json");
    let events = trace["traceEvents"].as_array().unwrap();
    assert_eq!(events.iter().filter(|event| event["ph"] == "X").count(), 3 * 5);
    let calls = layer.written("json")["total"]["calls"].as_u64().unwrap();
    assert_eq!(trace["otherData"]["dropped_events"], (calls - 15).to_string());
}

/// Runs `layer_settings.c`, whose instances want files that begin with `names`.
fn with_settings(layer: &Layer, library: &Library, names: &[&str]) -> Output {
    let (program, machine) = (CProgram::compile("layer_settings", library, &[]), Machine::with_null_driver());
    let mut command = program.command(&machine, library);
    // Debian 12's loader is older than VK_EXT_layer_settings, and refuses extensions that it does not know.
    command.env("VK_LOADER_DISABLE_INST_EXT_FILTER", "1");
    command.args(names.iter().map(|name| layer.0.path().join(name)));
    run(layer.offer(&mut command))
}

#[test]
fn a_program_says_what_is_written_and_where_under_both_loaders() {
    skip_unless!(NEEDS);
    for library in LOADERS.map(|library| library()) {
        let layer = Layer::install();
        let output = with_settings(&layer, &library, &["out"]);
        assert_eq!((output.stderr.as_str(), output.status.success()), ("", true), "no table was asked for");
        assert_eq!(counts(&layer.written("json")).get("vkEnumeratePhysicalDevices"), Some(&(10, 0, 1)));
        let trace = layer.written("trace.json");
        let events = trace["traceEvents"].as_array().unwrap();
        assert_eq!(events.iter().filter(|event| event["ph"] == "X").count(), 3);
    }
}

#[test]
fn the_users_settings_override_the_programs() {
    skip_unless!(NEEDS);
    let (layer, machine, library) = (Layer::install(), Machine::with_null_driver(), Library::under_test());
    let program = CProgram::compile("layer_settings", &library, &[]);
    let mut command = program.command(&machine, &library);
    layer.offer(command.arg(layer.0.path().join("program"))).env("VKLOAD_STATISTICS", "table");
    let output = run(command.env("VKLOAD_STATISTICS_FILE", layer.0.path().join("out")));
    assert_eq!((output.stderr.as_str(), output.status.success()), ("", true));
    assert!(layer.file("txt").exists() && !layer.file("json").exists());
    assert!(!layer.0.path().join("program.json").exists());
}

#[test]
fn settings_of_the_first_instance_are_those_of_the_process() {
    skip_unless!(NEEDS);
    let layer = Layer::install();
    let library = Library::under_test();
    let output = with_settings(&layer, &library, &["out", "out", "other"]);
    assert_eq!(output.stderr.lines().count(), 1, "only the third wants something else: {}", output.stderr);
    assert!(output.stderr.contains("settings of an instance are ignored"), "{}", output.stderr);
    assert_eq!(counts(&layer.written("json")).get("vkCreateInstance"), Some(&(3, 0, 1)));
    assert!(!layer.0.path().join("other.json").exists());
}

/// The program itself checks counts and capacities.
#[test]
fn the_layer_is_among_the_tools_under_both_loaders() {
    skip_unless!(NEEDS);
    let version = env!("CARGO_PKG_VERSION");
    let tool = |command: &str| {
        format!("{command}: vkload statistics, purposes 6, of layer {STATISTICS}, version {version}\n")
    };
    let expected = format!(
        "{}{}instance extension VK_EXT_layer_settings\ndevice extension VK_EXT_tooling_info\n",
        tool("vkGetPhysicalDeviceToolProperties"),
        tool("vkGetPhysicalDeviceToolPropertiesEXT")
    );
    for (driver, library) in DRIVERS.iter().flat_map(|driver| LOADERS.map(|library| (driver, library()))) {
        let (layer, machine) = (Layer::install(), driver());
        let program = CProgram::compile("tools", &library, &[]);
        let mut command = program.command(&machine, &library);
        layer.activate(command.arg(STATISTICS), STATISTICS);
        assert_eq!(run(&mut command).success(), expected);
        assert_eq!(
            counts(&layer.written("json")).get("vkGetPhysicalDeviceToolPropertiesEXT"),
            Some(&(4, 0, 1)),
            "without room for any, and with room for 0 to 2"
        );
    }
}

#[test]
fn the_layer_comes_after_the_tools_below_it() {
    skip_unless!(NEEDS);
    skip_unless!(&[Need::Layer(&VALIDATION)]);
    for library in LOADERS.map(|library| library()) {
        let (layer, program) = (Layer::install(), CProgram::compile("tools", &library, &[]));
        let machine = Machine::with_drivers(&[lavapipe()]).with_layers(&[&VALIDATION]);
        let mut command = program.command(&machine, &library);
        layer.activate(&mut command, &format!("{STATISTICS}:{}", VALIDATION.name));
        let listed = run(&mut command).success();
        let layers: Vec<_> = listed
            .lines()
            .filter_map(|line| line.strip_prefix("vkGetPhysicalDeviceToolPropertiesEXT: "))
            .filter_map(|line| line.split(", ").nth(2))
            .collect();
        let of = |name: &str| format!("of layer {name}");
        assert_eq!(layers, [of(VALIDATION.name), of(STATISTICS)], "{listed}");
    }
}

#[test]
fn vkcube_draws_and_its_pictures_are_counted() {
    skip_unless!(&[Need::Lavapipe, Need::Program("Xvfb"), Need::Program("vkcube"), Need::Distribution]);
    let screen = Screen::start();
    for library in LOADERS.map(|library| library()) {
        let layer = Layer::install();
        let machine = Machine::with_drivers(&[lavapipe()]).with_display(screen.display());
        let mut command = machine.command(&library, "vkcube");
        layer.activate(command.args(["--c", "60"]), STATISTICS);
        let output = run(command.env_remove("VKLOAD_STATISTICS").env_remove("VKLOAD_STATISTICS_FILE"));
        assert!(output.status.success(), "{output:?}");
        let row = |name: &str| -> Vec<String> {
            let line = output.stderr.lines().find(|line| line.split_whitespace().next() == Some(name));
            line.unwrap_or_default().split_whitespace().map(str::to_owned).collect()
        };
        assert_eq!(row("vkQueuePresentKHR")[1], "60", "{}", output.stderr);
        assert_eq!((row("command").len(), row("total").len()), (10, 7), "{}", output.stderr);
    }
}
