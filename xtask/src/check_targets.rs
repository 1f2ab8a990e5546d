//! `cargo xtask check-targets [PART...]`: the crates without an operating system compile for every target they are meant for, or
//! for those with one of these parts in their names.

use crate::Failure;
use crate::command::Run;
use crate::toolchain::{cargo, has_sources, is_available, nightly};

/// Every target, and the packages that are made for its system.
const TARGETS: &[(&str, &[&str])] = &[
    ("aarch64-unknown-linux-gnu", &["vkload-linux"]),
    ("aarch64-unknown-linux-musl", &["vkload-linux"]),
    ("armv7-unknown-linux-gnueabihf", &["vkload-linux"]),
    ("armv7-unknown-linux-musleabihf", &["vkload-linux"]),
    ("i686-unknown-linux-gnu", &["vkload-linux"]),
    ("i686-unknown-linux-musl", &["vkload-linux"]),
    ("riscv64gc-unknown-linux-gnu", &["vkload-linux"]),
    ("riscv64gc-unknown-linux-musl", &["vkload-linux"]),
    ("x86_64-unknown-linux-musl", &["vkload-linux"]),
    ("aarch64-linux-android", &["null-driver-hal", "platform-android-apk", "platform-android-system"]),
    ("armv7-linux-androideabi", &["null-driver-hal", "platform-android-apk", "platform-android-system"]),
    ("i686-linux-android", &["null-driver-hal", "platform-android-apk", "platform-android-system"]),
    ("x86_64-linux-android", &["null-driver-hal", "platform-android-apk", "platform-android-system"]),
    ("aarch64-unknown-fuchsia", &["libvulkan-fuchsia"]),
    ("x86_64-unknown-fuchsia", &["libvulkan-fuchsia"]),
    ("riscv64gc-unknown-fuchsia", &["libvulkan-fuchsia"]),
    ("aarch64-unknown-none", &["bare-program"]),
    ("loongarch64-unknown-none", &["bare-program"]),
    ("riscv64gc-unknown-none-elf", &["bare-program"]),
    ("thumbv7em-none-eabihf", &["bare-program"]),
    ("x86_64-unknown-none", &["bare-program"]),
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

fn check(target: &str, packages: &[&str], from_source: bool) -> Result<(), Failure> {
    // A debug build of a shared library takes its panic handler from the standard library, which not every target has.
    let mut cargo =
        if from_source { nightly("check --release -Zbuild-std=core,alloc") } else { cargo("check") };
    cargo.args(["--quiet", "--target", target]);
    for package in ["vkload-core", "vkload-driver-runtime"].iter().chain(packages) {
        cargo.args(["--package", package]);
    }
    cargo.finish()
}
