//! Checks of the interface between a library and its system, and `cargo xtask abi`, which checks the libraries of this machine.
//!
//! Programs link against a name (SONAME) and symbols, packages depend on the needed libraries. All of them are compared with the recorded
//! values, so that none changes by accident.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::Failure;
use crate::elf::Facts;
use crate::imports::Imports;
use crate::target::Target;
use crate::workspace::{lines, target_folder};

/// The name that the dynamic linker looks for.
pub(crate) const SONAME: &str = "libvulkan.so.1";
/// The committed list of the exported functions, one a line, in byte order.
const EXPORTS: &str = "platform-linux/exports.txt";

/// Largest size of a stripped library, bytes.
const LARGEST: u64 = 390_000;

/// Parts of names that show that some allocation ends the program when it fails.
const ABORTS_ON_ALLOCATION: &[&str] =
    &["handle_alloc_error", "alloc_error_handler", "rust_oom", "capacity_overflow", "raw_vec12handle_error"];

/// Parts of the names of functions that only panics call. If nothing can panic, the linker leaves them out, with the formatting of
/// panic messages.
const PANICS: &[&str] = &["9panicking", "rust_begin_unwind"];

#[derive(Default)]
pub(crate) struct Expected<'a> {
    pub(crate) soname: &'a str,
    pub(crate) needed: BTreeSet<&'a str>,
    pub(crate) exports: BTreeSet<String>,
    pub(crate) list: &'a str,
    /// The version of the exported names, if they have one.
    pub(crate) version: Option<&'a str>,
    pub(crate) imports: Imports,
}

/// Compares a library with its recorded interface, and adds the complaints to a list.
pub(crate) type Check = fn(&Expected<'_>, &Facts, &mut Vec<String>);

const LOADER: &[Check] = &[may_be_loaded, exports, addresses_differ, allocations_may_fail];

/// Checks the library in `target/release`, or one file instead.
pub(crate) fn run(file: Option<&Path>) -> Result<(), Failure> {
    let mut complaints = Vec::new();
    if let Some(file) = file {
        check(file, &mut complaints)?;
        return end(&complaints);
    }
    let folder = target_folder().join("release");
    check(&folder.join(SONAME), &mut complaints)?;
    let stripped = folder.join("stripped").join(SONAME);
    let size = fs::metadata(&stripped).map_err(|error| format!("{}: {error}", stripped.display()))?.len();
    println!("{}: {size} of at most {LARGEST} bytes", stripped.display());
    if size > LARGEST {
        complaints.push(format!("{size} bytes stripped, {LARGEST} is the most"));
    }
    end(&complaints)
}

/// Returns an error if the list of complaints is not empty.
pub(crate) fn end(complaints: &[String]) -> Result<(), Failure> {
    if complaints.is_empty() {
        return Ok(());
    }
    Err(format!("{} complaints\n  {}", complaints.len(), complaints.join("\n  ")).into())
}

fn check(library: &Path, complaints: &mut Vec<String>) -> Result<(), Failure> {
    let facts = Facts::of(library).map_err(|error| format!("{error}; `cargo xtask build` makes it"))?;
    complaints.extend(expected(&["libc.so.6"])?.complaints(&facts, LOADER));
    for symbol in facts.symbols.iter().filter(|symbol| has_one_of(symbol, PANICS)) {
        complaints.push(format!("{symbol}: something can panic; `objdump -dC` shows what calls it"));
    }
    println!("{}: {}", library.display(), facts.summary());
    Ok(())
}

/// Checks a library that was built for another system, whose size depends on its processor.
pub(crate) fn check_for(target: &Target, library: &Path) -> Result<(), Failure> {
    let facts = Facts::of(library)?;
    let mut complaints = expected(target.needed())?.complaints(&facts, LOADER);
    if facts.machine != target.machine {
        complaints
            .push(format!("it is for processor {}, {} is {}", facts.machine, target.name, target.machine));
    }
    end(&complaints)
}

fn expected<'a>(needed: &[&'a str]) -> Result<Expected<'a>, Failure> {
    let (exports, needed) = (lines(EXPORTS)?, needed.iter().copied().collect());
    Ok(Expected { soname: SONAME, needed, exports, list: EXPORTS, ..Expected::default() })
}

