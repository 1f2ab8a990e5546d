//! `cargo xtask landing-pads`: Android's libraries for 64-bit Arm, compiled as system trees with branch protection compile them, have
//! a landing pad wherever an indirect branch may land, and say so to the system.

mod code;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::Failure;
use crate::abi::end;
use crate::android_abi::{LIBRARIES, Library, all_imports};
use crate::android_link::System;
use crate::android_options::{ABIS, Abi, DEFAULT};
use crate::command::Run;
use crate::toolchain::{is_available, nightly};
use crate::workspace::{self, target_folder};
use code::{BLOCKS, Code};

/// The only processor of Android that has them.
const ABI: Abi = ABIS[0];

/// Flags that the tree variants `armv9-a` and `armv8-a-branchprot` add; this repository's common flags; names that end as in the source.
const FLAGS: &str = "-Zbranch-protection=bti,pac-ret -Cforce-frame-pointers=yes -Csymbol-mangling-version=v0";

/// The linker keeps the resolved relocations, which show whose addresses are taken.
const LINKER_FLAGS: &[&str] = &["--emit-relocs"];

/// Builds and checks every library, or checks a file. Needs a nightly compiler with the component `rust-src`.
pub(crate) fn run(file: Option<&Path>) -> Result<(), Failure> {
    if let Some(file) = file {
        return end(&read(file)?.complaints());
    }
    let (abi, target) = ABI;
    if !is_available(target) {
        return Err(format!("rustup cannot add {target}").into());
    }
    let mut imports = all_imports()?;
    // It is used only if no optimiser has seen all of the code at once.
    imports.add("libc.so", "calloc");
    let system = System::of(target, &imports)?;
    let mut seen = BTreeSet::new();
    let mut complaints = Vec::new();
    for library in LIBRARIES {
        let archive = compile(library)?;
        let code = read(&library.link(&system, &archive, LINKER_FLAGS, DEFAULT, &folder().join(abi))?)?;
        complaints.extend(code.complaints().into_iter().map(|it| format!("{}: {it}", library.file)));
        seen.extend(code.blocks);
    }
    let unseen = BLOCKS.iter().filter(|(name, _)| !seen.contains(name));
    complaints.extend(unseen.map(|(name, _)| format!("no library has the block {name}")));
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
    Ok(library.archive(&folder().join(ABI.1)))
}

fn read(library: &Path) -> Result<Code, Failure> {
    let code = Code::read(&workspace::read(library)?)?;
    let (landings, blocks) = (code.landings.len(), code.blocks.len());
    println!("{}: {landings} targets of indirect branches, {blocks} blocks of pieces", library.display());
    Ok(code)
}

#[cfg(test)]
mod tests;
