//! Recordings of `vkload doctor` and `vkload info`: they are written in every case, describe the machine, name no user, and give the same
//! answer.

use std::fs::{self, File};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use vkload_tests::{Device, Driver, Layer, Sandbox};

const HOSTILE: &[&str] = &["-DEXPORT_LOOKUP", "-DEXPORT_NEGOTIATE", "-DHOSTILE"];

/// Returns a good driver, and one that does this in vkCreateInstance.
fn machine(behaviour: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    Driver::new("good").device(Device::new("good gpu")).install(&sandbox);
    Driver::new("bad").exports(HOSTILE).device(Device::new("gpu")).install(&sandbox);
    sandbox.write("lib/libbad.so.hostile", format!("vkCreateInstance {behaviour}\n"));
    sandbox
}

fn vkload(sandbox: &Sandbox, more: &[(&str, &str)], arguments: &[&str]) -> Output {
    command(sandbox, more, arguments).output().expect("vkload runs")
}

fn command(sandbox: &Sandbox, more: &[(&str, &str)], arguments: &[&str]) -> Command {
    let mut vkload = Command::new(env!("CARGO_BIN_EXE_vkload"));
    vkload.args(arguments).env_clear().envs(sandbox.environment()).envs(more.iter().copied());
    vkload
}

fn read(file: &Path) -> Value {
    serde_json::from_slice(&fs::read(file).expect("a recording")).expect("JSON")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

#[test]
fn replay_gives_exactly_the_doctors_answer() {
    let sandbox = machine("crash");
    let file = sandbox.path("out/recording.json");
    // A home without a name in it, so that nothing is taken out.
    let home = [("HOME", "/home/user"), ("LD_LIBRARY_PATH", "/nowhere/lib")];
    for format in [&[][..], &["--json"]] {
        let recorded = vkload(&sandbox, &home, &[&["doctor", "--record", text(&file)], format].concat());
        let elsewhere = Sandbox::new();
        let replay = [&["replay", text(&file), "--show", "doctor"], format].concat();
        let replayed = vkload(&elsewhere, &[], &replay);
        assert_eq!(String::from_utf8_lossy(&replayed.stdout), String::from_utf8_lossy(&recorded.stdout));
        assert!(!recorded.stdout.is_empty());
    }
}

#[test]
fn a_recording_holds_the_machine() {
    let sandbox = machine("crash");
    let file = sandbox.path("out/recording.json");
    let _ = vkload(&sandbox, &[("LD_LIBRARY_PATH", "/nowhere/lib")], &["doctor", "--record", text(&file)]);
    let recording = read(&file);
    let facts = &recording["facts"];
    for list in ["gpus", "nodes", "loaders", "libraries"] {
        assert!(facts[list].is_array(), "{list}: {facts:#}");
    }
    assert_eq!(facts["variables"]["LD_LIBRARY_PATH"], "/nowhere/lib");
    if let Ok(release) = fs::read_to_string("/etc/os-release") {
        let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME=")).unwrap_or_default();
        assert_eq!(facts["system"]["name"], name.trim_matches('"'), "{facts:#}");
    }
    let trials = recording["trials"]["drivers"].as_array().expect("trials");
    let bad = trials.iter().find(|it| it[0].as_str().is_some_and(|it| it.ends_with("bad.json")));
    assert_eq!(bad.expect("the driver")[1]["ending"]["ended"], "signal", "{trials:#?}");
}

#[test]
fn what_makes_every_start_slow_is_named() {
    let sandbox = Sandbox::new();
    Driver::new("good").device(Device::new("good gpu")).install(&sandbox);
    Layer::new("VK_LAYER_slow").implicit().install(&sandbox);
    let file = sandbox.path("out/recording.json");
    let _ = vkload(&sandbox, &[], &["doctor", "--record", text(&file)]);
    let mut recording = read(&file);
    assert_eq!(recording["trials"]["layers"][0][0], "VK_LAYER_slow", "{recording:#}");
    // Only a driver without devices is blamed for its time.
    recording["trials"]["drivers"][0][1]["devices"] = Value::Array(Vec::new());
    // The times of the layer or driver alone and of a program, in milliseconds.
    let answer = |kind: &str, part: u64, program: u64| {
        let mut recording = recording.clone();
        recording["trials"][kind][0][1]["milliseconds"] = part.into();
        recording["trials"]["program"]["milliseconds"] = program.into();
        replayed(&sandbox, &file, &recording)
    };
    for (kind, name) in [("layers", "VK_LAYER_slow"), ("drivers", "good.json")] {
        let said = answer(kind, 4100, 4200);
        assert!(said.contains(&format!("{name} makes each program wait 4 seconds")), "{said}");
        assert!(!answer(kind, 4100, 60).contains("seconds"), "the program does not wait");
        assert!(!answer(kind, 60, 4100).contains("seconds"), "not for this");
    }
}

/// Returns the doctor's answer for a changed recording.
fn replayed(sandbox: &Sandbox, file: &Path, recording: &Value) -> String {
    fs::write(file, recording.to_string()).expect("written");
    let output = vkload(sandbox, &[], &["replay", text(file), "--show", "doctor"]);
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn vulkan_does_not_work_for_a_process_without_the_device_files() {
    let sandbox = Sandbox::new();
    Driver::new("good").device(Device::new("good gpu")).install(&sandbox);
    let file = sandbox.path("out/recording.json");
    let _ = vkload(&sandbox, &[], &["doctor", "--record", text(&file)]);
    let mut recording = read(&file);
    recording["target"]["process"] =
        serde_json::json!({"id": 7, "lacks": ["/dev/nvidiactl"], "service": "ollama.service"});
    let said = replayed(&sandbox, &file, &recording);
    assert!(said.contains("but not for process 7."), "{said}");
    assert!(
        said.contains("device files through which drivers reach GPUs: /dev/nvidiactl")
            && said.contains("systemctl edit ollama.service"),
        "{said}"
    );
}

#[test]
fn a_recording_contains_no_user_name() {
    let sandbox = machine("crash");
    let home = sandbox.path("people/ann");
    fs::create_dir_all(home.join(".local/share/vulkan/icd.d")).expect("a folder");
    symlink(sandbox.path("data/vulkan/icd.d/good.json"), home.join(".local/share/vulkan/icd.d/own.json"))
        .expect("a link");
    let path = format!("{0}/bin:/home/ann/bin", home.display());
    let more = [("HOME", text(&home)), ("USER", "ann"), ("LOGNAME", "ann"), ("PATH", &path)];
    let file = sandbox.path("out/recording.json");
    for record in [&["doctor", "--record"][..], &["info", "--record"]] {
        let _ = vkload(&sandbox, &more, &[record, &[text(&file)]].concat());
        let recording = fs::read_to_string(&file).expect("a recording");
        assert!(!recording.contains("people/ann"), "{record:?}: {recording}");
        assert!(recording.contains("/home/user/.local/share/vulkan/icd.d"), "{record:?}: {recording}");
    }
}

#[test]
fn a_recording_is_left_when_the_doctor_is_killed() {
    let sandbox = machine("tell");
    let file = sandbox.path("out/recording.json");
    // The driver connects here in vkCreateInstance, and then hangs.
    // The name of a socket is short, so its folder is given by a descriptor.
    let folder = File::open(sandbox.path("lib")).expect("a folder");
    let name = format!("/proc/self/fd/{}/tell", folder.as_raw_fd());
    let listener = UnixListener::bind(name).expect("a socket");
    let mut doctor = command(&sandbox, &[], &["doctor", "--timeout", "600", "--record", text(&file)])
        .spawn()
        .expect("vkload runs");
    let _hanging = listener.accept().expect("the driver");
    doctor.kill().expect("a signal");
    doctor.wait().expect("its end");
    let recording = read(&file);
    assert!(recording["facts"]["loaders"].is_array(), "{recording:#}");
    let replayed = vkload(&Sandbox::new(), &[], &["replay", text(&file), "--show", "doctor", "--json"]);
    let answer: Value = serde_json::from_slice(&replayed.stdout).expect("JSON");
    assert_eq!(answer["works"], Value::Null, "{answer:#}");
}

#[test]
fn info_records_a_driver_that_crashes() {
    let sandbox = machine("crash");
    let file = sandbox.path("out/recording.json");
    let output = vkload(&sandbox, &[], &["info", "--record", text(&file)]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let replayed = vkload(&Sandbox::new(), &[], &["replay", text(&file)]);
    assert_eq!(replayed.status.code(), Some(0), "{replayed:?}");
    assert!(String::from_utf8_lossy(&replayed.stdout).contains("bad.json"), "{replayed:?}");
}
