//! `cargo xtask fuchsia-abi`: builds Fuchsia's `libvulkan.so`, and checks its interface to the system.
//!
//! It is linked with the libraries of an SDK, or with stand-ins for them. The result is the same, since a library records only its
//! dependencies' names.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use crate::Failure;
use crate::abi::{self, Check, Expected, end};
use crate::command::Run;
use crate::elf::Facts;
use crate::imports::Imports;
use crate::toolchain::{self, is_available, report_skipped};
use crate::workspace::{lines, target_folder};

pub(crate) const TARGETS: &[&str] = &["x86_64-unknown-fuchsia", "aarch64-unknown-fuchsia"];
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

/// Builds and checks the library for every target with a compiler on this machine; names the others.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let Options { targets, libraries, level } = Options::of(arguments)?;
    println!("fuchsia-abi: drivers are told the API level {level}");
    let (mut complaints, mut skipped) = (Vec::new(), Vec::new());
    for target in targets {
        if !is_available(target) {
            skipped.push(*target);
            continue;
        }
        let folders = match libraries {
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

/// The API levels that have a name instead of a number (`platform-fuchsia/src/api_level.rs`).
const LEVELS: &[&str] = &["NEXT", "HEAD", "PLATFORM"];

struct Options<'a> {
    targets: &'static [&'static str],
    /// The folders of an SDK's libraries, with colons.
    libraries: Option<&'a String>,
    /// The API level passed to drivers: a number, or one of `LEVELS`.
    level: &'a str,
}

impl<'a> Options<'a> {
    /// Parses the options. Linking with an SDK requires a level, since the library is for systems of that SDK's level.
    fn of(arguments: &'a [String]) -> Result<Self, Failure> {
        let (mut targets, mut libraries, mut level) = (TARGETS, None, None);
        let mut words = arguments.iter();
        while let Some(option) = words.next() {
            match (option.as_str(), words.next()) {
                ("--api", Some(value)) if LEVELS.contains(&&**value) || value.parse::<u32>().is_ok() => {
                    level = Some(value.as_str());
                }
                ("--api", _) => {
                    return Err(format!(
                        "--api: give the number of the SDK's API level, or {}",
                        LEVELS.join(", ")
                    )
                    .into());
                }
                ("--libraries", Some(folders)) => {
                    let at = words.next().and_then(|name| TARGETS.iter().position(|target| target == name));
                    let named = at.and_then(|at| TARGETS.get(at..=at));
                    targets = named.ok_or_else(|| format!("the targets are {}", TARGETS.join(" and ")))?;
                    libraries = Some(folders);
                }
                _ => return Err("the options are --libraries DIR:DIR... TARGET and --api LEVEL".into()),
            }
        }
        if libraries.is_some() && level.is_none() {
            return Err(
                "name the API level of the SDK's libraries, which drivers get: --api NUMBER, or --api HEAD"
                    .into(),
            );
        }
        Ok(Self { targets, libraries, level: level.unwrap_or("HEAD") })
    }
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
