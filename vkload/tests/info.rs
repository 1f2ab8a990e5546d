//! `vkload info` as a user meets it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use ash::vk;
use serde_json::Value;
use vkload_tests::{Device, Driver, Layer, Sandbox};

/// Runs `vkload` where `drivers` is the only folder with drivers.
fn vkload(drivers: &Path, arguments: &[&str]) -> Output {
    let mut vkload = Command::new(env!("CARGO_BIN_EXE_vkload"));
    vkload
        .args(arguments)
        .arg("--own")
        .env("VK_DRIVER_FILES", drivers)
        .env_remove("VK_LOADER_DRIVERS_SELECT");
    vkload.env_remove("VK_LOADER_DRIVERS_DISABLE").output().expect("vkload runs")
}

fn json(drivers: &Path) -> Value {
    serde_json::from_slice(&vkload(drivers, &["--json"]).stdout).expect("JSON")
}

#[test]
fn with_no_driver_it_says_why_and_ends_with_0_since_that_is_an_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = vkload(folder.path(), &[]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("\nDrivers\n  none\n"), "{text}");
    assert!(text.contains("here: VK_DRIVER_FILES is"), "{text}");
    assert!(!text.contains("Install a driver"), "the variable hides what is installed: {text}");
    assert!(output.stderr.is_empty(), "everything is said once: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn every_manifest_is_listed_with_the_reason_why_it_is_not_used() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a.json"), "{").expect("a file");
    fs::create_dir(folder.path().join("b.json")).expect("a folder");
    let report = json(folder.path());
    let drivers = report["drivers"].as_array().expect("drivers");
    assert_eq!(drivers.len(), 2, "{report:#}");
    for driver in drivers {
        assert_eq!(driver["used"], false, "{report:#}");
        assert_eq!(driver["foundBy"], "VK_DRIVER_FILES");
        assert_ne!(driver["remark"], "");
    }
    assert!(
        report["problem"]["reason"].as_str().expect("a reason").contains("VK_DRIVER_FILES"),
        "{report:#}"
    );
}

/// Runs `vkload info --json` on a machine with these drivers.
fn report_on(drivers: &[Driver]) -> Value {
    let sandbox = Sandbox::new();
    for driver in drivers {
        driver.install(&sandbox);
    }
    let mut vkload = Command::new(env!("CARGO_BIN_EXE_vkload"));
    let output = vkload
        .args(["--own", "--json"])
        .env_clear()
        .envs(sandbox.environment())
        .output()
        .expect("vkload runs");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn the_outcome_of_creating_an_instance_is_reported_for_each_driver() {
    let report = report_on(&[
        Driver::new("a-good").device(Device::new("gpu")).device(Device::new("other gpu")),
        Driver::new("b-empty"),
        Driver::new("c-failing").result("vkCreateInstance", vk::Result::ERROR_INITIALIZATION_FAILED),
        Driver::new("d-mute").result("vkEnumeratePhysicalDevices", vk::Result::ERROR_DEVICE_LOST),
        Driver::new("e-absent").library_path("/nowhere/libgone.so"),
    ]);
    let outcome = |index: usize| {
        let driver = &report["drivers"][index];
        (driver["outcome"].as_str().unwrap_or_default(), driver["used"] == true, driver["devices"].as_u64())
    };
    assert_eq!(outcome(0), ("used", true, Some(2)), "{report:#}");
    assert_eq!(outcome(1), ("no-devices", false, Some(0)), "{report:#}");
    assert_eq!(outcome(2), ("create-instance-failed", false, Some(0)), "{report:#}");
    assert_eq!(outcome(3), ("enumeration-failed", false, Some(0)), "{report:#}");
    assert_eq!(outcome(4), ("does-not-open", false, Some(0)), "{report:#}");
    assert_eq!(report["devices"].as_array().map(Vec::len), Some(2));
    assert!(report["problem"].is_null());
}

/// Returns a machine with four implicit layers that cannot be used, each for another reason, and one that can.
fn with_unusable_layers() -> Sandbox {
    let sandbox = Sandbox::new();
    let implicit = |name: &str| Layer::new(name).implicit();
    Driver::new("good").device(Device::new("gpu")).install(&sandbox);
    implicit("VK_LAYER_a_gone").library_path("/nowhere/libgone.so").install(&sandbox);
    implicit("VK_LAYER_b_refuses").refuses(vk::Result::ERROR_INITIALIZATION_FAILED).install(&sandbox);
    implicit("VK_LAYER_c_later").does_with("interface", 3).install(&sandbox);
    implicit("VK_LAYER_d_empty").exports(&[]).install(&sandbox);
    // Only the manifest has its names.
    let functions = r#"{"vkGetInstanceProcAddr": "test_lookup", "vkGetDeviceProcAddr": "test_device_lookup",
        "vkNegotiateLoaderLayerInterfaceVersion": "test_negotiate"}"#;
    implicit("VK_LAYER_e_good").exports(Layer::OTHER).field("functions", functions).install(&sandbox);
    sandbox
}

