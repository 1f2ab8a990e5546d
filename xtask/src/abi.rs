//! `cargo xtask abi`: what the built libraries are to the rest of the system.
//!
//! Programs link against a name (SONAME) and symbols, packages depend on the libraries that are needed. All of it is
//! compared with what is written down, so that none of it changes by accident.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use object::elf;
use object::read::elf::{Dyn, ElfFile64, ProgramHeader};
use object::{Object, ObjectSymbol, ObjectSymbolTable, RelocationTarget, SymbolKind};

use crate::Failure;
use crate::build::{SHELLS, Shell, root};

/// Largest size of a stripped library, bytes.
const LARGEST: u64 = 400_000;

/// Parts of names that show that some allocation ends the program when it fails.
const ABORTS_ON_ALLOCATION: &[&str] =
    &["handle_alloc_error", "alloc_error_handler", "rust_oom", "capacity_overflow", "raw_vec12handle_error"];

/// The only library that may be needed.
const NEEDED: &str = "libc.so.6";

/// Checks every library in `target/release`, or one file in place of the first.
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
    if complaints.is_empty() {
        return Ok(());
    }
    Err(format!("{} complaints\n  {}", complaints.len(), complaints.join("\n  ")).into())
}

fn check(library: &Path, shell: &Shell, complaints: &mut Vec<String>) -> Result<(), Failure> {
    let bytes = read(library)?;
    let facts = Facts::read(&bytes)?;
    facts.compare(shell.name, complaints);
    let listed = fs::read_to_string(root().join(shell.exports)).unwrap_or_default();
    facts.compare_exports(shell.exports, &listed, complaints);
    println!("{}: {} exports, needs {}", library.display(), facts.exports.len(), facts.needed.join(", "));
    Ok(())
}

fn check_size(stripped: &Path, complaints: &mut Vec<String>) -> Result<(), Failure> {
    let size = read(stripped)?.len() as u64;
    println!("{}: {size} of at most {LARGEST} bytes", stripped.display());
    if size > LARGEST {
        complaints.push(format!("{size} bytes stripped, {LARGEST} is the most"));
    }
    Ok(())
}

fn read(library: &Path) -> Result<Vec<u8>, String> {
    fs::read(library).map_err(|error| format!("{}: {error}; `cargo xtask build` makes it", library.display()))
}

/// What a library says about itself.
#[derive(Default)]
struct Facts {
    soname: String,
    needed: Vec<String>,
    /// Exported names and their addresses.
    exports: BTreeMap<String, u64>,
    /// Names in the table that `strip` removes.
    symbols: Vec<String>,
    /// What must not be there, found while reading.
    wrong: Vec<String>,
    binds_now: bool,
    has_relro: bool,
}

impl Facts {
    fn read(bytes: &[u8]) -> Result<Self, Failure> {
        let file = ElfFile64::<object::Endianness>::parse(bytes)?;
        let mut facts = Self::default();
        facts.read_segments(&file);
        facts.read_dynamic(&file, bytes)?;
        for symbol in file.dynamic_symbols().filter(|symbol| symbol.is_definition()) {
            let name = symbol.name()?.to_owned();
            if symbol.kind() != SymbolKind::Text {
                facts.wrong.push(format!("{name} is exported and no function"));
            }
            facts.exports.insert(name, symbol.address());
        }
        facts.find_foreign(&file)?;
        facts.symbols = file.symbols().filter_map(|symbol| symbol.name().ok()).map(str::to_owned).collect();
        Ok(facts)
    }

    /// Finds own functions that the dynamic linker would look up by name, and might find in another library.
    fn find_foreign(&mut self, file: &ElfFile64<'_>) -> Result<(), Failure> {
        let Some(symbols) = file.dynamic_symbol_table() else { return Ok(()) };
        for (_, relocation) in file.dynamic_relocations().into_iter().flatten() {
            let RelocationTarget::Symbol(index) = relocation.target() else { continue };
            let symbol = symbols.symbol_by_index(index)?;
            if symbol.is_definition() {
                self.wrong.push(format!("its own {} is looked up by name when it is loaded", symbol.name()?));
            }
        }
        Ok(())
    }

