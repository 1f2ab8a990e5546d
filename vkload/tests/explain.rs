//! `vkload doctor`, `paths` and `replay` as a user meets them.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use vkload_tests::{Device, Driver, Layer, Sandbox, library_under_test};

const DEBIANS: &str = "/usr/lib/x86_64-linux-gnu/libvulkan.so.1";

fn vkload(sandbox: &Sandbox, arguments: &[&str]) -> Output {
    let mut vkload = Command::new(env!("CARGO_BIN_EXE_vkload"));
    vkload.args(arguments).env_clear().envs(sandbox.environment()).output().expect("vkload runs")
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn json(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    serde_json::from_slice(&vkload(sandbox, arguments).stdout).expect("JSON")
}

/// Sets up a machine with a working driver, a broken one, and layers that cannot be opened, which these commands never do.
fn machine() -> Sandbox {
    let sandbox = Sandbox::new();
    Driver::new("a-good").device(Device::new("gpu")).install(&sandbox);
    Driver::new("b-absent").library_path("/nowhere/libgone.so").install(&sandbox);
    for (kind, name, more) in [
        ("implicit", "VK_LAYER_always", r#", "disable_environment": {"NO_LAYER": "1"}"#),
        ("explicit", "VK_LAYER_wanted", ""),
    ] {
        let manifest = format!(
            r#"{{"file_format_version": "1.2.1", "layer": {{"name": "{name}", "type": "GLOBAL",
            "library_path": "/nowhere/lib{name}.so", "api_version": "1.3.0", "implementation_version": "1",
            "description": "a layer" {more}}}}}"#
        );
        sandbox.write(format!("data/vulkan/{kind}_layer.d/{name}.json"), manifest);
    }
    sandbox
}

// ---- doctor ----

fn doctor(sandbox: &Sandbox, arguments: &[&str]) -> Output {
    on_own_loader(sandbox, &[&["doctor"], arguments].concat())
}

/// Returns the answer where programs get the loader under test, whatever the machine has.
fn on_own_loader(sandbox: &Sandbox, arguments: &[&str]) -> Output {
    let folder = sandbox.path("loader");
    let _ = fs::create_dir(&folder);
    let _ = symlink(library_under_test(), folder.join("libvulkan.so.1"));
    let mut vkload = Command::new(env!("CARGO_BIN_EXE_vkload"));
    vkload.args(arguments).env_clear().envs(sandbox.environment());
    vkload.env("LD_LIBRARY_PATH", folder).output().expect("vkload runs")
}

fn doctor_json(sandbox: &Sandbox) -> Value {
    serde_json::from_slice(&doctor(sandbox, &["--json"]).stdout).expect("JSON")
}

#[test]
fn doctor_says_first_why_nothing_works_and_what_to_do() {
    let sandbox = Sandbox::new();
    let output = doctor(&sandbox, &[]);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output);
    let lines: Vec<_> = said.lines().collect();
    assert!(lines[0].starts_with("Vulkan does not work here"), "{said}");
    assert!(lines[1].starts_with("error: "), "{said}");
    assert!(lines[2].starts_with("  -> "), "{said}");
    let answer = doctor_json(&sandbox);
    assert_eq!(answer["works"], false);
    assert_eq!(answer["findings"][0]["severity"], "error");
    let ids: Vec<_> = answer["findings"].as_array().expect("findings").iter().map(|it| &it["id"]).collect();
    // The variables of the sandbox hide drivers that this machine may have.
    let expected = ["no-driver", "drivers-replaced"];
    assert!(expected.iter().any(|id| ids.contains(&&Value::from(*id))), "{ids:?}");
}

#[test]
fn doctor_warns_of_what_should_work_beside_what_does() {
    let sandbox = machine();
    let answer = doctor_json(&sandbox);
    let findings = answer["findings"].as_array().expect("findings");
    let about = |part: &str| {
        findings.iter().find(|it| it["about"].as_str().is_some_and(|about| about.contains(part)))
    };
    for part in ["b-absent.json", "VK_LAYER_always.json"] {
        let finding = about(part).unwrap_or_else(|| panic!("{part}: {answer:#}"));
        assert_eq!(
            (finding["severity"].as_str(), finding["id"].as_str()),
            (Some("warning"), Some("library-absent"))
        );
        assert_ne!(finding["next"].as_array().map(Vec::len), Some(0), "{finding:#}");
    }
    assert!(about("wanted").is_none(), "nobody asks for this layer: {answer:#}");
    assert_eq!(answer["works"], true, "{answer:#}");
}

