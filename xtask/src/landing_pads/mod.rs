//! `cargo xtask landing-pads`: Android's libraries for 64-bit Arm, compiled as system trees with branch protection compile them, have
//! a landing pad wherever an indirect branch may land, and say so to the system.

mod code;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Failure;
use crate::abi::end;
use crate::android_abi::{Built, LIBRARIES, Library};
use crate::android_link::System;
use crate::android_options::{ABIS, Abi, DEFAULT};
use crate::build::{finish, root, target_folder};
use crate::check_targets::is_available;
use crate::imports::Imports;
use code::{BLOCKS, Code};

/// The only processor of Android that has them.
const ABI: Abi = ABIS[0];

/// What trees of the variants `armv9-a` and `armv8-a-branchprot` add; what this repository has for all; names that end as in the source.
const FLAGS: &str = "-Zbranch-protection=bti,pac-ret -Cforce-frame-pointers=yes -Csymbol-mangling-version=v0";

/// The linker keeps what it has resolved: that tells whose addresses are taken.
const LINKER_FLAGS: &[&str] = &["--emit-relocs"];

/// What the libraries use only where no optimizer has seen all of their code at once.
const UNOPTIMIZED: &str = "libc.so calloc";

/// Builds and checks every library. Needs a nightly compiler with the component `rust-src`.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    match arguments {
        [] => check_all(),
        [file] => end(&check(Path::new(file), &mut BTreeSet::new())?),
        _ => Err("the only argument is a library to be checked in place of those that are built".into()),
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
    for (library, imports) in LIBRARIES.iter().zip(&imports) {
        let archive = compile(library)?;
        let built = Built { library, abi, target, archive, imports, system: &system, flags: LINKER_FLAGS };
        let path = built.link(DEFAULT, &folder().join(abi))?;
        let found = check(&path, &mut seen)?;
        complaints.extend(found.into_iter().map(|it| format!("{}: {it}", library.file)));
    }
    let unseen = BLOCKS.iter().filter(|block| !seen.contains(block.name));
    complaints.extend(unseen.map(|block| format!("no library has the block {}", block.name)));
    end(&complaints)
}

/// Where everything is made.
fn folder() -> PathBuf {
    target_folder().join("landing-pads")
}

/// Compiles a library and all that it uses, each crate by itself: one without the property would take it from the library.
fn compile(library: &Library) -> Result<PathBuf, Failure> {
    let mut cargo = Command::new("cargo");
    // The variables that rustup and cargo set for this program would take precedence over the toolchain named here.
    cargo.current_dir(root()).env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO").env("RUSTFLAGS", FLAGS);
    cargo.args(["+nightly", "rustc", "--quiet", "--release", "--package", library.package, "--lib"]);
    cargo.args(["--crate-type", "staticlib", "-Zbuild-std=core,alloc", "--target", ABI.1, "--target-dir"]);
    cargo.arg(folder()).args(["--config", "profile.release.lto=\"off\""]);
    cargo.args(["--config", "profile.release.codegen-units=16"]);
    finish(&mut cargo).map_err(|error| {
        format!("{error}; this needs `rustup component add rust-src --toolchain nightly`")
    })?;
    Ok(folder().join(ABI.1).join("release").join(library.built))
}

/// What is wrong with a library. Notes the blocks that it has.
fn check(library: &Path, seen: &mut BTreeSet<&'static str>) -> Result<Vec<String>, Failure> {
    let bytes = fs::read(library).map_err(|error| format!("{}: {error}", library.display()))?;
    let code = Code::read(&bytes)?;
    println!("{}: {}", library.display(), code.summary());
    seen.extend(code.blocks());
    Ok(code.complaints())
}

#[cfg(test)]
mod tests;
