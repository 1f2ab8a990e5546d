//! `cargo xtask miri`: the core's tests without machine code, run by an interpreter that finds undefined behaviour.

use std::process::Command;

use crate::Failure;
use crate::build::{finish, root};

/// The beginnings of the tests' names. The rest of the core calls trampolines, which Miri cannot interpret.
const TESTS: &[&str] = &["memory::", "manifest::", "registry::", "discovery::", "abi::chain"];

/// Needs a nightly compiler with the components `miri` and `rust-src`, and some minutes.
pub(crate) fn run(_: &[String]) -> Result<(), Failure> {
    let mut cargo = Command::new("cargo");
    // The variable that rustup sets for this program would take precedence over the toolchain named here.
    cargo.current_dir(root()).env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO");
    cargo.args(["+nightly", "miri", "test", "--package", "loader-core", "--lib", "--"]).args(TESTS);
    finish(&mut cargo)
}
