//! `cargo xtask landing-pads`: Android's libraries for 64-bit Arm, compiled as system trees with branch protection compile them, have
//! a landing pad wherever an indirect branch may land, and say so to the system. Writes to docs/rules/android.md how many were looked at.

mod code;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::Failure;
use crate::abi::end;
use crate::android_abi::{Built, LIBRARIES, Library};
use crate::android_link::System;
use crate::android_options::{ABIS, Abi, DEFAULT};
use crate::command::Run;
use crate::imports::Imports;
use crate::toolchain::{is_available, nightly};
use crate::workspace::{self, root, target_folder};
use code::{BLOCKS, Code};

/// The only processor of Android that has them.
const ABI: Abi = ABIS[0];

/// Flags that the tree variants `armv9-a` and `armv8-a-branchprot` add; this repository's common flags; names that end as in the source.
const FLAGS: &str = "-Zbranch-protection=bti,pac-ret -Cforce-frame-pointers=yes -Csymbol-mangling-version=v0";

/// The linker keeps the resolved relocations, which show whose addresses are taken.
const LINKER_FLAGS: &[&str] = &["--emit-relocs"];

/// Functions that the libraries use only if no optimiser has seen all of their code at once.
const UNOPTIMIZED: &str = "libc.so calloc";

/// Builds and checks every library. Needs a nightly compiler with the component `rust-src`.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    match arguments {
        [] => check_all(),
        [file] => end(&read(Path::new(file))?.complaints()),
        _ => Err("the only argument is a library to be checked instead of those that are built".into()),
    }
}

fn check_all() -> Result<(), Failure> {
    let (abi, target) = ABI;
    if !is_available(target) {
        return Err(format!("rustup cannot add {target}").into());
    }
    let mut imports =
        LIBRARIES.iter().map(|library| Imports::of(library.imports)).collect::<Result<Vec<_>, _>>()?;
    imports.push(Imports::parse(UNOPTIMIZED)?);
    let system = System::of(target, &Imports::of_all(&imports))?;
    let mut seen = BTreeSet::new();
    let mut complaints = Vec::new();
    let mut figures = Vec::new();
    for (library, imports) in LIBRARIES.iter().zip(&imports) {
        let archive = compile(library)?;
        let built = Built { library, abi, target, archive, imports, system: &system, flags: LINKER_FLAGS };
        let path = built.link(DEFAULT, &folder().join(abi))?;
        let code = read(&path)?;
        seen.extend(code.blocks());
        if code.blocks().next().is_some() {
            let (exports, pieces) = code.figures();
            figures.push(format!("`{}`: {exports} exports and {} pieces", library.file, thousands(pieces)));
        }
        complaints.extend(code.complaints().into_iter().map(|it| format!("{}: {it}", library.file)));
    }
    let unseen = BLOCKS.iter().filter(|block| !seen.contains(block.name));
    complaints.extend(unseen.map(|block| format!("no library has the block {}", block.name)));
    state(&figures)?;
    end(&complaints)
}

fn folder() -> PathBuf {
    target_folder().join("landing-pads")
}

/// Compiles a library and all that it uses, each crate by itself: one without the property would take it from the library.
fn compile(library: &Library) -> Result<PathBuf, Failure> {
    let mut cargo = nightly("rustc --quiet --release --lib --crate-type staticlib -Zbuild-std=core,alloc");
    cargo.env("RUSTFLAGS", FLAGS).args(["--package", library.package, "--target", ABI.1, "--target-dir"]);
    cargo.arg(folder()).args(["--config", "profile.release.lto=\"off\""]);
    cargo.args(["--config", "profile.release.codegen-units=16"]);
    cargo.finish().map_err(|error| {
        format!("{error}; this needs `rustup component add rust-src --toolchain nightly`")
    })?;
    Ok(folder().join(ABI.1).join("release").join(library.built))
}

fn read(library: &Path) -> Result<Code, Failure> {
    let code = Code::read(&workspace::read(library)?)?;
    println!("{}: {}", library.display(), code.summary());
    Ok(code)
}

/// The page with the extent of the analysis, and the text before and after it.
const PAGE: (&str, &str, &str) =
    ("docs/rules/android.md", "can reach begins with a landing pad (", "), and a library");

/// Writes to the page how much was looked at.
fn state(figures: &[String]) -> Result<(), Failure> {
    let path = root().join(PAGE.0);
    let page = fs::read_to_string(&path)?;
    let written = stated(&page, figures).ok_or_else(|| format!("{} has no place for figures", PAGE.0))?;
    if written != page {
        fs::write(path, written)?;
    }
    Ok(())
}

/// Returns the page with these figures; `None` if it has no place for them.
fn stated(page: &str, figures: &[String]) -> Option<String> {
    let (before, rest) = page.split_once(PAGE.1)?;
    let (_, after) = rest.split_once(PAGE.2)?;
    Some([before, PAGE.1, &figures.join("; "), PAGE.2, after].concat())
}

fn thousands(number: usize) -> String {
    let (rest, last) = (number / 1000, number % 1000);
    if rest == 0 { last.to_string() } else { format!("{},{last:03}", thousands(rest)) }
}

#[cfg(test)]
mod tests;