fn run(sandbox: &Sandbox, arguments: &[&str]) -> String {
    let mut vkload = Command::new(env!("CARGO_BIN_EXE_vkload"));
    let output = vkload.args(arguments).env_clear().envs(sandbox.environment()).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// The reason is the loader's own, in every output, and recordings keep it.
#[test]
fn a_layer_that_fails_to_open_or_to_negotiate_keeps_its_reason() {
    let sandbox = with_unusable_layers();
    let run = |arguments: &[&str]| run(&sandbox, arguments);
    let json = |arguments: &[&str]| -> Value { serde_json::from_str(&run(arguments)).expect("JSON") };
    let (info, case) = (sandbox.path("info.json"), sandbox.path("case.json"));
    let (info, case) = (info.to_str().unwrap(), case.to_str().unwrap());
    let report = json(&["info", "--json", "--record", info]);
    let doctor = json(&["doctor", "--json", "--record", case]);
    let list = json(&["layers", "--json"]);
    let pictures = [
        json(&["chain", "--json"]),
        json(&["replay", info, "--show", "chain", "--json"]),
        json(&["replay", case, "--show", "chain", "--json"]),
    ];
    let replayed = [info, case].map(|file| json(&["replay", file, "--show", "info", "--json"]));
    // Long lines of the doctor are broken.
    let whole = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let texts = [run(&["info", "--verbose"]), run(&["layers"]), whole(run(&["doctor", "--all"]))];
    let expected = [
        ("does-not-open", "its library does not open (/nowhere/libgone.so: cannot open shared object file"),
        ("negotiation-refused", "it returned VK_ERROR_INITIALIZATION_FAILED"),
        ("interface-version", "it chose interface version 3, above the 2 that it was offered"),
        ("no-entry-point", "its library has no vkGetInstanceProcAddr of this layer"),
        ("active", ""),
    ];
    for (index, (outcome, reason)) in expected.into_iter().enumerate() {
        let layer = &report["layers"][index];
        let whole = layer["remark"].as_str().unwrap();
        assert_eq!(layer["outcome"], outcome, "{layer:#}");
        assert!(whole.contains(reason), "{layer:#}");
        for text in &texts {
            assert!(text.contains(whole), "{whole}: {text}");
        }
        for chain in &pictures {
            assert_eq!(chain["layers"][index]["problem"], whole, "{chain:#}");
        }
        for replayed in &replayed {
            assert_eq!(replayed["layers"][index]["remark"], whole);
        }
        let listed = &list["layers"][index];
        assert_eq!((&listed["outcome"], &listed["problem"]), (&layer["outcome"], &layer["remark"]));
        assert_eq!(listed["active"], layer["active"]);
        let fault = if outcome == "active" { "" } else { outcome };
        assert_eq!(doctor["layers"][index]["trial"]["fault"], fault, "{doctor:#}");
    }
}

#[test]
fn no_probe_opens_no_layer() {
    let sandbox = with_unusable_layers();
    let trace = sandbox.path("out/VK_LAYER_e_good.trace");
    for command in ["chain", "layers", "doctor"] {
        let said = run(&sandbox, &[command, "--no-probe", "--json"]);
        assert!(said.contains("\"layers\"") && !said.contains("interface version"), "{said}");
        assert!(!trace.exists(), "{command}");
        run(&sandbox, &[command]);
        assert!(trace.exists(), "{command} opens the layer otherwise");
        fs::remove_file(&trace).expect("a trace");
    }
}

/// The loader fails vkCreateInstance then.
#[test]
fn an_unusable_layer_that_the_program_asks_for_gives_chain_exit_code_1() {
    let sandbox = Sandbox::new();
    Layer::new("VK_LAYER_refuses").refuses(vk::Result::ERROR_INITIALIZATION_FAILED).install(&sandbox);
    let status = |arguments: &[&str]| {
        let mut vkload = Command::new(env!("CARGO_BIN_EXE_vkload"));
        let output = vkload.args(arguments).env_clear().envs(sandbox.environment()).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (code, said) = status(&["chain", "--layer", "VK_LAYER_refuses", "--json"]);
    let chain: Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!(code, Some(1), "{said}");
    let refused = chain["refused"][0].as_str().unwrap();
    assert!(refused.starts_with("VK_LAYER_refuses: it has no interface version in common"), "{refused}");
    assert_eq!(status(&["chain", "--layer", "VK_LAYER_refuses", "--no-probe"]).0, Some(0));
    assert_eq!(status(&["chain"]).0, Some(0));
}

/// A library that kills its process is reported, and does not kill the command.
#[test]
fn a_layer_that_crashes_while_it_is_loaded_is_reported_by_chain_and_layers() {
    let sandbox = Sandbox::new();
    let library = sandbox.path("lib/libcrash.so");
    let source =
        sandbox.write("crash.c", "__attribute__((constructor)) void die(void) { __builtin_trap(); }");
    fs::create_dir_all(library.parent().unwrap()).unwrap();
    let cc = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).status();
    assert!(cc.expect("cc").success());
    Layer::new("VK_LAYER_crash").implicit().library_path(library.to_str().unwrap()).install(&sandbox);
    for command in ["chain", "layers"] {
        let list: Value = serde_json::from_str(&run(&sandbox, &[command, "--json"])).expect("JSON");
        let problem = list["layers"][0]["problem"].as_str().unwrap_or_default();
        assert!(problem.starts_with("crashes while its library is loaded (SIGILL"), "{list:#}");
    }
    assert!(run(&sandbox, &["layers"]).contains("; problem: crashes while its library is loaded"));
}

#[test]
fn every_layer_is_listed_with_the_reason_why_it_is_not_active() {
    let sandbox = Sandbox::new();
    let layer = |name: &str, more: &str| {
        format!(
            r#"{{"file_format_version": "1.2.1", "layer": {{"name": "{name}", "type": "GLOBAL",
            "library_path": "/nowhere/libgone.so", "api_version": "1.3.0", "implementation_version": "1",
            "description": "about {name}" {more}}}}}"#
        )
    };
    let waits = r#", "enable_environment": {"WANT_A": "1"}, "disable_environment": {"NO_A": "1"}"#;
    sandbox.write("data/vulkan/implicit_layer.d/a.json", layer("VK_LAYER_waits", waits));
    let always = r#", "disable_environment": {"NO_B": "1"}"#;
    sandbox.write("data/vulkan/implicit_layer.d/b.json", layer("VK_LAYER_broken", always));
    sandbox.write("data/vulkan/implicit_layer.d/c.json", "{");
    sandbox.write("data/vulkan/explicit_layer.d/d.json", layer("VK_LAYER_explicit", ""));
    let mut vkload = Command::new(env!("CARGO_BIN_EXE_vkload"));
    let output = vkload
        .args(["--own", "--json"])
        .env_clear()
        .envs(sandbox.environment())
        .output()
        .expect("vkload runs");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let layers: Vec<_> = report["layers"].as_array().expect("layers").iter().collect();
    let outcomes: Vec<_> =
        layers.iter().map(|layer| (layer["name"].as_str(), layer["outcome"].as_str())).collect();
    let expected = [
        ("VK_LAYER_waits", "enable-environment-not-set"),
        ("VK_LAYER_broken", "does-not-open"),
        ("", "manifest-not-json"),
        ("VK_LAYER_explicit", "not-asked-for"),
    ];
    assert_eq!(outcomes, expected.map(|(name, outcome)| (Some(name), Some(outcome))), "{report:#}");
    assert!(layers[0]["remark"].as_str().is_some_and(|remark| remark.contains("WANT_A")));
    assert_eq!(layers[3]["description"], "about VK_LAYER_explicit");
}

