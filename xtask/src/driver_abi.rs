//! `cargo xtask driver-abi`: checks the null driver's interface to the systems that open it.
//!
//! A driver exports only the names that loaders look for. On Fuchsia it also needs only the C library and the kernel's functions; without
//! an SDK, both are replaced by stand-ins that have only the functions that a driver may use, without code.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Failure;
use crate::abi::end;
use crate::command::Run;
use crate::elf::Facts;
use crate::fuchsia_abi::{RUNS_HERE, build_to_run_here};
use crate::imports::{Imports, linked_with};
use crate::toolchain::{cargo, is_available};
use crate::workspace::{root, target_folder};

/// A library, and its permitted interface.
struct Library {
    package: &'static str,
    /// Cargo's name for it.
    built: &'static str,
    /// The target, unless it is this machine.
    target: Option<&'static str>,
    /// Its manifest, which is put into the same folder.
    manifest: Option<&'static str>,
    exports: &'static [&'static str],
    needed: &'static [&'static str],
    /// The list of the functions that it may use of them, if that is limited.
    imports: Option<&'static str>,
}

const ICD: &[&str] = &[
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

const GLIBC: &[&str] = &["libc.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"];

const FUCHSIA_LIBRARIES: &[&str] = &["libc.so", "libzircon.so"];

const FUCHSIA_FUNCTIONS: &str = "driver-runtime/null-driver/icd/imports.fuchsia.txt";

const LIBRARIES: &[Library] = &[
    Library {
        package: "null-driver-icd",
        built: "libvkload_null.so",
        target: None,
        manifest: Some("driver-runtime/null-driver/icd/vkload_null.json"),
        exports: ICD,
        needed: GLIBC,
        imports: None,
    },
    Library {
        package: "null-driver-hal",
        built: "libvulkan_null.so",
        target: None,
        manifest: None,
        exports: &["HMI"],
        needed: GLIBC,
        imports: None,
    },
    fuchsia("x86_64-unknown-fuchsia"),
    fuchsia("aarch64-unknown-fuchsia"),
];

const fn fuchsia(target: &'static str) -> Library {
    Library {
        package: "null-driver-icd",
        built: "libvkload_null.so",
        target: Some(target),
        manifest: None,
        exports: FUCHSIA,
        needed: FUCHSIA_LIBRARIES,
        imports: Some(FUCHSIA_FUNCTIONS),
    }
}

/// Builds and checks every library with a compiler on this machine; names the others.
pub(crate) fn run(_: &[String]) -> Result<(), Failure> {
    let mut complaints = Vec::new();
    for library in LIBRARIES {
        match library.target.filter(|target| !is_available(target)) {
            Some(target) => println!("driver-abi: skipped {target}, which rustup cannot add"),
            None => complaints.extend(library.check()?),
        }
    }
    end(&complaints)
}

impl Library {
    fn check(&self) -> Result<Vec<String>, Failure> {
        let imports = self.imports.map(Imports::of).transpose()?;
        let path = self.build(imports.as_ref())?;
        let facts = Facts::of(&path)?;
        println!("{}: {} exports, needs {}", path.display(), facts.exports.len(), facts.needed.join(", "));
        let found = self.complaints(&facts, imports.as_ref());
        Ok(found.into_iter().map(|it| format!("{}: {it}", path.display())).collect())
    }

    fn build(&self, imports: Option<&Imports>) -> Result<PathBuf, Failure> {
        let mut cargo = cargo("build --quiet --release --package");
        cargo.arg(self.package);
        let mut folder = target_folder();
        if let Some(target) = self.target {
            cargo.args(["--target", target]);
            folder.push(target);
            if let Some(imports) = imports {
                let libraries = [imports.stand_ins(target, |_| None)?];
                cargo.args(linked_with(&libraries));
                if target == RUNS_HERE {
                    build_to_run_here(self.package, &libraries)?;
                }
            }
        }
        cargo.finish()?;
        let folder = folder.join("release");
        if let Some(manifest) = self.manifest {
            let name = Path::new(manifest).file_name().unwrap_or_default();
            fs::copy(root().join(manifest), folder.join(name))?;
        }
        Ok(folder.join(self.built))
    }

    fn complaints(&self, facts: &Facts, imports: Option<&Imports>) -> Vec<String> {
        let mut found = Vec::new();
        if !facts.exports.keys().eq(self.exports) {
            found.push(format!("it exports {:?}, not {:?}", facts.exports.keys(), self.exports));
        }
        for needed in facts.needed.iter().filter(|needed| !self.needed.contains(&needed.as_str())) {
            found.push(format!("it needs {needed}"));
        }
        let Some(imports) = imports else { return found };
        let functions = imports.functions();
        for name in facts.imports.iter().filter(|name| !functions.contains(name.as_str())) {
            found.push(format!("it uses {name}, which a driver there may not"));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|name| (*name).to_owned()).collect()
    }

    fn good() -> Facts {
        Facts {
            exports: exports(FUCHSIA),
            needed: names(FUCHSIA_LIBRARIES),
            imports: names(&["memcpy", "zx_nanosleep"]),
            ..Facts::default()
        }
    }

    fn exports(list: &[&str]) -> BTreeMap<String, u64> {
        list.iter().zip(0..).map(|(name, address)| ((*name).to_owned(), address)).collect()
    }

    fn complaints(facts: &Facts) -> Vec<String> {
        let imports = Imports::of(FUCHSIA_FUNCTIONS).unwrap();
        fuchsia("x86_64-unknown-fuchsia").complaints(facts, Some(&imports))
    }

    #[test]
    fn a33_a_driver_that_is_as_written_down_passes() {
        assert_eq!(complaints(&good()), [""; 0]);
    }

    #[test]
    fn a33_a_service_denied_to_a_driver_is_named() {
        let needed = names(&["libc.so", "libfdio.so"]);
        assert_eq!(complaints(&Facts { needed, ..good() }), ["it needs libfdio.so"]);
        let imports = names(&["memcpy", "rust_eh_personality"]);
        let found = complaints(&Facts { imports, ..good() });
        assert_eq!(found, ["it uses rust_eh_personality, which a driver there may not"]);
        let exports = exports(&["vkCreateInstance", "vk_icdGetInstanceProcAddr"]);
        assert_eq!(complaints(&Facts { exports, ..good() }).len(), 1);
    }
}
