//! `cargo xtask driver-abi`: checks the null driver's interface to the systems that open it.
//!
//! A driver exports only the names that loaders look for. On Fuchsia it also needs only the C library and the kernel's functions; without
//! an SDK, both are replaced by stand-ins that have only the functions that a driver may use, without code.

use std::collections::BTreeSet;
use std::fs;

use crate::Failure;
use crate::abi::{self, Check, Expected, end};
use crate::command::Run;
use crate::elf::Facts;
use crate::fuchsia_abi;
use crate::imports::Imports;
use crate::toolchain::{cargo, is_available, report_skipped};
use crate::workspace::{root, target_folder};

/// A library: its package, cargo's name for it, its exports, and the targets for which it is built, or none for this machine.
type Library = (&'static str, &'static str, &'static [&'static str], &'static [&'static str]);

const LIBRARIES: &[Library] = &[
    ("null-driver-icd", "libvkload_null.so", ICD, &[]),
    ("null-driver-icd", "libvkload_null.so", FUCHSIA, fuchsia_abi::TARGETS),
];

const ICD: &[&str] = &[
    "HMI",
    "vk_icdGetInstanceProcAddr",
    "vk_icdGetPhysicalDeviceProcAddr",
    "vk_icdNegotiateLoaderICDInterfaceVersion",
];

const FUCHSIA: &[&str] = &[
    "vk_icdGetInstanceProcAddr",
    "vk_icdGetPhysicalDeviceProcAddr",
    "vk_icdInitializeOpenInNamespaceCallback",
    "vk_icdNegotiateLoaderICDInterfaceVersion",
];

const GLIBC: [&str; 4] = ["libc.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"];

/// The functions that the driver may use on Fuchsia.
const IMPORTS: &str = "driver-runtime/null-driver/icd/imports.fuchsia.txt";

/// The manifest, which is put next to the library of this machine.
const MANIFEST: &str = "driver-runtime/null-driver/icd/vkload_null.json";

/// Builds and checks every library with a compiler on this machine; names the others.
pub(crate) fn run(_: &[String]) -> Result<(), Failure> {
    let (mut complaints, mut skipped) = (Vec::new(), Vec::new());
    let mut check = |library: &Library, folder: std::path::PathBuf, imports| -> Result<(), Failure> {
        let path = folder.join(library.1);
        let facts = Facts::of(&path)?;
        println!("{}: {}", path.display(), facts.summary());
        let found = complaints_about(&facts, library.2, imports);
        complaints.extend(found.into_iter().map(|it| format!("{}: {it}", path.display())));
        Ok(())
    };
    for library @ (package, .., targets) in LIBRARIES {
        for target in *targets {
            if is_available(target) {
                let imports = Imports::of(IMPORTS)?;
                let stand_ins = [imports.stand_ins(target, |_| None)?];
                check(library, fuchsia_abi::build(package, target, &stand_ins, "HEAD")?, Some(imports))?;
            } else {
                skipped.push(*target);
            }
        }
        if targets.is_empty() {
            cargo("build --quiet --release --package").arg(package).finish()?;
            check(library, target_folder().join("release"), None)?;
        }
    }
    fs::copy(root().join(MANIFEST), target_folder().join("release/vkload_null.json"))?;
    report_skipped("driver-abi", &skipped);
    end(&complaints)
}

fn complaints_about(facts: &Facts, exports: &[&str], imports: Option<Imports>) -> Vec<String> {
    let exports = exports.iter().map(|name| (*name).to_owned()).collect();
    let imports_are_listed: &[Check] = if imports.is_some() { &[abi::imports] } else { &[] };
    let imports = imports.unwrap_or_default();
    let needed = if imports_are_listed.is_empty() { BTreeSet::from(GLIBC) } else { imports.libraries() };
    let list = "xtask/src/driver_abi.rs";
    let expected = Expected { needed, exports, list, imports: imports.clone(), ..Expected::default() };
    expected.complaints(facts, &[&[abi::exports, needs_no_other], imports_are_listed].concat())
}

/// Checks that only these libraries are needed.
fn needs_no_other(expected: &Expected<'_>, facts: &Facts, complaints: &mut Vec<String>) {
    let others = facts.needed.iter().filter(|needed| !expected.needed.contains(needed.as_str()));
    complaints.extend(others.map(|needed| format!("it needs {needed}")));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(exports: &[&str], needed: &[&str], imports: &[&str]) -> Vec<String> {
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let exports = list(exports).into_iter().zip(0..).collect();
        let facts = Facts { exports, needed: list(needed), imports: list(imports), ..Facts::default() };
        complaints_about(&facts, FUCHSIA, Some(Imports::of(IMPORTS).unwrap()))
    }

    #[test]
    fn a_driver_that_is_as_written_down_passes() {
        assert_eq!(complaints(FUCHSIA, &["libc.so", "libzircon.so"], &["memcpy", "zx_nanosleep"]), [""; 0]);
    }

    #[test]
    fn a_service_denied_to_a_driver_is_named() {
        assert_eq!(complaints(FUCHSIA, &["libc.so", "libfdio.so"], &[]), ["it needs libfdio.so"]);
        let found = complaints(FUCHSIA, &[], &["memcpy", "rust_eh_personality"]);
        assert_eq!(found, ["it uses rust_eh_personality, which its list of imports lacks"]);
        assert_eq!(complaints(&["vkCreateInstance"], &[], &[]).len(), 5);
    }
}
