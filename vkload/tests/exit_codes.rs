//! The exit codes in the help and in `docs/scripting.md`. The tests of each command check the codes themselves.

use std::fs;
use std::path::Path;
use std::process::Command;

fn help() -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_vkload")).arg("-h").output().expect("vkload runs");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn the_help_explains_exit_codes() {
    let help = help();
    for words in
        ["Start with:\n", "Exit codes:\n", "  0  answered", "  1  answered", "  2  no answer", "126", "127"]
    {
        assert!(help.contains(words), "{words}: {help}");
    }
}

#[test]
fn every_command_has_its_exit_codes_on_the_page() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/scripting.md");
    let page = fs::read_to_string(page).expect("the page");
    let help = help();
    let commands = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next());
    let lines = commands.expect("a list of commands").lines();
    let names: Vec<_> = lines.filter_map(|line| line.strip_prefix("  ")?.split(' ').next()).collect();
    assert!(names.contains(&"info") && names.contains(&"help"), "{help}");
    for name in names.iter().filter(|name| !["", "help"].contains(name)) {
        assert!(page.contains(&format!("`vkload {name}")), "{name}");
    }
}

#[test]
fn help_that_cannot_be_written_is_an_error() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("the device");
    let output =
        Command::new(env!("CARGO_BIN_EXE_vkload")).arg("--help").stdout(full).output().expect("vkload runs");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

#[test]
fn a_wrong_value_is_refused_with_the_right_ones() {
    let mut vkload = Command::new(env!("CARGO_BIN_EXE_vkload"));
    let output = vkload.args(["settings", "--layer", "X=maybe"]).output().expect("vkload runs");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("write X=on, X=off or X=auto"), "{output:?}");
}
