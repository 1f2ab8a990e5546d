//! The tool run by root while another user's files, variables and processes are hostile: none of their code runs as root.

use crate::two_users;

use std::fs;
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
    let (_, text) = machine.root_runs(&["doctor", "--pid", &running.id()], &[]);
    let runs = machine.runs();
    let expected = format!("{OTHER} {OTHER} {OTHER} {OTHER} {OTHER} {OTHER} 0 1");
    assert!(!runs.is_empty() && runs.iter().all(|run| *run == expected), "{runs:?}\n{text}");
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
    for mode in [0o4755, 0o2755] {
        machine.mode("program", mode);
        let mut program = Command::new(machine.path("program"));
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
    &["layers"],
    &["chain"],
    &["settings", "--dry-run", "--only-hardware"],
    &["settings", "--dry-run", "--device", "x"],
];

#[test]
fn variables_that_lead_to_another_users_files_have_no_effect_for_root() {
    let Some(machine) = Machine::new() else { return };
    for arguments in COMMANDS {
        let variables = machine.hostile();
        // The dynamic linker loads this into the tool before its first instruction.
        let (_, text) = machine.root_runs(arguments, &variables[1..]);
        assert_eq!(machine.runs(), [""; 0], "{arguments:?}: {text}");
        assert!(text.contains("VK_DRIVER_FILES") && text.contains("left out"), "{arguments:?}: {text}");
    }
}

#[test]
fn a_library_that_another_user_can_change_is_not_opened_by_root() {
    let Some(machine) = Machine::new() else { return };
    let root = machine.path("of-root.json");
    for arguments in COMMANDS.iter().filter(|arguments| !["layers", "chain"].contains(&arguments[0])) {
        let (code, text) = machine.root_runs(arguments, &[("VK_DRIVER_FILES", root.clone())]);
        assert_eq!((code, machine.runs()), (Some(2), Vec::new()), "{arguments:?}: {text}");
        assert!(text.contains("another user can change"), "{arguments:?}: {text}");
    }
    // A link of theirs, and a folder of theirs above a file of root's.
    chown(machine.path("theirs/libvulkan.so.1"), Some(0), Some(0)).unwrap();
    let (code, text) = machine.root_runs(&["info"], &[("VK_DRIVER_FILES", root)]);
    assert_eq!((code, machine.runs()), (Some(2), Vec::new()), "{text}");
}
