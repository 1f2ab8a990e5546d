//! Programs that call `init_doctor`, such as the tool, started with a probe's arguments by another program than their own doctor.

use crate::probe;
use crate::two_users;

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use probe::{Memory, SEALS, SIZE};
use two_users::{Machine, OTHER};

fn subject(machine: &Machine) -> String {
    format!(r#"{{"subject": "driver", "library": "{}"}}"#, machine.path("theirs/libvulkan.so.1").display())
}

#[test]
fn an_elevated_program_never_becomes_a_probe_and_tries_nothing() {
    let Some(machine) = Machine::new() else { return };
    let program = machine.path("tool");
    assert!(Command::new("cp").arg(env!("CARGO_BIN_EXE_vkload")).arg(&program).status().unwrap().success());
    for mode in [0o4755, 0o2755] {
        fs::set_permissions(&program, fs::Permissions::from_mode(mode)).unwrap();
        let memory = Memory::new(std::process::id(), &subject(&machine), SIZE, SEALS);
        let mut command = Command::new(&program);
        // Also as it was once: the descriptor and the subject as arguments.
        command.args(["vkload-probe", "100", &subject(&machine)]).uid(OTHER).gid(OTHER);
        memory.pass_to(&mut command);
        let output = command.output().unwrap();
        assert_eq!((output.status.code(), machine.runs()), (Some(2), Vec::new()), "{output:?}");

        let mut doctor = Command::new(&program);
        let output = doctor
            .arg("doctor")
            .env("LD_LIBRARY_PATH", machine.path("theirs"))
            .uid(OTHER)
            .gid(OTHER)
            .output();
        assert_eq!(machine.runs(), Vec::<String>::new(), "{output:?}");
    }
}

#[test]
fn the_arguments_of_a_probe_start_the_program_as_usual() {
    let Some(machine) = Machine::new() else { return };
    let subject = subject(&machine);
    let usual = |memory: Option<Memory>, arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vkload"));
        command
            .args(arguments)
            .stdin(File::options().read(true).write(true).open(machine.path("memory")).unwrap());
        if let Some(memory) = &memory {
            memory.pass_to(&mut command);
        }
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), machine.runs()), (Some(2), Vec::new()), "{arguments:?}: {text}");
        assert!(text.contains("unrecognized subcommand"), "{arguments:?}: {text}");
    };
    File::create(machine.path("memory")).unwrap().set_len(SIZE).unwrap();
    usual(None, &["vkload-probe"]);
    usual(None, &["vkload-probe", "-1", &subject]);
    usual(None, &["vkload-probe", "0", &subject]);
    let own = std::process::id();
    for (parent, size, seals) in [(own + 1, SIZE, SEALS), (own, SIZE, 0), (own, SIZE / 2, SEALS)] {
        usual(Some(Memory::new(parent, &subject, size, seals)), &["vkload-probe"]);
    }
    // So the checks above can fail.
    let memory = Memory::new(own, &subject, SIZE, SEALS);
    let mut command = Command::new(env!("CARGO_BIN_EXE_vkload"));
    memory.pass_to(command.arg("vkload-probe"));
    assert!(
        command.status().unwrap().success() && machine.runs().len() == 1 && memory.text().contains("stage")
    );
}