/// Debian's loader does not move them.
#[test]
fn layers_that_are_called_after_another_one_are_shown() {
    let sandbox = Sandbox::new();
    Driver::new("good").device(Device::new("gpu")).install(&sandbox);
    for name in ["VK_LAYER_MANGOHUD_overlay", "VK_LAYER_RENDERDOC_Capture"] {
        Layer::new(name).implicit().install(&sandbox);
    }
    let moved = "VK_LAYER_MANGOHUD_overlay is called after VK_LAYER_RENDERDOC_Capture: RenderDoc returns no";
    for command in [&["layers"][..], &["doctor", "--all"]] {
        let said = text(&on_own_loader(&sandbox, command));
        assert!(said.contains(moved), "{command:?}: {said}");
        let of_others = text(&vkload(&sandbox, command));
        assert!(!of_others.contains(moved) || !Path::new(DEBIANS).exists(), "{command:?}: {of_others}");
    }
}

#[test]
fn doctor_explains_a_file_of_the_recorder_layer() {
    let sandbox = Sandbox::new();
    let calls = |content: &str, more: &[&str]| {
        sandbox.write("calls.txt", content);
        let file = sandbox.path("calls.txt");
        vkload(&sandbox, &[&["doctor", "--calls", file.to_str().expect("UTF-8")], more].concat())
    };
    let crash = "vkload recorder 1\nprocess 5\nthread 5\nreason signal 11 SIGSEGV at 0x0\n\n\
        thread 5 game\x1b[2J, 1 calls, the last ones:\n-0.000010 vkQueueWaitIdle(queue 0x1) has not returned\n";
    let output = calls(crash, &[]);
    let answer = text(&output);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        answer.starts_with("game\u{fffd}[2J crashed (SIGSEGV at address 0x0) in vkQueueWaitIdle"),
        "{answer}"
    );
    let json: Value = serde_json::from_slice(&calls(crash, &["--json"]).stdout).expect("JSON");
    assert_eq!(json["findings"][0]["id"], "call-crashes", "{json:#}");
    let page = calls(crash, &["--html"]);
    let said = String::from_utf8_lossy(&page.stderr);
    assert!(page.status.code() == Some(2) && said.contains("cannot be used with"), "{said}");
    let request = crash.replace("signal 11 SIGSEGV at 0x0", "request");
    assert_eq!(calls(&request, &[]).status.code(), Some(0));
    for (content, problem) in [("{}", "not a file of"), ("vkload recorder 9\n", "version 9 of")] {
        let output = calls(content, &[]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(problem), "{said}");
    }
}

#[test]
fn each_file_of_the_recorder_layer_gets_its_explanation_and_is_read_as_far_as_it_goes() {
    let sandbox = Sandbox::new();
    let say = |content: &str| {
        sandbox.write("calls.txt", content);
        let file = sandbox.path("calls.txt");
        let output = vkload(&sandbox, &["doctor", "--calls", file.to_str().expect("UTF-8")]);
        text(&output).replace("\n    ", " ") + &String::from_utf8_lossy(&output.stderr)
    };
    let cases = include_str!("calls.txt");
    for case in cases.split("\n== ").skip(1) {
        let (name, rest) = case.split_once('\n').expect("a name");
        let (file, expected) = rest.split_once("\n--\n").expect("an answer");
        let file = format!("vkload recorder 1\nprocess 7\nthread 7\n{file}\n");
        assert_eq!(say(&file).trim_end(), expected.trim_end(), "{name}");
        let start = file.find("\n\nthread").expect("a thread") + 1;
        assert!(say(&file[..file.len() - 1]).contains("warning: the file is cut short"), "{name}");
        for (end, problem) in [(15, "not a file of"), (start / 2, "cut short")] {
            assert!(say(&file[..end]).contains(problem), "{name}: {end}");
        }
    }
}

// ---- paths ----