#[test]
fn a_layers_own_properties_are_shown() {
    let sandbox = Sandbox::new();
    let fields = r#""introduction": "Why one\nwould want it.", "url": "https://example.org/layer",
        "platforms": ["LINUX", "ANDROID"], "status": "BETA",
        "features": {"settings": [{"key": "level", "type": "INT", "default": 3}]},
        "instance_extensions": [{"name": "VK_EXT_one", "spec_version": "2"}],
        "device_extensions": [{"name": "VK_EXT_two", "spec_version": 7, "entrypoints": ["vkTwo"]}]"#;
    let text = format!(
        r#"{{"file_format_version": "1.2.0", "layer": {{"name": "VK_LAYER_telling", "type": "GLOBAL",
        "library_path": "/nowhere/libgone.so", "api_version": "1.3.0", "implementation_version": "1",
        "description": "in a line", {fields}}}}}"#
    );
    sandbox.write("data/vulkan/explicit_layer.d/d.json", text);
    let run = |argument: &str| {
        let mut vkload = Command::new(env!("CARGO_BIN_EXE_vkload"));
        vkload
            .args(["info", "--own", argument])
            .env_clear()
            .envs(sandbox.environment())
            .output()
            .expect("vkload runs")
            .stdout
    };
    let report: Value = serde_json::from_slice(&run("--json")).expect("JSON");
    let layer = &report["layers"][0];
    assert_eq!(layer["introduction"], "Why one\nwould want it.", "{report:#}");
    assert_eq!((&layer["url"], &layer["status"]), (&"https://example.org/layer".into(), &"BETA".into()));
    assert_eq!(layer["platforms"], serde_json::json!(["LINUX", "ANDROID"]));
    assert_eq!(layer["features"]["settings"][0]["default"], 3, "{report:#}");
    assert_eq!(layer["instanceExtensions"][0]["version"], 2);
    assert_eq!(layer["deviceExtensions"][0]["name"], "VK_EXT_two");
    let shown = String::from_utf8(run("--verbose")).expect("UTF-8");
    for words in ["in a line", "BETA", "LINUX ANDROID", "https://example.org/layer", "Why one would want it."]
    {
        assert!(shown.contains(words), "{shown}");
    }
}

