//! The system functions that a library may use, and stand-ins for linking without such a system.
//!
//! The list is a file: in each line the name of a system library, a blank, and a function of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::Failure;
use crate::command::Run;
use crate::toolchain::{rustc, tool};
use crate::workspace::{root, target_folder};

/// The functions that may be used, by the library that has them.
#[derive(Debug, Default)]
pub(crate) struct Imports(BTreeMap<String, BTreeSet<String>>);

impl Imports {
    /// Reads a list, whose path begins at the root of the repository.
    pub(crate) fn of(list: &str) -> Result<Self, Failure> {
        let text = fs::read_to_string(root().join(list)).map_err(|error| format!("{list}: {error}"))?;
        Self::parse(&text).map_err(|line| format!("{list}: `{line}` is not a library and a function").into())
    }

    pub(crate) fn parse(text: &str) -> Result<Self, &str> {
        let mut libraries: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for line in text.lines() {
            let (library, function) = line.split_once(' ').ok_or(line)?;
            libraries.entry(library.to_owned()).or_default().insert(function.to_owned());
        }
        Ok(Self(libraries))
    }

    /// Returns the union of these lists.
    pub(crate) fn of_all(lists: &[Self]) -> Self {
        let mut libraries: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (library, functions) in lists.iter().flat_map(|list| &list.0) {
            libraries.entry(library.clone()).or_default().extend(functions.iter().cloned());
        }
        Self(libraries)
    }

    /// Returns the libraries that have the functions.
    pub(crate) fn libraries(&self) -> Vec<&str> {
        self.0.keys().map(String::as_str).collect()
    }

    /// Returns the library that has this function.
    pub(crate) fn library_of(&self, function: &str) -> Option<&str> {
        let mut libraries = self.0.iter();
        libraries.find_map(|(library, functions)| functions.contains(function).then_some(library.as_str()))
    }

    pub(crate) fn functions(&self) -> BTreeSet<&str> {
        self.0.values().flatten().map(String::as_str).collect()
    }

    /// Makes libraries of these names for `target`, with empty functions of these names, and returns their folder. They serve only for
    /// linking: the result loads the real libraries. `version_of` gives the symbol version of a library, if the system's library has one:
    /// the result then requires that version.
    ///
    /// Several tasks use one folder: from here until this process exits, it has exclusive access, and others wait.
    pub(crate) fn stand_ins(
        &self,
        target: &str,
        version_of: fn(library: &str) -> Option<&'static str>,
    ) -> Result<PathBuf, Failure> {
        alone()?;
        let folder = target_folder().join(target).join("stand-ins");
        fs::create_dir_all(&folder)?;
        for (library, functions) in &self.0 {
            stand_in(&folder, target, library, functions, version_of(library))?;
        }
        Ok(folder)
    }
}

/// Waits until no other task links with stand-ins, and locks them until this process exits.
fn alone() -> Result<(), Failure> {
    static LOCK: OnceLock<File> = OnceLock::new();
    if LOCK.get().is_none() {
        let lock = File::create(lock_file())?;
        lock.lock()?;
        LOCK.get_or_init(|| lock);
    }
    Ok(())
}

fn lock_file() -> PathBuf {
    target_folder().join("stand-ins.lock")
}

fn stand_in(
    folder: &Path,
    target: &str,
    library: &str,
    functions: &BTreeSet<String>,
    version: Option<&str>,
) -> Result<(), Failure> {
    let mut text = String::from("#![no_std]\n");
    for function in functions {
        text += &format!("#[unsafe(no_mangle)] pub extern \"C\" fn {function}() {{}}\n");
    }
    let path = folder.join(library);
    let (source, object, script) =
        (path.with_extension("rs"), path.with_extension("o"), path.with_extension("map"));
    fs::write(&source, text)?;
    let mut rustc = rustc("--edition=2024 --crate-type=lib --emit=obj -Cpanic=abort --target");
    rustc.arg(target).arg("-o").args([&object, &source]).finish()?;
    let mut linker = Command::new(tool("rust-lld")?);
    linker.args(["-flavor", "gnu", "-shared", "-soname", library, "-o"]).args([&path, &object]);
    if let Some(version) = version {
        let names: String = functions.iter().map(|function| format!("  {function};\n")).collect();
        fs::write(&script, format!("{version} {{\nglobal:\n{names}local:\n  *;\n}};\n"))?;
        linker.arg(format!("--version-script={}", script.display()));
    }
    linker.finish()
}

/// Returns flags that add these folders to cargo's library search path, in addition to the repository's own flags.
pub(crate) fn linked_with(folders: &[PathBuf]) -> [String; 2] {
    let flags: Vec<_> = folders.iter().map(|folder| format!("-Lnative={}", folder.display())).collect();
    ["--config".into(), format!("build.rustflags={flags:?}")]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_task_at_a_time_has_the_stand_ins() {
        alone().unwrap();
        alone().unwrap();
        assert!(File::open(lock_file()).unwrap().try_lock().is_err(), "another one has to wait");
    }
}
