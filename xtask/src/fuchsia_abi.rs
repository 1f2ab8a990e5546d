//! `cargo xtask fuchsia-abi`: builds Fuchsia's `libvulkan.so`, and checks its interface to the system.
//!
//! It is linked with the libraries of an SDK, or with stand-ins for them. The result is the same, since a library records only its
//! dependencies' names.

use std::collections::BTreeSet;
use std::env;
use std::path::PathBuf;
use std::process::Command;

use crate::Failure;
use crate::abi::{Expected, end};
use crate::command::Run;
use crate::elf::Facts;
use crate::freestanding;
use crate::imports::{Imports, linked_with};
use crate::toolchain::{self, is_available, report_skipped};
use crate::workspace::target_folder;

pub(crate) const TARGETS: &[&str] = &["x86_64-unknown-fuchsia", "aarch64-unknown-fuchsia"];
/// The target whose code a test runs on machines of the same kind.
pub(crate) const RUNS_HERE: &str = "x86_64-unknown-fuchsia";
const PACKAGE: &str = "libvulkan-fuchsia";
const SONAME: &str = "libvulkan.so";
/// Cargo's name for the library.
const BUILT: &str = "libvulkan_fuchsia.so";
const EXPORTS: &str = "platform-fuchsia/exports.txt";
const IMPORTS: &str = "platform-fuchsia/imports.txt";

/// Bytes of a page. Each segment becomes a mapping of its own.
const PAGE: u64 = 4096;

/// Builds and checks the library for every target with a compiler on this machine; names the others.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let Options { targets, libraries, level } = Options::of(arguments)?;
    println!("fuchsia-abi: drivers are told the API level {level}");
    let imports = Imports::of(IMPORTS)?;
    let (mut complaints, mut used, mut skipped) = (Vec::new(), BTreeSet::new(), Vec::new());
    for target in targets {
        if !is_available(target) {
            skipped.push(*target);
            continue;
        }
        let folders = match libraries {
            Some(folders) => env::split_paths(folders).map(std::path::absolute).collect::<Result<_, _>>()?,
            None => vec![imports.stand_ins(target, |_| None)?],
        };
        let library = build(target, &folders, level)?;
        let facts = Facts::of(&library)?;
        println!("{}: {} exports, needs {}", library.display(), facts.exports.len(), facts.needed.join(", "));
        let found = check(&facts, &imports, target);
        complaints.extend(found.into_iter().map(|it| format!("{}: {it}", library.display())));
        used.extend(facts.imports);
        if *target == RUNS_HERE {
            build_to_run_here(PACKAGE, &folders)?;
        }
    }
    println!("fuchsia-abi: {} of {} targets checked", targets.len() - skipped.len(), targets.len());
    if !skipped.is_empty() {
        report_skipped("fuchsia-abi", &skipped);
        return end(&complaints);
    }
    // The unused ones also depend on the compiler.
    let unused: Vec<_> = imports.functions().into_iter().filter(|name| !used.contains(*name)).collect();
    println!("fuchsia-abi: of {IMPORTS}, not used at present: {}", unused.join(", "));
    end(&complaints)
}

/// The API levels that have a name instead of a number (`platform-fuchsia/src/api_level.rs`).
const LEVELS: &[&str] = &["NEXT", "HEAD", "PLATFORM"];

/// The command-line options.
#[derive(Debug, PartialEq)]
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
        let (rest, level) = match arguments {
            [option, level, rest @ ..] if option == "--api" => (rest, Some(level.as_str())),
            [rest @ .., option, level] if option == "--api" => (rest, Some(level.as_str())),
            rest => (rest, None),
        };
        if let Some(level) = level.filter(|level| !LEVELS.contains(level) && level.parse::<u32>().is_err()) {
            return Err(format!(
                "--api {level}: give the number of the SDK's API level, or {}",
                LEVELS.join(", ")
            )
            .into());
        }
        match (rest, level) {
            ([], level) => Ok(Self { targets: TARGETS, libraries: None, level: level.unwrap_or("HEAD") }),
            ([option, folders, target], Some(level)) if option == "--libraries" => {
                Ok(Self { targets: one_of_targets(target)?, libraries: Some(folders), level })
            }
            ([option, _, _], None) if option == "--libraries" => {
                Err("name the API level that the SDK's libraries are for, which drivers are told: --api NUMBER, or --api HEAD".into())
            }
            _ => Err("the options are --libraries DIR:DIR... TARGET and --api LEVEL".into()),
        }
    }
}

