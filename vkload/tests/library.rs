//! Programs that carry the loader: two bindings, drivers beside the program, and the doctor.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ash::vk;
use vkload_tests::{Device, Driver, Sandbox};

/// Returns an example, which cargo builds with all tests of the package.
fn example(name: &str) -> PathBuf {
    let test = env::current_exe().expect("a path");
    let example = test.ancestors().nth(2).expect("cargo's folders").join("examples").join(name);
    let command = "cargo build -p vkload --features vulkanalia --examples";
    assert!(example.exists(), "{} does not exist: run `{command}` first", example.display());
    example
}

/// Runs a program with only the sandbox's contents.
fn run(program: &Path, sandbox: &Sandbox, variables: &[(&str, &str)]) -> Output {
    let mut program = Command::new(program);
    program.env_clear().envs(sandbox.environment()).envs(variables.iter().copied());
    program.output().expect("a program")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_program_that_carries_the_loader_lists_the_devices() {
    let sandbox = Sandbox::new();
    Driver::new("good").device(Device::new("gpu")).install(&sandbox);
    for name in ["devices", "vulkanalia"] {
        let output = run(&example(name), &sandbox, &[]);
        assert!(output.status.success(), "{name}: {}", text(&output.stderr));
        assert_eq!(text(&output.stdout), "gpu\n", "{name}");
    }
}

#[test]
fn drivers_beside_the_program_are_used_unless_a_variable_replaces_them() {
    let sandbox = Sandbox::new();
    Driver::new("good").device(Device::new("gpu")).folder("program/drivers").install(&sandbox);
    let program = sandbox.path("program/devices");
    // Not by this process: a child that another thread starts meanwhile would have the open file, and the program would be busy.
    assert!(Command::new("cp").arg(example("devices")).arg(&program).status().expect("cp").success());
    let output = run(&program, &sandbox, &[]);
    assert_eq!(text(&output.stdout), "gpu\n", "{}", text(&output.stderr));
    let output = run(&program, &sandbox, &[("VK_DRIVER_FILES", "/nowhere/x.json")]);
    assert!(!output.status.success(), "{}", text(&output.stdout));
    let said = text(&output.stderr);
    assert!(said.contains("\nerror: VK_DRIVER_FILES is \"/nowhere/x.json\""), "{said}");
    assert!(said.contains("\n  -> unset VK_DRIVER_FILES"), "{said}");
    let message = said.lines().next().unwrap_or_default();
    assert!(
        message.starts_with("Vulkan: Error: ") && message.ends_with("; this program's page explains more"),
        "{said}"
    );
    assert!(!said.contains("[Vulkan Loader]"), "{said}");
}

#[test]
fn the_doctor_tries_drivers_in_processes_of_the_program() {
    let sandbox = Sandbox::new();
    let failure = vk::Result::ERROR_INITIALIZATION_FAILED;
    Driver::new("bad").result("vkEnumeratePhysicalDevices", failure).install(&sandbox);
    let output = run(&example("devices"), &sandbox, &[]);
    let said = text(&output.stderr);
    assert!(said.contains("vkEnumeratePhysicalDevices"), "{said}");
}
