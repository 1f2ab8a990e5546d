//! `cargo xtask driver-abi`: checks the null driver's interface to the systems that open it.
//!
//! A driver exports only the names that loaders look for. On Fuchsia it also needs only the C library and the kernel's functions; without
//! an SDK, both are replaced by stand-ins that have only the functions that a driver may use, without code.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use crate::Failure;
use crate::abi::{self, Check, Expected, end};
use crate::command::Run;
use crate::elf::Facts;
use crate::fuchsia_abi;
use crate::imports::Imports;
use crate::toolchain::{cargo, is_available, report_skipped};
use crate::workspace::{root, target_folder};

const PACKAGE: &str = "null-driver-icd";

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

const IMPORTS: &str = "driver-runtime/null-driver/icd/imports.fuchsia.txt";

/// The manifest, which is put next to the library of this machine.
const MANIFEST: &str = "driver-runtime/null-driver/icd/vkload_null.json";

/// Builds and checks every library with a compiler on this machine; names the others.
pub(crate) fn run() -> Result<(), Failure> {
    let (mut complaints, mut skipped) = (Vec::new(), Vec::new());
    let mut check = |folder: PathBuf, exports: &[&str], imports| -> Result<(), Failure> {
        let path = folder.join("libvkload_null.so");
        let facts = Facts::of(&path)?;
        println!("{}: {}", path.display(), facts.summary());
        let found = complaints_about(&facts, exports, imports);
        complaints.extend(found.into_iter().map(|it| format!("{}: {it}", path.display())));
        Ok(())
    };
    cargo("build --quiet --release --package").arg(PACKAGE).finish()?;
    let release = target_folder().join("release");
    fs::copy(root().join(MANIFEST), release.join("vkload_null.json"))?;
    check(release, ICD, None)?;
    for target in fuchsia_abi::TARGETS {
        if is_available(target) {
            let imports = Imports::of(IMPORTS)?;
            let stand_ins = [imports.stand_ins(target, |_| None)?];
            check(fuchsia_abi::build(PACKAGE, target, &stand_ins, "HEAD")?, FUCHSIA, Some(imports))?;
        } else {
            skipped.push(target);
        }
    }
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
