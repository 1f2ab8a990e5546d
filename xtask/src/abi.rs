//! `cargo xtask abi`: checks the interface between the built libraries and the system.
//!
//! Programs link against a name (SONAME) and symbols, packages depend on the needed libraries. All of them are compared with the recorded
//! values, so that none changes by accident.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::Failure;
use crate::elf::Facts;
use crate::shell::{SHELLS, Shell};
use crate::target::Target;
use crate::workspace::root;

/// Largest size of a stripped library, bytes.
const LARGEST: u64 = 382_000;

/// Parts of names that show that some allocation ends the program when it fails.
const ABORTS_ON_ALLOCATION: &[&str] =
    &["handle_alloc_error", "alloc_error_handler", "rust_oom", "capacity_overflow", "raw_vec12handle_error"];

/// Parts of the names of functions that only panics call. If nothing can panic, the linker leaves them out, with the formatting of
/// panic messages.
const PANICS: &[&str] = &["9panicking", "rust_begin_unwind"];

/// The only library that may be needed.
const NEEDED: &str = "libc.so.6";

/// Checks every library in `target/release`, or one file instead of the first.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let mut complaints = Vec::new();
    if let [file] = arguments {
        check(Path::new(file), SHELLS.first().ok_or("no shell")?, &mut complaints)?;
    } else {
        for shell in SHELLS {
            check(&shell.library("release"), shell, &mut complaints)?;
            check_size(&shell.stripped("release"), &mut complaints)?;
        }
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

fn check(library: &Path, shell: &Shell, complaints: &mut Vec<String>) -> Result<(), Failure> {
    let facts = Facts::of(library).map_err(|error| format!("{error}; `cargo xtask build` makes it"))?;
    let expected = Expected::new(shell.name, &[NEEDED], shell.exports);
    complaints.extend(expected.complaints(&facts));
    for symbol in facts.symbols.iter().filter(|symbol| PANICS.iter().any(|part| symbol.contains(part))) {
        complaints.push(format!("{symbol}: something can panic; `objdump -dC` shows what calls it"));
    }
    println!("{}: {} exports, needs {}", library.display(), facts.exports.len(), facts.needed.join(", "));
    Ok(())
}

/// Checks a library that was built for another system, whose size depends on its processor.
pub(crate) fn check_for(target: &Target, library: &Path, shell: &Shell) -> Result<(), Failure> {
    let facts = Facts::of(library)?;
    let mut complaints = Expected::new(shell.name, target.needed(), shell.exports).complaints(&facts);
    if facts.machine != target.machine {
        complaints
            .push(format!("it is for processor {}, {} is {}", facts.machine, target.name, target.machine));
    }
    end(&complaints)
}

fn check_size(stripped: &Path, complaints: &mut Vec<String>) -> Result<(), Failure> {
    let size = fs::metadata(stripped).map_err(|error| format!("{}: {error}", stripped.display()))?.len();
    println!("{}: {size} of at most {LARGEST} bytes", stripped.display());
    if size > LARGEST {
        complaints.push(format!("{size} bytes stripped, {LARGEST} is the most"));
    }
    Ok(())
}

/// The recorded interface of a loader's library.
pub(crate) struct Expected<'a> {
    soname: &'a str,
    needed: BTreeSet<&'a str>,
    /// The file with the list of exports, and its content.
    list: &'a str,
    listed: String,
    /// Whether several names may have one address.
    has_aliases: bool,
}