#[test]
fn paths_lists_every_file_and_folder_whether_it_exists_or_not() {
    let sandbox = machine();
    let paths = json(&sandbox, &["paths", "--json"]);
    let row = |kind: &str, path: &str| {
        let path = sandbox.path(path);
        let all = paths[kind].as_array().expect("a list");
        let found = all.iter().find(|searched| searched["path"] == path.to_str().expect("UTF-8"));
        let found = found.unwrap_or_else(|| panic!("{}: {paths:#}", path.display()));
        (found["found"].clone(), found["because"].clone())
    };
    assert_eq!(row("drivers", "data/vulkan/icd.d"), ("2 manifests".into(), "XDG_DATA_DIRS".into()));
    assert_eq!(
        row("drivers", "home/.config/vulkan/icd.d"),
        ("nothing".into(), "XDG_CONFIG_HOME is unset".into())
    );
    assert_eq!(row("layers", "data/vulkan/implicit_layer.d").0, "1 manifest");
    assert_eq!(row("layers", "data/vulkan/explicit_layer.d").0, "1 manifest");
    let settings = "data/vulkan/loader_settings.d/vk_loader_settings.json";
    assert_eq!(row("settings", settings), ("nothing".into(), "XDG_DATA_DIRS".into()));
    let first = sandbox.path("home/.config/vulkan/loader_settings.d/vk_loader_settings.json");
    assert_eq!(paths["settings"][0]["path"], first.to_str().expect("UTF-8"), "the search order");
    let built_in = paths["drivers"]
        .as_array()
        .expect("a list")
        .iter()
        .any(|searched| searched["because"] == "SYSCONFDIR");
    assert!(built_in, "{paths:#}");
    let said = text(&vkload(&sandbox, &["paths"]));
    assert!(said.contains("PLACE") && said.contains("XDG_CONFIG_HOME is unset"), "{said}");

    sandbox.write(settings, r#"{"file_format_version": "1.0.0", "settings": {"layers": []}}"#);
    let paths = text(&vkload(&sandbox, &["paths", "--own"]));
    assert!(paths.contains("the settings file that is used"), "{paths}");
}

// ---- replay ----

/// Returns the lines of the output, with the same replacements as in a recording. Column widths, and the order of search paths with equal
/// counts, depend on the length of paths.
fn unnamed(sandbox: &Sandbox, said: &str) -> Vec<String> {
    let home = sandbox.path("home").display().to_string();
    let said = said.replace(&home, "/home/user");
    let mut lines: Vec<_> =
        said.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    lines.sort();
    lines
}

#[test]
fn a_recording_gives_the_same_answers_on_another_machine() {
    let sandbox = machine();
    let file = sandbox.path("out/recording.json");
    let file = file.to_str().expect("UTF-8");
    let recorded = vkload(&sandbox, &["info", "--verbose", "--record", file]);
    let (paths, chain) = (vkload(&sandbox, &["paths"]), json(&sandbox, &["chain", "--json"]));
    assert!(text(&recorded).contains("gpu"), "{}", text(&recorded));
    let without_names = |said: &str| unnamed(&sandbox, said);

    let elsewhere = Sandbox::new();
    let copy = elsewhere.path("out/copy.json");
    fs::copy(file, &copy).expect("a copy");
    for folder in ["data", "lib"] {
        fs::remove_dir_all(sandbox.path(folder)).expect("a folder");
    }
    let replay =
        |more: &[&str]| vkload(&elsewhere, &[&["replay", copy.to_str().expect("UTF-8")], more].concat());
    let replayed = replay(&["--verbose"]);
    assert_eq!(replayed.status.code(), recorded.status.code());
    // Which extensions an instance could have is not decided by the plans.
    let without_extensions =
        |said: String| said.split("\nInstance extensions\n").next().unwrap_or_default().to_owned();
    assert_eq!(
        without_names(&without_extensions(text(&replayed))),
        without_names(&without_extensions(text(&recorded)))
    );
    assert_eq!(without_names(&text(&replay(&["--show", "paths"]))), without_names(&text(&paths)));
    let replayed: Value =
        serde_json::from_slice(&replay(&["--show", "chain", "--json"]).stdout).expect("JSON");
    let names = |chain: &Value| -> Vec<Value> {
        chain["drivers"].as_array().expect("a list").iter().map(|driver| driver["manifest"].clone()).collect()
    };
    assert_eq!((names(&replayed), &replayed["skipped"]), (names(&chain), &chain["skipped"]));
    assert_eq!(replay(&["--json"]).status.code(), Some(0));
}

#[test]
fn invalid_and_incomplete_recordings_are_reported() {
    let sandbox = machine();
    let file = sandbox.path("out/recording.json");
    let file = file.to_str().expect("UTF-8");
    assert_eq!(vkload(&sandbox, &["replay", "/gone.json"]).status.code(), Some(2));
    for other in ["{}", "root:x:0:0"] {
        fs::write(file, other).expect("a file");
        let output = vkload(&sandbox, &["replay", file]);
        assert!(String::from_utf8_lossy(&output.stderr).contains("is not a recording"), "{output:?}");
    }

    let _ = vkload(&sandbox, &["info", "--record", file]);
    let mut recording: Value = serde_json::from_slice(&fs::read(file).expect("a file")).expect("JSON");
    recording["answers"].as_array_mut().expect("answers").retain(|answer| answer.get("folder").is_none());
    fs::write(file, recording.to_string()).expect("a file");
    let output = vkload(&sandbox, &["replay", file]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("more than was recorded"), "{output:?}");
}
