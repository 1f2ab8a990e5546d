//! The example does what the README promises: a program with the loader finds drivers by itself.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Output};

use vkload_tests::{Device, Driver, Sandbox};

/// Runs the example, which cargo builds beside the tests, with only the sandbox's contents.
fn run(sandbox: &Sandbox) -> Output {
    let test = env::current_exe().expect("a path");
    let target: PathBuf = test.parent().and_then(|deps| deps.parent()).expect("cargo's folders").into();
    let mut example = Command::new(target.join("examples/devices"));
    example.env_clear().envs(sandbox.environment()).output().expect("the example is built")
}

#[test]
fn a_program_that_carries_the_loader_lists_the_devices() {
    let sandbox = Sandbox::new();
    Driver::new("good").device(Device::new("gpu")).install(&sandbox);
    let output = run(&sandbox);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.stdout, b"gpu\n");
}

#[test]
fn without_a_driver_it_ends_with_an_error_that_says_why() {
    let output = run(&Sandbox::new());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("driver manifest") && errors.contains("ERROR_INCOMPATIBLE_DRIVER"), "{errors}");
}