    fn read_segments(&mut self, file: &ElfFile64<'_>) {
        let endian = file.endian();
        for segment in file.elf_program_headers() {
            let flags = segment.p_flags(endian);
            let is_executable = flags & elf::PF_X != 0;
            match segment.p_type(endian) {
                elf::PT_TLS => self.wrong.push("it has thread-local storage (PT_TLS)".into()),
                elf::PT_GNU_RELRO => self.has_relro = true,
                elf::PT_GNU_STACK if is_executable => {
                    self.wrong.push("it asks for an executable stack".into())
                }
                elf::PT_LOAD if is_executable && flags & elf::PF_W != 0 => {
                    self.wrong.push("a segment can be written and run".into());
                }
                _ => {}
            }
        }
    }

    fn read_dynamic(&mut self, file: &ElfFile64<'_>, bytes: &[u8]) -> Result<(), Failure> {
        let endian = file.endian();
        let sections = file.elf_section_table();
        let (entries, index) = sections.dynamic(endian, bytes)?.ok_or("it is no dynamic library")?;
        let strings = sections.strings(endian, bytes, index)?;
        for entry in entries {
            let value = entry.d_val(endian);
            let string = || -> Result<String, object::Error> {
                Ok(String::from_utf8_lossy(entry.string(endian, strings)?).into_owned())
            };
            match u32::try_from(entry.d_tag(endian)).unwrap_or(0) {
                elf::DT_SONAME => self.soname = string()?,
                elf::DT_NEEDED => self.needed.push(string()?),
                elf::DT_TEXTREL => self.wrong.push("it has relocations in code".into()),
                elf::DT_RPATH | elf::DT_RUNPATH => {
                    self.wrong.push(format!("it has a run path {}", string()?))
                }
                elf::DT_FLAGS_1 => {
                    self.binds_now = value & u64::from(elf::DF_1_NOW) != 0;
                    if value & u64::from(elf::DF_1_NODELETE) != 0 {
                        self.wrong.push("it cannot be unloaded (NODELETE)".into());
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn compare(&self, soname: &str, complaints: &mut Vec<String>) {
        complaints.extend(self.wrong.iter().cloned());
        if self.soname != soname {
            complaints.push(format!("SONAME is {:?}, not {soname}", self.soname));
        }
        if self.needed != [NEEDED] {
            complaints.push(format!("NEEDED is {:?}, not {NEEDED} alone", self.needed));
        }
        if !self.binds_now || !self.has_relro {
            complaints.push("relocations stay writable (no -z now, or no -z relro)".into());
        }
        if self.symbols.is_empty() {
            complaints.push("it is stripped: its symbols cannot be checked".into());
        }
        for symbol in &self.symbols {
            if ABORTS_ON_ALLOCATION.iter().any(|part| symbol.contains(part)) {
                complaints.push(format!("{symbol}: an allocation that fails would end the program"));
            }
        }
    }

    fn compare_exports(&self, list: &str, listed: &str, complaints: &mut Vec<String>) {
        let listed: BTreeSet<&str> = listed.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        if listed.is_empty() {
            complaints.push(format!("{list} is missing or empty"));
            return;
        }
        for name in listed.iter().filter(|name| !self.exports.contains_key(**name)) {
            complaints.push(format!("{name} is in {list} but is not exported"));
        }
        let mut at = BTreeMap::new();
        for (name, address) in &self.exports {
            if !listed.contains(name.as_str()) {
                complaints.push(format!("{name} is exported but is not in {list}"));
            }
            if let Some(other) = at.insert(address, name) {
                complaints.push(format!("{name} and {other} have one address"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(facts: &Facts, listed: &str) -> Vec<String> {
        let mut complaints = Vec::new();
        facts.compare("libvulkan.so.1", &mut complaints);
        facts.compare_exports("exports.txt", listed, &mut complaints);
        complaints
    }

    fn good() -> Facts {
        Facts {
            soname: "libvulkan.so.1".into(),
            needed: vec![NEEDED.into()],
            exports: [("vkA".into(), 16), ("vkB".into(), 32)].into(),
            symbols: vec!["vkA".into(), "vkB".into()],
            wrong: Vec::new(),
            binds_now: true,
            has_relro: true,
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
