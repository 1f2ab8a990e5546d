//! `cargo xtask fuchsia-abi`: builds Fuchsia's `libvulkan.so`, and checks its interface to the system.
//!
//! It is linked with the libraries of an SDK, or with stand-ins for them. The result is the same, since a library records only its
//! dependencies' names.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use clap::Args;

use crate::Failure;
use crate::abi::{self, Check, Expected, end};
use crate::command::Run;
use crate::elf::Facts;
use crate::imports::Imports;
use crate::toolchain::{self, is_available, report_skipped};
use crate::workspace::{lines, target_folder};

pub(crate) const TARGETS: [&str; 2] = ["x86_64-unknown-fuchsia", "aarch64-unknown-fuchsia"];
/// The target whose code a test runs on machines of the same kind.
const RUNS_HERE: &str = "x86_64-unknown-fuchsia";
const EXPORTS: &str = "platform-fuchsia/exports.txt";
const IMPORTS: &str = "platform-fuchsia/imports.txt";

/// Bytes of a page. Each segment becomes a mapping of its own.
const PAGE: u64 = 4096;

const CHECKS: &[Check] = &[
    abi::may_be_loaded,
    abi::exports,
    abi::addresses_differ,
    abi::allocations_may_fail,
    abi::imports,
    abi::freestanding,
    segments_begin_with_pages,
];

/// The API levels that have a name instead of a number (`platform-fuchsia/src/api_level.rs`).
const LEVELS: &[&str] = &["NEXT", "HEAD", "PLATFORM"];

#[derive(Args)]
pub(crate) struct Options {
    /// The API level that drivers get, of the libraries' SDK
    #[arg(long, value_name = "LEVEL", value_parser = level)]
    api: Option<String>,
    /// Link with the libraries of an SDK in these folders, not with stand-ins
    // The level is required, since the library is for systems of that SDK's level.
    #[arg(long, value_name = "DIR:DIR", requires = "api", requires = "target")]
    libraries: Option<OsString>,
    /// The only target
    #[arg(value_parser = TARGETS)]
    target: Option<String>,
}

fn level(text: &str) -> Result<String, String> {
    let is_level = LEVELS.contains(&text) || text.parse::<u32>().is_ok();
    is_level
        .then(|| text.to_owned())
        .ok_or_else(|| format!("give the number of the SDK's API level, or {}", LEVELS.join(", ")))
}

/// Builds and checks the library for every target with a compiler on this machine; names the others.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let level = options.api.as_deref().unwrap_or("HEAD");
    let is_chosen = |target: &&str| options.target.as_ref().is_none_or(|chosen| chosen == target);
    let targets: Vec<_> = TARGETS.into_iter().filter(is_chosen).collect();
    println!("fuchsia-abi: drivers get the API level {level}");
    let (mut complaints, mut skipped) = (Vec::new(), Vec::new());
    for target in &targets {
        if !is_available(target) {
            skipped.push(*target);
            continue;
        }
        let folders = match &options.libraries {
            Some(folders) => env::split_paths(folders).map(std::path::absolute).collect::<Result<_, _>>()?,
            None => vec![Imports::of(IMPORTS)?.stand_ins(target, |_| None)?],
        };
        let release = build("libvulkan-fuchsia", target, &folders, level)?;
        let library = release.join("libvulkan_fuchsia.so");
        let facts = Facts::of(&library)?;
        println!("{}: {}", library.display(), facts.summary());
        let found = check(&facts, target)?;
        complaints.extend(found.into_iter().map(|it| format!("{}: {it}", library.display())));
    }
    println!("fuchsia-abi: {} of {} targets checked", targets.len() - skipped.len(), targets.len());
    report_skipped("fuchsia-abi", &skipped);
    end(&complaints)
}

/// Builds the shared library of a package, linked with the libraries in these folders. Returns the folder with it. On a target whose code
/// runs here, builds another one for `platform-fuchsia/tests/library.rs`: its relocations are of the kind that this machine's linker knows.
pub(crate) fn build(
    package: &str,
    target: &str,
    libraries: &[PathBuf],
    level: &str,
) -> Result<PathBuf, Failure> {
    let flags: Vec<_> = libraries.iter().map(|folder| format!("-Lnative={}", folder.display())).collect();
    let cargo = |command: &str| -> Command {
        let mut cargo = toolchain::cargo("");
        // These are in addition to the repository's own flags.
        cargo.arg("--config").arg(format!("build.rustflags={flags:?}"));
        cargo.args([command, "--quiet", "--release", "--package", package, "--target", target]);
        cargo
    };
    cargo("build").env("FUCHSIA_API_LEVEL", level).finish()?;
    if target == RUNS_HERE {
        let mut here = cargo("rustc");
        here.arg("--target-dir").arg(target_folder().join("fuchsia-here"));
        here.args(["--", "-Clink-arg=-zrela", "-Clink-arg=--pack-dyn-relocs=none"]).finish()?;
    }
    Ok(target_folder().join(target).join("release"))
}

/// Returns the problems of the library, by the rows of Fuchsia's checklist.
fn check(facts: &Facts, target: &str) -> Result<Vec<String>, Failure> {
    let imports = Imports::of(IMPORTS)?;
    let expected = Expected {
        soname: "libvulkan.so",
        needed: imports.libraries(),
        exports: lines(EXPORTS)?,
        list: EXPORTS,
        version: None,
        imports: imports.clone(),
    };
    let mut found = expected.complaints(facts, CHECKS);
    // Code for 64-bit Arm is mapped so that it can be run and not read.
    let is_readable = |segment: &&crate::elf::Segment| segment.is_executable && segment.is_readable;
    for segment in facts.segments.iter().filter(is_readable).filter(|_| target.starts_with("aarch64")) {
        found.push(format!("the segment at {:#x} has code that can be read", segment.address));
    }
    Ok(found)
}

/// Checks that segments can be mapped by pages of their own.
fn segments_begin_with_pages(_: &Expected<'_>, facts: &Facts, complaints: &mut Vec<String>) {
    for segment in &facts.segments {
        let (offset, address) = (segment.offset, segment.address);
        if [offset, address, segment.align].iter().any(|number| !number.is_multiple_of(PAGE)) {
            complaints
                .push(format!("the segment at {address:#x} (offset {offset:#x}) does not begin with a page"));
        }
    }
    if facts.segments.is_empty() {
        complaints.push("it has no segments".into());
    }
}

#[cfg(test)]
mod tests;