fn one_of_targets(name: &str) -> Result<&'static [&'static str], Failure> {
    let index = TARGETS.iter().position(|target| *target == name);
    let found = index.and_then(|index| TARGETS.get(index..=index));
    found.ok_or_else(|| format!("the targets are {}, not {name}", TARGETS.join(" and ")).into())
}

fn build(target: &str, libraries: &[PathBuf], level: &str) -> Result<PathBuf, Failure> {
    cargo("build", PACKAGE, target, libraries).env("FUCHSIA_API_LEVEL", level).finish()?;
    Ok(target_folder().join(target).join("release").join(BUILT))
}

/// Builds a library for `platform-fuchsia/tests/library.rs`: its relocations are of the kind that this machine's linker knows.
pub(crate) fn build_to_run_here(package: &str, libraries: &[PathBuf]) -> Result<(), Failure> {
    let mut cargo = cargo("rustc", package, RUNS_HERE, libraries);
    cargo.arg("--target-dir").arg(target_folder().join("fuchsia-here"));
    cargo.args(["--", "-Clink-arg=-zrela", "-Clink-arg=--pack-dyn-relocs=none"]).finish()
}

fn cargo(command: &str, package: &str, target: &str, libraries: &[PathBuf]) -> Command {
    let mut cargo = toolchain::cargo("");
    cargo.args(linked_with(libraries)).args([command, "--quiet", "--release"]);
    cargo.args(["--package", package, "--target", target]);
    cargo
}

/// Returns the problems of the library, by the rows of Fuchsia's checklist.
fn check(facts: &Facts, imports: &Imports, target: &str) -> Vec<String> {
    let mut found = a32_its_name_and_exports(facts, imports);
    found.extend(freestanding::unwinder(facts));
    found.extend(freestanding::standard_library(facts));
    found.extend(segments_can_be_mapped(facts, target));
    found
}

fn a32_its_name_and_exports(facts: &Facts, imports: &Imports) -> Vec<String> {
    let mut found = Expected::new(SONAME, &imports.libraries(), EXPORTS).complaints(facts);
    let functions = imports.functions();
    for name in facts.imports.iter().filter(|name| !functions.contains(name.as_str())) {
        found.push(format!("it uses {name}, which is not in {IMPORTS}"));
    }
    found
}

