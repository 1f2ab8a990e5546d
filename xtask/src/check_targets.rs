//! `cargo xtask check-targets`: the crates without an operating system compile for every target they are meant for.

use std::env;
use std::process::{Command, Stdio};

use crate::Failure;
use crate::build::{finish, root};

/// Every target, and whether the Linux platform is for it.
const TARGETS: &[(&str, bool)] = &[
    ("aarch64-unknown-linux-gnu", true),
    ("aarch64-unknown-linux-musl", true),
    ("armv7-unknown-linux-gnueabihf", true),
    ("armv7-unknown-linux-musleabihf", true),
    ("i686-unknown-linux-gnu", true),
    ("i686-unknown-linux-musl", true),
    ("riscv64gc-unknown-linux-gnu", true),
    ("riscv64gc-unknown-linux-musl", true),
    ("x86_64-unknown-linux-musl", true),
    ("aarch64-linux-android", false),
    ("armv7-linux-androideabi", false),
    ("i686-linux-android", false),
    ("x86_64-linux-android", false),
    ("aarch64-unknown-fuchsia", false),
    ("x86_64-unknown-fuchsia", false),
];

/// Checks every target that is installed or can be; names the others.
pub(crate) fn run(_: &[String]) -> Result<(), Failure> {
    let mut skipped = Vec::new();
    let mut failed = Vec::new();
    for (target, is_linux) in TARGETS {
        if !is_available(target) {
            skipped.push(*target);
        } else if let Err(error) = check(target, *is_linux) {
            eprintln!("{target}: {error}");
            failed.push(*target);
        }
    }
    println!("check-targets: {} of {} targets checked", TARGETS.len() - skipped.len(), TARGETS.len());
    if !skipped.is_empty() {
        println!("check-targets: skipped {} that rustup cannot add: {}", skipped.len(), skipped.join(", "));
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("failed for {}", failed.join(", ")).into()) }
}

/// Whether the target's libraries are there or rustup could fetch them.
pub(crate) fn is_available(target: &str) -> bool {
    let mut rustup = Command::new("rustup");
    rustup.current_dir(root()).args(["target", "add", target]).stdout(Stdio::null()).stderr(Stdio::null());
    rustup.status().is_ok_and(|status| status.success())
}

fn check(target: &str, is_linux: bool) -> Result<(), Failure> {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root()).args(["check", "--quiet", "--target", target]);
    cargo.args(["--package", "loader-core", "--package", "driver-runtime"]);
    if target.contains("android") {
        cargo.args(["--package", "null-driver-hal"]);
    }
    if is_linux {
        cargo.args(["--package", "platform-linux"]);
    }
    finish(&mut cargo)
}
