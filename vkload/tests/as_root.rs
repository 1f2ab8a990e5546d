//! Every command of the tool, run by root in a world in which another user controls the variables, the files and a process: none of their code runs as
//! root, no other file changes, only text is shown, and the commands in it do nothing else.

use crate::{two_users, untrusted};

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

use serde_json::json;
use two_users::{Machine, OTHER};

/// The commands. `PID` is the other user's process, `OUT` a new file in a folder of root's, and the other words in capitals are files of the other
/// user's.
const COMMANDS: &[&str] = &[
    "info",
    "info --verbose",
    "info --json",
    "info --record OUT",
    "info --record NEW",
    "doctor",
    "doctor --json",
    "doctor --html",
    "doctor --no-probe",
    "doctor --record OUT",
    "doctor --record NEW",
    "doctor -- /bin/true",
    "doctor --pid PID",
    "doctor --pid PID --json",
    "doctor --pid PID --html",
    "doctor --pid PID --no-probe",
    "doctor --calls CALLS",
    "devices",
    "devices --json",
    "layers",
    "layers --json",
    "layers --disable VK_LAYER_b",
    "layers --only -- /bin/true",
    "paths",
    "paths --json",
    "chain",
    "chain --json",
    "chain --format svg",
    "chain --format html",
    "settings",
    "settings --json",
    "settings --only-hardware",
    "settings --undo",
    "settings SETTINGS",
    "settings SETTINGS --undo",
    "settings SETTINGS --layer VK_LAYER_b=off",
    "settings LINK --driver SETTINGS",
    "bisect -- /bin/true",
    "faults --no-validation -- /bin/true",
    "exec -- /bin/true",
    "completions bash",
    "compare RECORDING CALLS",
    "replay CALLS",
    "no-command",
    // With their rights, and in their folder.
    "doctor --pid PID --record LINK",
];

#[test]
fn no_command_of_root_obeys_another_user() {
    let Some(machine) = Machine::new() else { return };
    let sandbox = untrusted::world();
    let recordings = untrusted::recordings(&sandbox);
    let theirs = |name: &str| sandbox.path("out").join(name).display().to_string();
    let library = machine.path("theirs/libvulkan.so.1");
    let driver =
        json!({ "file_format_version": "1.0.1", "ICD": { "library_path": library, "api_version": "1.3.0" } });
    sandbox.write("data/vulkan/icd.d/theirs.json", driver.to_string());
    untrusted::layer(&sandbox, "theirs.json", json!({ "name": "VK_LAYER_theirs", "library_path": library }));
    let undo =
        json!({ "changes": [{ "before": "theirs", "after": "{}", "folders": [machine.path("empty")] }] })
            .to_string();
    sandbox.write("out/settings.json", "{}");
    sandbox.write("out/settings.json.undo", undo);
    sandbox.write("out/calls", format!("vkload recorder 1\nprocess 1\nthread 1\nreason signal 11 SIGSEGV\n\nthread 1 {}, 1 calls, the last ones:\n-1.0 vkCmdDraw() has not returned\n", untrusted::ORDERS));
    fs::write(machine.path("secret"), "root's").unwrap();
    symlink(machine.path("secret"), theirs("link")).unwrap();
    fs::create_dir(machine.path("out")).unwrap();
    fs::create_dir(machine.path("empty")).unwrap();
    let owned =
        Command::new("chown").args(["-hR", &format!("{OTHER}:{OTHER}")]).arg(sandbox.path("")).status();
    assert!(owned.unwrap().success());

    let hostile =
        machine.hostile().into_iter().map(|(name, value)| (name.to_owned(), value.display().to_string()));
    let mut variables: BTreeMap<String, String> = untrusted::variables().into_iter().chain(hostile).collect();
    variables.extend(sandbox.environment());
    let mut program = Command::new(machine.path("program"));
    let running = machine.start(program.env_clear().envs(&variables).uid(OTHER).gid(OTHER));
    // The dynamic linker loads this into the tool before its first instruction.
    variables.remove("LD_PRELOAD");
    variables.insert("XDG_RUNTIME_DIR".to_owned(), theirs(""));
    variables.insert("TMPDIR".to_owned(), machine.path("out").display().to_string());

    let system = ["/etc/vulkan", "/root/.config/vulkan", "/root/.local/share/vulkan"].map(Into::into);
    let folders = [&[machine.path(""), sandbox.path("")], &system[..]].concat();
    let files =
        || two_users::files(&folders, &[machine.path("log"), machine.path("out"), sandbox.path("out/link")]);
    let (before, mut answers) = (files(), Vec::new());
    let shown = recordings.iter().flat_map(|name| {
        ["info", "doctor", "chain"].map(|show| format!("replay {} --show {show}", theirs(name)))
    });
    for command in COMMANDS.iter().map(|command| (*command).to_owned()).chain(shown) {
        let words = command.split(' ').map(|word| match word {
            "PID" => running.id(),
            "OUT" => machine.path("out/recording.json").display().to_string(),
            "NEW" => theirs("new.json"),
            "LINK" => theirs("link"),
            "SETTINGS" => theirs("settings.json"),
            "CALLS" => theirs("calls"),
            "RECORDING" => theirs(&recordings[0]),
            word => word.to_owned(),
        });
        let mut vkload = Command::new(env!("CARGO_BIN_EXE_vkload"));
        vkload.args(words).env_clear().envs(&variables).env("PATH", "/usr/bin:/bin").stdin(Stdio::null());
        let output = vkload.current_dir(sandbox.path("out")).output().unwrap();
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        if command == "info" {
            assert!(text.contains("VK_DRIVER_FILES") && text.contains("left out"), "{text}");
        }
        assert!(untrusted::hidden(&text).is_empty(), "{command}: {:?}\n{text:?}", untrusted::hidden(&text));
        let as_other = format!("{OTHER} {OTHER} {OTHER} {OTHER} {OTHER} {OTHER} 0 1");
        let runs = machine.runs();
        assert!(runs.iter().all(|run| *run == as_other), "{command}: {runs:?}\n{text}");
        // So that the check can fail.
        let tries = command.starts_with("doctor --pid PID") && !command.contains("--no-probe");
        assert_eq!(!runs.is_empty(), tries, "{command}: {text}");
        fs::write(machine.path("log"), "").unwrap();
        let has_steps = ["doctor", "layers", "devices"].iter().any(|name| command.contains(name));
        if has_steps && !text.starts_with(['{', '<']) {
            answers.push(text);
        }
    }
    let after = files();
    let changed: Vec<_> = before.iter().filter(|(path, state)| after.get(*path) != Some(state)).collect();
    let new: Vec<_> = after.keys().filter(|path| !before.contains_key(*path)).collect();
    assert!(changed.is_empty() && new.is_empty(), "{changed:?} {new:?}");
    let (count, _) = untrusted::execute(&sandbox, &answers);
    assert!(count > 20, "{count}");
}