/// Segments are mapped by pages of their own. Code for 64-bit Arm is mapped so that it can be run and not read.
fn segments_can_be_mapped(facts: &Facts, target: &str) -> Vec<String> {
    let mut found = Vec::new();
    for segment in &facts.segments {
        let (offset, address) = (segment.offset, segment.address);
        if [offset, address, segment.align].iter().any(|number| !number.is_multiple_of(PAGE)) {
            found
                .push(format!("the segment at {address:#x} (offset {offset:#x}) does not begin with a page"));
        }
        if target.starts_with("aarch64") && segment.is_executable && segment.is_readable {
            found.push(format!("the segment at {address:#x} has code that can be read"));
        }
    }
    if facts.segments.is_empty() {
        found.push("it has no segments".into());
    }
    found
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::elf::Segment;
    use crate::workspace::root;

    const CODE: Segment =
        Segment { offset: PAGE, address: 3 * PAGE, align: PAGE, is_readable: false, is_executable: true };

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_library_for_an_sdk_is_not_built_without_its_level() {
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let level = |line: &str| {
            let words = words(line);
            Options::of(&words).map(|options| options.level.to_owned()).map_err(|error| error.to_string())
        };
        assert_eq!(level(""), Ok("HEAD".into()));
        assert_eq!(level("--api 27"), Ok("27".into()));
        for line in [
            "--api 27 --libraries a:b x86_64-unknown-fuchsia",
            "--libraries a x86_64-unknown-fuchsia --api 27",
        ] {
            assert_eq!(level(line), Ok("27".into()));
        }
        assert!(level("--libraries a:b x86_64-unknown-fuchsia").unwrap_err().contains("--api NUMBER"));
        assert_eq!(level("--api PLATFORM"), Ok("PLATFORM".into()));
        assert!(level("--api next").unwrap_err().contains("or NEXT, HEAD, PLATFORM"));
    }

    #[test]
    fn a30_an_unwinder_or_landing_pads_are_found() {
        let with = |imports: &[&str], sections: &[&str]| {
            let facts = Facts { imports: names(imports), sections: names(sections), ..Facts::default() };
            freestanding::unwinder(&facts).len()
        };
        assert_eq!(with(&["memcpy"], &[".text", ".eh_frame"]), 0);
        assert_eq!(with(&["rust_eh_personality", "_Unwind_Resume"], &[]), 2);
        assert_eq!(with(&[], &[".gcc_except_table"]), 1);
        let exports = [("rust_eh_personality".to_owned(), 16)].into();
        assert_eq!(freestanding::unwinder(&Facts { exports, ..Facts::default() }).len(), 1);
    }

    #[test]
    fn a31_symbols_of_std_are_found_and_others_not() {
        let of = |name| {
            freestanding::standard_library(&Facts { symbols: names(&[name]), ..Facts::default() }).len()
        };
        assert_eq!(of("_ZN3std2io5stdio6_print17h0123456789abcdefE"), 1);
        assert_eq!(of("_RNvNtCsfLfy6EI15iL_3std2rt10lang_start"), 1);
        assert_eq!(of("_ZN4core3std17h0123456789abcdefE"), 0);
        assert_eq!(of("vkCmdDraw_3std"), 0);
    }

    #[test]
    fn a32_another_name_or_library_or_import_is_a_complaint() {
        let imports = Imports::of(IMPORTS).unwrap();
        assert_eq!(imports.libraries(), ["libc.so", "libfdio.so", "libzircon.so"]);
        let listed = fs::read_to_string(root().join(EXPORTS)).unwrap();
        let good = || Facts {
            soname: SONAME.into(),
            needed: names(&imports.libraries()),
            exports: listed.lines().map(str::to_owned).zip(1..).collect(),
            imports: names(&["memcpy", "zx_channel_call"]),
            symbols: names(&["vkCmdDraw"]),
            binds_now: true,
            has_relro: true,
            ..Facts::default()
        };
        let complaints = |facts: &Facts| a32_its_name_and_exports(facts, &imports);
        assert_eq!(complaints(&good()), [""; 0]);
        let soname = "libvulkan.so.1".into();
        assert_eq!(
            complaints(&Facts { soname, ..good() }),
            [r#"SONAME is "libvulkan.so.1", not libvulkan.so"#]
        );
        assert_eq!(complaints(&Facts { needed: names(&["libc.so"]), ..good() }).len(), 1);
        let mut facts = good();
        facts.exports.remove("vkCreateImagePipeSurfaceFUCHSIA");
        assert_eq!(
            complaints(&facts),
            ["vkCreateImagePipeSurfaceFUCHSIA is in platform-fuchsia/exports.txt but is not exported"]
        );
        let imports = names(&["memcpy", "secure_getenv"]);
        assert_eq!(
            complaints(&Facts { imports, ..good() }),
            ["it uses secure_getenv, which is not in platform-fuchsia/imports.txt"]
        );
    }

    #[test]
    fn segments_begin_with_pages_and_code_for_arm_cannot_be_read() {
        let complaints = |segment, target| {
            segments_can_be_mapped(&Facts { segments: vec![segment], ..Facts::default() }, target).len()
        };
        assert_eq!(complaints(CODE, TARGETS[1]), 0);
        assert_eq!(complaints(Segment { offset: PAGE + 16, ..CODE }, TARGETS[1]), 1);
        assert_eq!(complaints(Segment { align: 16, ..CODE }, TARGETS[0]), 1);
        assert_eq!(complaints(Segment { is_readable: true, ..CODE }, TARGETS[0]), 0);
        assert_eq!(complaints(Segment { is_readable: true, ..CODE }, TARGETS[1]), 1);
    }
}
