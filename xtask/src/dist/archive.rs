//! The static library.
//!
//! Cargo's archive has hundreds of objects and the visible names of a Rust library, including stand-ins for the unwinder: they would clash
//! with a second such library or with a C++ program with exceptions. This module turns it into one object in which only the Vulkan commands
//! are visible, optionally with a name prefix.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use object::{Object, ObjectSymbol};

use crate::Failure;
use crate::command::Run;
use crate::shell::SHELLS;
use crate::target::Binutils;
use crate::workspace::root;

/// Prefixes of the unwinder's symbols. The library neither has nor needs an unwinder: it never unwinds, and its frames need no cleanup when
/// an exception of the program passes them.
const UNWINDER: &[&str] =
    &["rust_eh_personality", "_Unwind_", "__gcc_personality", "__gxx_personality", "DW.ref."];

/// The sections of the stand-ins (`shell/src/unwinding.rs`), which are unreferenced once the unused parts of `alloc` are gone.
const STAND_INS: &[&str] = &[".text.rust_eh_personality", ".text._Unwind_Resume"];

/// A static library with these names.
pub(crate) struct Archive {
    prefix: String,
    commands: Vec<String>,
}

impl Archive {
    /// Returns the commands that the shared library exports, behind `prefix`.
    pub(crate) fn new(prefix: &str) -> Result<Self, Failure> {
        let list = fs::read_to_string(root().join(SHELLS.first().ok_or("no shell")?.exports))?;
        let commands =
            list.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
        Ok(Self { prefix: prefix.to_owned(), commands })
    }

    /// Makes `to` of `from`, which cargo made.
    pub(crate) fn make(&self, from: &Path, to: &Path, tools: Binutils) -> Result<(), Failure> {
        let [linked, object, renames, visible] =
            ["linked.o", "vkload.o", "renames", "visible"].map(|name| to.with_file_name(name));
        fs::write(&renames, self.lines(|name| format!("{name} {}{name}\n", self.prefix)))?;
        fs::write(&visible, self.lines(|name| format!("{}{name}\n", self.prefix)))?;
        // One object of all that the library's commands need.
        let mut link = tools.command("ld")?;
        link.args(["-r", "--undefined=vkGetInstanceProcAddr", "--force-group-allocation", "-o"]);
        link.args([linked.as_path(), from]).finish()?;
        if !self.prefix.is_empty() {
            tools.command("objcopy")?.arg("--redefine-syms").args([&renames, &linked]).finish()?;
        }
        let mut localise = tools.command("objcopy")?;
        localise.arg("--keep-global-symbols").arg(&visible).arg("--strip-unneeded");
        localise.args(STAND_INS.iter().map(|section| format!("--remove-section={section}")));
        localise.args([&linked, &object]).finish()?;
        self.check(&fs::read(&object)?)?;
        let _ = fs::remove_file(to);
        tools.command("ar")?.arg("rcsD").args([to, &object]).finish()
    }

    fn lines(&self, line: impl Fn(&str) -> String) -> String {
        self.commands.iter().map(|name| line(name)).collect()
    }

    /// Fails unless exactly the commands are visible and no part of the unwinder remains.
    fn check(&self, object: &[u8]) -> Result<(), Failure> {
        let file = object::File::parse(object)?;
        let expected: BTreeSet<_> =
            self.commands.iter().map(|name| format!("{}{name}", self.prefix)).collect();
        let mut visible = BTreeSet::new();
        for symbol in file.symbols() {
            let name = symbol.name()?;
            if UNWINDER.iter().any(|start| name.starts_with(start)) {
                return Err(format!("the static library has the unwinder's {name}").into());
            }
            if symbol.is_definition() && symbol.is_global() {
                visible.insert(name.to_owned());
            }
        }
        let different: Vec<_> = visible.symmetric_difference(&expected).collect();
        if different.is_empty() {
            Ok(())
        } else {
            Err(format!("the static library's commands: {different:?}").into())
        }
    }
}