impl<'a> Expected<'a> {
    /// Expects the library `soname` to need exactly `needed`, and to export exactly the names in the file `list`.
    pub(crate) fn new(soname: &'a str, needed: &[&'a str], list: &'a str) -> Self {
        Self::with(soname, needed, list, fs::read_to_string(root().join(list)).unwrap_or_default())
    }

    /// Does the same for a file that has more than `listed`.
    pub(crate) fn with(soname: &'a str, needed: &[&'a str], list: &'a str, listed: String) -> Self {
        Self { soname, needed: needed.iter().copied().collect(), list, listed, has_aliases: false }
    }

    /// Allows several names to share one address, which is safe if addresses are never compared.
    pub(crate) fn with_aliases(self) -> Self {
        Self { has_aliases: true, ..self }
    }

    /// Returns the differences of the library.
    pub(crate) fn complaints(&self, facts: &Facts) -> Vec<String> {
        let mut complaints = facts.wrong.clone();
        if facts.soname != self.soname {
            complaints.push(format!("SONAME is {:?}, not {}", facts.soname, self.soname));
        }
        if facts.needed.iter().map(String::as_str).collect::<BTreeSet<_>>() != self.needed {
            complaints.push(format!("NEEDED is {:?}, not {:?}", facts.needed, self.needed));
        }
        if !facts.binds_now || !facts.has_relro {
            complaints.push("relocations stay writable (no -z now, or no -z relro)".into());
        }
        if facts.symbols.is_empty() {
            complaints.push("it is stripped: its symbols cannot be checked".into());
        }
        for symbol in &facts.symbols {
            if ABORTS_ON_ALLOCATION.iter().any(|part| symbol.contains(part)) {
                complaints.push(format!("{symbol}: an allocation that fails would end the program"));
            }
        }
        self.compare_exports(facts, &mut complaints);
        complaints
    }

    fn compare_exports(&self, facts: &Facts, complaints: &mut Vec<String>) {
        let list = self.list;
        let listed: BTreeSet<&str> =
            self.listed.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        if listed.is_empty() {
            complaints.push(format!("{list} is missing or empty"));
            return;
        }
        for name in listed.iter().filter(|name| !facts.exports.contains_key(**name)) {
            complaints.push(format!("{name} is in {list} but is not exported"));
        }
        let mut at = BTreeMap::new();
        for (name, address) in &facts.exports {
            if !listed.contains(name.as_str()) {
                complaints.push(format!("{name} is exported but is not in {list}"));
            }
            if let Some(other) = at.insert(address, name).filter(|_| !self.has_aliases) {
                complaints.push(format!("{name} and {other} have one address"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(facts: &Facts, listed: &str) -> Vec<String> {
        let needed = BTreeSet::from([NEEDED]);
        Expected {
            soname: "libvulkan.so.1",
            needed,
            list: "exports.txt",
            listed: listed.into(),
            has_aliases: false,
        }
        .complaints(facts)
    }

    fn good() -> Facts {
        Facts {
            soname: "libvulkan.so.1".into(),
            needed: vec![NEEDED.into()],
            exports: [("vkA".into(), 16), ("vkB".into(), 32)].into(),
            symbols: vec!["vkA".into(), "vkB".into()],
            binds_now: true,
            has_relro: true,
            ..Facts::default()
        }
    }

    #[test]
    fn a_library_that_is_as_written_down_passes() {
        assert!(complaints(&good(), "vkA\nvkB\n").is_empty());
    }

    #[test]
    fn exports_must_equal_the_list_and_have_addresses_of_their_own() {
        assert_eq!(complaints(&good(), "vkA\n"), ["vkB is exported but is not in exports.txt"]);
        assert_eq!(complaints(&good(), "vkA\nvkB\nvkC\n"), ["vkC is in exports.txt but is not exported"]);
        assert_eq!(complaints(&good(), ""), ["exports.txt is missing or empty"]);
        let folded = Facts { exports: [("vkA".into(), 16), ("vkB".into(), 16)].into(), ..good() };
        assert_eq!(complaints(&folded, "vkA\nvkB\n"), ["vkB and vkA have one address"]);
    }

    #[test]
    fn an_allocation_that_aborts_is_found_by_its_symbol() {
        let symbols = vec!["_ZN5alloc5alloc18handle_alloc_error17h0123456789abcdefE".into()];
        assert_eq!(complaints(&Facts { symbols, ..good() }, "vkA\nvkB\n").len(), 1);
    }

    #[test]
    fn another_name_or_another_needed_library_is_a_complaint() {
        assert_eq!(complaints(&Facts { soname: "libvulkan.so".into(), ..good() }, "vkA\nvkB").len(), 1);
        let needed = vec!["libgcc_s.so.1".into(), NEEDED.into()];
        assert_eq!(complaints(&Facts { needed, ..good() }, "vkA\nvkB").len(), 1);
    }
}
