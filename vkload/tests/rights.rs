//! The tool run by root while another user's files, variables and processes are hostile: none of their code runs as root.

use crate::two_users;

use std::env;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use two_users::{Machine, OTHER};

#[test]
fn the_process_of_another_user_is_tried_with_that_users_rights() {
    let Some(machine) = Machine::new() else { return };
    let mut program = Command::new(machine.path("program"));
    let running = machine.start(program.env_clear().envs(machine.hostile()).uid(OTHER).gid(OTHER));
    let tool = env!("CARGO_BIN_EXE_vkload");
    let typed = format!("{tool} doctor --pid {}", running.id());
    for words in [
        &["env"][..],
        &["sudo", "--preserve-env"],
        &["su", "--preserve-environment", "--command", &typed],
        &["setpriv", "--reuid=0", "--clear-groups"],
    ] {
        let mut command = Command::new(words[0]);
        command
            .args(&words[1..])
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .envs(machine.hostile().into_iter().skip(1));
        if !words.contains(&&*typed) {
            command.args(typed.split(' '));
        }
        let output = match command.output() {
            Err(error)
                if error.kind() == ErrorKind::NotFound && env::var_os("VKLOAD_TESTS_COMPLETE").is_none() =>
            {
                eprintln!("skipped: missing {}", words[0]);
                continue;
            }
            output => output.unwrap(),
        };
        let (runs, expected) =
            (machine.runs(), format!("{OTHER} {OTHER} {OTHER} {OTHER} {OTHER} {OTHER} 0 1"));
        assert!(
            !runs.is_empty() && runs.iter().all(|run| *run == expected),
            "{words:?}: {runs:?}\n{output:?}"
        );
        fs::write(machine.path("log"), "").unwrap();
    }
}

#[test]
fn a_recording_is_not_written_where_that_user_may_not_write() {
    let Some(machine) = Machine::new() else { return };
    let mut program = Command::new(machine.path("program"));
    let running = machine.start(program.env_clear().uid(OTHER).gid(OTHER));
    let file = machine.path("recording.json").display().to_string();
    let (code, text) = machine.root_runs(&["doctor", "--pid", &running.id(), "--record", &file], &[]);
    assert!(code == Some(2) && text.contains("recording.json") && !Path::new(&file).exists(), "{text}");
}

/// The variables in `/proc` are those of the user who started it.
#[test]
fn an_elevated_process_is_not_judged() {
    let Some(machine) = Machine::new() else { return };
    machine.compile("dropped", two_users::PROGRAM, &["-DDROP"]);
    let mut names = vec!["program", "dropped"];
    // A 32-bit process has an auxiliary vector of another form.
    if machine.compile_by("i686-linux-gnu-gcc", "narrow", two_users::PROGRAM, &["-DDROP", "-static"]) {
        names.push("narrow");
    } else {
        eprintln!("skipped: missing i686-linux-gnu-gcc");
    }
    for (name, mode) in names.iter().flat_map(|name| [(*name, 0o4755), (*name, 0o2755)]) {
        machine.mode(name, mode);
        let mut program = Command::new(machine.path(name));
        let running = machine.start(program.env_clear().envs(machine.hostile()).uid(OTHER).gid(OTHER));
        let (code, text) = machine.root_runs(&["doctor", "--pid", &running.id()], &[]);
        assert_eq!((code, machine.runs()), (Some(2), Vec::new()), "{text}");
        assert!(text.contains("started with more rights than its user has"), "{text}");
    }
}

/// As in a container, whose root chooses the names of files that exist outside, too.
#[test]
fn a_process_of_roots_with_fewer_rights_is_not_judged() {
    let Some(machine) = Machine::new() else { return };
    let library = machine.path("of-root.so");
    fs::copy(machine.path("theirs/libvulkan.so.1"), &library).unwrap();
    let mut program = Command::new("setpriv");
    program.args(["--bounding-set", "-sys_admin"]).arg(machine.path("program"));
    let running = machine.start(program.env("LD_PRELOAD", library));
    let (code, text) = machine.root_runs(&["doctor", "--pid", &running.id()], &[]);
    assert_eq!((code, machine.runs()), (Some(2), Vec::new()), "{text}");
    assert!(text.contains("fewer rights"), "{text}");
}

const COMMANDS: &[&[&str]] = &[
    &["info"],
    &["doctor"],
    &["doctor", "--", "/bin/true"],
    &["devices"],
    &["settings", "--dry-run", "--only-hardware"],
    &["settings", "--dry-run", "--device", "x"],
];

#[test]
fn a_library_that_another_user_can_change_is_not_opened_by_root() {
    let Some(machine) = Machine::new() else { return };
    let root = machine.path("of-root.json");
    for arguments in COMMANDS {
        let (code, text) = machine.root_runs(arguments, &[("VK_DRIVER_FILES", root.clone())]);
        assert_eq!((code, machine.runs()), (Some(2), Vec::new()), "{arguments:?}: {text}");
        assert!(text.contains("another user can change"), "{arguments:?}: {text}");
    }
    // A library of root's that searches their folder for another one.
    machine.compile(
        "theirs/libneeded.so",
        two_users::LIBRARY,
        &["-shared", "-fPIC", "-Wl,-soname,libneeded.so"],
    );
    let (needed, folder) =
        (machine.path("theirs/libneeded.so"), machine.path("theirs").display().to_string());
    let path = format!("-Wl,-rpath,{folder}");
    machine.compile("needs.so", "", &["-shared", "-Wl,--no-as-needed", needed.to_str().unwrap(), &path]);
    let needs = serde_json::json!({
        "file_format_version": "1.0.1", "ICD": { "library_path": machine.path("needs.so"), "api_version": "1.3.0" },
    });
    fs::write(machine.path("needs.json"), needs.to_string()).unwrap();
    for arguments in COMMANDS {
        let (code, text) = machine.root_runs(arguments, &[("VK_DRIVER_FILES", machine.path("needs.json"))]);
        assert_eq!((code, machine.runs()), (Some(2), Vec::new()), "{arguments:?}: {text}");
        assert!(text.contains("because another user can change"), "{arguments:?}: {text}");
    }
    // A link of theirs, and a folder of theirs above a file of root's.
    chown(machine.path("theirs/libvulkan.so.1"), Some(0), Some(0)).unwrap();
    let (code, text) = machine.root_runs(&["info"], &[("VK_DRIVER_FILES", root)]);
    assert_eq!((code, machine.runs()), (Some(2), Vec::new()), "{text}");
}