impl Expected<'_> {
    pub(crate) fn complaints(&self, facts: &Facts, checks: &[Check]) -> Vec<String> {
        let mut complaints = Vec::new();
        checks.iter().for_each(|check| check(self, facts, &mut complaints));
        complaints
    }
}

/// Checks the name, the needed libraries, and that relocations become read-only.
pub(crate) fn may_be_loaded(expected: &Expected<'_>, facts: &Facts, complaints: &mut Vec<String>) {
    complaints.extend(facts.wrong.iter().cloned());
    if facts.soname != expected.soname {
        complaints.push(format!("SONAME is {:?}, not {}", facts.soname, expected.soname));
    }
    if facts.needed.iter().map(String::as_str).collect::<BTreeSet<_>>() != expected.needed {
        complaints.push(format!("NEEDED is {:?}, not {:?}", facts.needed, expected.needed));
    }
    if !facts.binds_now || !facts.has_relro {
        complaints.push("relocations stay writable (no -z now, or no -z relro)".into());
    }
}

pub(crate) fn exports(expected: &Expected<'_>, facts: &Facts, complaints: &mut Vec<String>) {
    let (list, exported) = (expected.list, facts.exports.keys().cloned().collect());
    let missing = expected.exports.difference(&exported);
    complaints.extend(missing.map(|name| format!("{name} is in {list} but is not exported")));
    let unlisted = exported.difference(&expected.exports);
    complaints.extend(unlisted.map(|name| format!("{name} is exported but is not in {list}")));
}

/// Checks that each exported function has its own address: programs may compare the addresses of Vulkan commands.
pub(crate) fn addresses_differ(_: &Expected<'_>, facts: &Facts, complaints: &mut Vec<String>) {
    let mut at = BTreeMap::new();
    for (name, address) in &facts.exports {
        if let Some(other) = at.insert(address, name) {
            complaints.push(format!("{name} and {other} have one address"));
        }
    }
}

/// Checks that no function is there that ends the program if an allocation fails.
pub(crate) fn allocations_may_fail(_: &Expected<'_>, facts: &Facts, complaints: &mut Vec<String>) {
    if facts.symbols.is_empty() {
        complaints.push("it is stripped: its symbols cannot be checked".into());
    }
    for symbol in facts.symbols.iter().filter(|symbol| has_one_of(symbol, ABORTS_ON_ALLOCATION)) {
        complaints.push(format!("{symbol}: an allocation that fails would end the program"));
    }
}

/// Checks that only listed functions of the system are used.
pub(crate) fn imports(expected: &Expected<'_>, facts: &Facts, complaints: &mut Vec<String>) {
    let unlisted = facts.imports.iter().filter(|name| expected.imports.library_of(name).is_none());
    complaints.extend(unlisted.map(|name| format!("it uses {name}, which its list of imports lacks")));
}

/// Checks that there is no unwinder, which neither callers nor callees have, and no standard library.
pub(crate) fn freestanding(_: &Expected<'_>, facts: &Facts, complaints: &mut Vec<String>) {
    for name in facts.exports.keys().chain(&facts.imports) {
        if name.starts_with("_Unwind_") || name == "rust_eh_personality" {
            complaints.push(format!("{name} is exported or imported, but neither side has an unwinder"));
        }
    }
    if facts.sections.iter().any(|name| name == ".gcc_except_table") {
        complaints.push(
            "it has landing pads (.gcc_except_table), so it was not built with panic = \"abort\"".into(),
        );
    }
    // The beginning of legacy symbols, and the name of the crate in new ones.
    let is_of_std =
        |name: &&String| name.starts_with("_ZN3std") || name.starts_with("_R") && name.contains("_3std");
    let of_std = facts.symbols.iter().filter(is_of_std);
    complaints.extend(of_std.map(|name| format!("{name} is of the standard library")));
}

fn has_one_of(symbol: &str, parts: &[&str]) -> bool {
    parts.iter().any(|part| symbol.contains(part))
}

#[cfg(test)]
mod tests;
