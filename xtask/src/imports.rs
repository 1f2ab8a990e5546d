//! The system functions that a library may use, and stand-ins for linking without such a system.
//!
//! The list is a file: in each line the name of a system library, a blank, and a function of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use crate::Failure;
use crate::command::Run;
use crate::toolchain::{rustc, tool};
use crate::workspace::{lines, target_folder};

/// The functions that may be used, by the library that has them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Imports(BTreeMap<String, BTreeSet<String>>);

impl Imports {
    /// Reads a list, whose path begins at the root of the repository.
    pub(crate) fn of(list: &str) -> Result<Self, Failure> {
        let mut imports = Self::default();
        for line in lines(list)? {
            let wrong = || format!("{list}: `{line}` is not a library and a function");
            let (library, function) = line.split_once(' ').ok_or_else(wrong)?;
            imports.add(library, function);
        }
        Ok(imports)
    }

    pub(crate) fn add(&mut self, library: &str, function: &str) {
        self.0.entry(library.to_owned()).or_default().insert(function.to_owned());
    }

    pub(crate) fn extend(&mut self, other: Self) {
        for (library, functions) in other.0 {
            self.0.entry(library).or_default().extend(functions);
        }
    }

    pub(crate) fn libraries(&self) -> BTreeSet<&str> {
        self.0.keys().map(String::as_str).collect()
    }

    pub(crate) fn library_of(&self, function: &str) -> Option<&str> {
        let mut libraries = self.0.iter();
        libraries.find_map(|(library, functions)| functions.contains(function).then_some(library.as_str()))
    }

    pub(crate) fn functions(&self) -> impl Iterator<Item = &str> {
        self.0.values().flatten().map(String::as_str)
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
        static LOCK: LazyLock<io::Result<File>> = LazyLock::new(|| {
            let lock = File::create(target_folder().join("stand-ins.lock"))?;
            lock.lock().map(|()| lock)
        });
        LOCK.as_ref().map_err(ToString::to_string)?;
        let folder = target_folder().join(target).join("stand-ins");
        fs::create_dir_all(&folder)?;
        for (library, functions) in &self.0 {
            stand_in(&folder, target, library, functions, version_of(library))?;
        }
        Ok(folder)
    }
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
