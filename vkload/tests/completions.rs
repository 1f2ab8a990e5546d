//! `vkload completions` as a user meets it.

use std::process::{Command, Output};

fn completions(shell: &str) -> Output {
    let mut vkload = Command::new(env!("CARGO_BIN_EXE_vkload"));
    vkload.args(["completions", shell]).output().expect("vkload runs")
}

#[test]
fn the_script_of_each_shell_knows_the_commands() {
    for shell in ["bash", "zsh", "fish"] {
        let output = completions(shell);
        let script = String::from_utf8(output.stdout).expect("UTF-8");
        assert!(output.status.success(), "{shell}");
        for command in ["info", "doctor", "paths", "chain", "replay", "exec", "settings", "completions"] {
            assert!(script.contains(command), "{shell} does not know {command}: {script}");
        }
        // A hidden command: the doctor starts it.
        let words = script.replace("no-probe", "");
        assert!(!words.contains("vkload-probe"), "{shell}: {script}");
    }
}

#[test]
fn a_shell_that_is_not_known_is_a_mistake_that_names_the_known_ones() {
    let output = completions("nosuchshell");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("nosuchshell") && said.contains("bash") && said.contains("zsh"), "{said}");
}
