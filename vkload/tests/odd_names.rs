//! Names of files and values of variables that are not plain text: the tool reaches the files, and its commands do.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;
use vkload_tests::{Device, Driver, Sandbox};

/// Names of folders: a tab and a quote, Latin-1, a word of our commands.
const FOLDERS: [&[u8]; 4] = [b"a\ttab's", b"g\xfcte", b"my sudo files", b"line\nbreak \xff"];

fn vkload(sandbox: &Sandbox, files: &OsStr, arguments: &[&str]) -> Output {
    let mut vkload = Command::new(env!("CARGO_BIN_EXE_vkload"));
    vkload.args(arguments).env_clear().envs(sandbox.environment()).env("VK_DRIVER_FILES", files);
    vkload.output().expect("vkload runs")
}

/// Returns the path of a driver's manifest in a folder of this name, with the null driver beside it if it is to work.
fn driver(sandbox: &Sandbox, folder: &[u8], works: bool) -> PathBuf {
    let folder = sandbox.path("home").join(OsStr::from_bytes(folder));
    fs::create_dir_all(&folder).expect("a folder");
    if works {
        let null = std::env::current_exe().expect("a test").with_file_name("libvkload_null.so");
        fs::copy(null, folder.join("libodd.so")).expect("the null driver, which cargo puts beside the tests");
    }
    let text =
        r#"{"file_format_version": "1.0.0", "ICD": {"library_path": "./libodd.so", "api_version": "1.3.0"}}"#;
    fs::write(folder.join("odd_icd.json"), text).expect("a manifest");
    folder.join("odd_icd.json")
}

#[test]
fn a_driver_in_a_folder_of_any_name_works() {
    for folder in FOLDERS {
        let sandbox = Sandbox::new();
        let manifest = driver(&sandbox, folder, true);
        let shown = |arguments: &[&str]| vkload(&sandbox, manifest.as_os_str(), arguments);
        let doctor: Value = serde_json::from_slice(&shown(&["doctor", "--json"]).stdout).expect("JSON");
        assert_eq!(doctor["works"], true, "{doctor:#}");
        assert_eq!(doctor["devices"][0]["name"], "null", "{doctor:#}");
        for arguments in [&["info", "--json"][..], &["devices", "--json"]] {
            let answer: Value = serde_json::from_slice(&shown(arguments).stdout).expect("JSON");
            assert_eq!(answer["devices"][0]["name"], "null", "{arguments:?}: {answer:#}");
        }
        let recording = sandbox.path("out/recording.json");
        shown(&["doctor", "--record", recording.to_str().expect("UTF-8")]);
        let replayed = shown(&["replay", recording.to_str().expect("UTF-8"), "--show", "doctor"]);
        assert!(replayed.stdout.starts_with(b"Vulkan 1."), "{replayed:?}");
    }
}

#[test]
fn a_printed_command_removes_a_file_of_any_name() {
    for folder in FOLDERS {
        let sandbox = Sandbox::new();
        let bad = driver(&sandbox, folder, false);
        Driver::new("good").device(Device::new("gpu")).install(&sandbox);
        let good = sandbox.path("data/vulkan/icd.d/good.json");
        let both =
            OsString::from_vec([good.as_os_str().as_bytes(), b":", bad.as_os_str().as_bytes()].concat());
        let output = vkload(&sandbox, &both, &["doctor"]);
        let said = String::from_utf8(output.stdout).expect("UTF-8");
        assert!(!said.chars().any(|it| it.is_control() && it != '\n'), "{said:?}");
        let steps = said.lines().filter_map(|line| line.strip_prefix("  -> ")).map(|step| {
            step.split_once(": ")
                .map_or(step, |(words, command)| if words.starts_with("If ") { command } else { step })
        });
        let removes: Vec<_> =
            steps.filter(|step| step.starts_with("rm ") || step.starts_with("eval ")).collect();
        let [remove] = removes[..] else { panic!("{said}") };
        assert!(Command::new("sh").args(["-c", remove]).status().expect("a shell").success(), "{remove}");
        assert!(!bad.exists() && good.exists(), "{said}");
    }
}
