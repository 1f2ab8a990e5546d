//! `cargo xtask check-targets [PART...]`: the crates without an operating system compile for every target they are meant for, or
//! for those with one of these parts in their names.

use std::env;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::Failure;
use crate::build::{finish, root};

/// Every target, and the packages that are made for its system.
const TARGETS: &[(&str, &[&str])] = &[
    ("aarch64-unknown-linux-gnu", &["platform-linux"]),
    ("aarch64-unknown-linux-musl", &["platform-linux"]),
    ("armv7-unknown-linux-gnueabihf", &["platform-linux"]),
    ("armv7-unknown-linux-musleabihf", &["platform-linux"]),
    ("i686-unknown-linux-gnu", &["platform-linux"]),
    ("i686-unknown-linux-musl", &["platform-linux"]),
    ("riscv64gc-unknown-linux-gnu", &["platform-linux"]),
    ("riscv64gc-unknown-linux-musl", &["platform-linux"]),
    ("x86_64-unknown-linux-musl", &["platform-linux"]),
    ("aarch64-linux-android", &["null-driver-hal", "platform-android"]),
    ("armv7-linux-androideabi", &["null-driver-hal", "platform-android"]),
    ("i686-linux-android", &["null-driver-hal", "platform-android"]),
    ("x86_64-linux-android", &["null-driver-hal", "platform-android"]),
    ("aarch64-unknown-fuchsia", &["libvulkan-fuchsia"]),
    ("x86_64-unknown-fuchsia", &["libvulkan-fuchsia"]),
    ("riscv64gc-unknown-fuchsia", &["libvulkan-fuchsia"]),
];

/// Targets for which Rust ships no libraries. A nightly compiler builds them from its own sources, if it has them.
const FROM_SOURCE: &[&str] = &["riscv64gc-unknown-fuchsia"];

/// Checks every target that is installed or can be; names the others.
pub(crate) fn run(parts: &[String]) -> Result<(), Failure> {
    let mut skipped = Vec::new();
    let mut failed = Vec::new();
    let is_wanted =
        |target: &str| parts.is_empty() || parts.iter().any(|part| target.contains(part.as_str()));
    let wanted: Vec<_> = TARGETS.iter().filter(|(target, _)| is_wanted(target)).collect();
    for (target, packages) in &wanted {
        let from_source = FROM_SOURCE.contains(target);
        if from_source && !has_sources() || !from_source && !is_available(target) {
            skipped.push(*target);
        } else if let Err(error) = check(target, packages, from_source) {
            eprintln!("{target}: {error}");
            failed.push(*target);
        }
    }
    println!("check-targets: {} of {} targets checked", wanted.len() - skipped.len(), wanted.len());
    if !skipped.is_empty() {
        let names = skipped.join(", ");
        println!(
            "check-targets: skipped {} that rustup cannot add, or that need the nightly compiler's rust-src: {names}",
            skipped.len()
        );
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("failed for {}", failed.join(", ")).into()) }
}

/// Returns whether the target's libraries are installed or rustup could fetch them.
pub(crate) fn is_available(target: &str) -> bool {
    let mut rustup = Command::new("rustup");
    rustup.current_dir(root()).args(["target", "add", target]).stdout(Stdio::null()).stderr(Stdio::null());
    rustup.status().is_ok_and(|status| status.success())
}

/// Returns whether a nightly compiler with the sources of the standard library is installed.
fn has_sources() -> bool {
    let mut rustc = Command::new("rustc");
    rustc.env_remove("RUSTUP_TOOLCHAIN").args(["+nightly", "--print", "sysroot"]);
    rustc.output().is_ok_and(|output| {
        let sysroot = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        output.status.success() && Path::new(&sysroot).join("lib/rustlib/src/rust/library/core").is_dir()
    })
}

fn check(target: &str, packages: &[&str], from_source: bool) -> Result<(), Failure> {
    let mut cargo = if from_source {
        let mut cargo = Command::new("cargo");
        // The variables that rustup and cargo set for this program would take precedence over the toolchain named here.
        cargo.env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO");
        cargo.args(["+nightly", "-Zbuild-std=core,alloc"]);
        cargo
    } else {
        Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
    };
    cargo.current_dir(root()).args(["check", "--quiet", "--target", target]);
    for package in ["loader-core", "driver-runtime"].iter().chain(packages) {
        cargo.args(["--package", package]);
    }
    finish(&mut cargo)
}