#[test]
fn a_driver_without_devices_is_the_reason_if_it_is_the_only_one() {
    let report = report_on(&[Driver::new("empty")]);
    assert_eq!(report["drivers"][0]["outcome"], "no-devices", "{report:#}");
    assert_ne!(report["problem"]["reason"].as_str().unwrap_or_default(), "", "{report:#}");
}

#[test]
fn the_commands_name_may_be_left_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let short = vkload(folder.path(), &["--json"]);
    let long = vkload(folder.path(), &["info", "--json"]);
    assert_eq!(short.stdout, long.stdout);
}

#[test]
fn without_an_answer_it_ends_with_2_and_says_why() {
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(vkload(folder.path(), &["no-such-command"]).status.code(), Some(2));
    let output = vkload(folder.path(), &["info", "--record", "/no/such/folder/file.json"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("/no/such/folder/file.json"), "{output:?}");
}

#[test]
fn a_driver_that_ends_blocks_or_floods_its_process_is_a_row_of_the_table() {
    for (behaviour, outcome) in [
        ("crash", "crashes"),
        ("abort", "crashes"),
        ("exit", "exits"),
        ("exit-0", "exits"),
        ("deadlock", "hangs"),
        ("print-without-end", "hangs"),
    ] {
        let sandbox = Sandbox::new();
        Driver::new("good").device(Device::new("gpu")).install(&sandbox);
        let bad = Driver::new("bad").exports(&["-DEXPORT_LOOKUP", "-DEXPORT_NEGOTIATE", "-DHOSTILE"]);
        bad.device(Device::new("bad gpu")).install(&sandbox);
        sandbox.write("lib/libbad.so.hostile", format!("vkCreateInstance {behaviour}\n"));
        let said = run(&sandbox, &["--json", "--timeout", "1"]);
        let report: Value =
            serde_json::from_str(&said).unwrap_or_else(|error| panic!("{behaviour}: {error}: {said}"));
        let drivers = report["drivers"].as_array().expect("drivers");
        let of = |name: &str| {
            let is_it = |it: &&Value| it["manifest"].as_str().is_some_and(|path| path.ends_with(name));
            drivers.iter().find(is_it).unwrap_or_else(|| panic!("{report:#}"))
        };
        assert_eq!(
            (&of("bad.json")["outcome"], &of("bad.json")["used"]),
            (&outcome.into(), &false.into()),
            "{report:#}"
        );
        assert_eq!(of("good.json")["used"], true, "{report:#}");
        let table = run(&sandbox, &["--timeout", "1"]);
        assert!(table.len() < 10_000 && table.contains("bad.json"), "{behaviour}: {table}");
        assert!(run(&sandbox, &["--no-probe"]).starts_with("Nothing was tried."), "{behaviour}");
    }
}
