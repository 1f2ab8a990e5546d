//! `cargo xtask bare [PART...]`: the platform template runs without an operating system: a program that contains the loader and the
//! null driver is built for five processors, and run by emulators.

use std::fs;

use object::{Object, ObjectSection, SectionKind};

use crate::Failure;
use crate::command::{Run, command};
use crate::toolchain::{cargo, is_available, report_skipped};
use crate::workspace::target_folder;

/// Every target, and the emulator of its programs.
const TARGETS: &[(&str, &str)] = &[
    ("x86_64-unknown-none", "qemu-x86_64"),
    ("aarch64-unknown-none", "qemu-aarch64"),
    ("riscv64gc-unknown-none-elf", "qemu-riscv64"),
    ("thumbv7em-none-eabihf", "qemu-arm"),
    ("loongarch64-unknown-none", "qemu-loongarch64"),
];

/// Builds and runs the program for each target, or for those with one of these parts in their names.
pub(crate) fn run(parts: &[String]) -> Result<(), Failure> {
    let mut skipped = Vec::new();
    for (target, emulator) in TARGETS {
        if !parts.is_empty() && !parts.iter().any(|part| target.contains(part.as_str())) {
            continue;
        }
        if is_available(target) { test(target, emulator)? } else { skipped.push(*target) }
    }
    report_skipped("bare", &skipped);
    Ok(())
}

fn test(target: &str, emulator: &str) -> Result<(), Failure> {
    // Nothing moves the program to another address.
    let flags = format!("target.{target}.rustflags=[\"-Crelocation-model=static\"]");
    let mut cargo = cargo("build --quiet --release --package bare-program");
    cargo.args(["--target", target, "--config", &flags]).finish()?;
    let program = target_folder().join(target).join("release/bare-program");
    let content = fs::read(&program)?;
    let file = object::File::parse(&*content)?;
    let loaded = [SectionKind::Text, SectionKind::ReadOnlyData, SectionKind::Data];
    let sections = file.sections().filter(|section| loaded.contains(&section.kind()));
    let size: u64 = sections.map(|section| section.size()).sum();
    if !command(emulator).arg("--version").succeeds() {
        println!("{target}: {size} bytes, not run: no {emulator} here (qemu-user)");
        return Ok(());
    }
    let said = command(emulator).arg(&program).read()?;
    println!("{target}: {size} bytes; {}", said.replace('\n', "; "));
    Ok(())
}
