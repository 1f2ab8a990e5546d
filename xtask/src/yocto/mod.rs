//! `cargo xtask yocto [--revision COMMIT]`: the download lists of the Yocto recipes, and the lock file of the library's own workspace.
//!
//! The recipes build one commit (`SRCREV`), and their build has no network, so the crates are fetched by BitBake: all crates in the lock file
//! of a recipe's workspace, both the current one and that commit's. `--check` is in `check.rs`.

mod check;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs;

use crate::Failure;
use crate::command::{Run, command};
use crate::toolchain::cargo;
use crate::workspace::root;

const FOLDER: &str = "packaging/yocto/recipes-graphics/vkload";
/// The statements that the recipes share, including the revision.
const SHARED: &str = "packaging/yocto/recipes-graphics/vkload/vkload.inc";
/// The library as a workspace of its own: its manifest and its lock file.
const LIBRARY: &str = "packaging/library/Cargo.toml";
const LIBRARY_LOCK: &str = "packaging/library/Cargo.lock";

/// The recipes by the names of their packages, each with the lock file of its workspace.
const RECIPES: &[(&str, &str)] = &[("vkload", LIBRARY_LOCK), ("vkload-tool", "Cargo.lock")];

/// The prefix of the line with the revision.
const REVISION: &str = "SRCREV ?= \"";

/// Writes the lists of crates. With a revision, makes the recipes build that one.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let mut shared = fs::read_to_string(root().join(SHARED))?;
    match arguments {
        [] => {}
        [option] if option == "--check" => return check::run(),
        [option, revision] if option == "--revision" => {
            let commit = git(&["rev-parse", "--verify", &format!("{revision}^{{commit}}")])?;
            shared = shared.replace(revision_of(&shared)?, commit.trim());
            fs::write(root().join(SHARED), &shared)?;
        }
        _ => return Err("the options are --revision COMMIT and --check".into()),
    }
    lock_library()?;
    for (name, lock) in RECIPES {
        let crates = crates(lock, revision_of(&shared)?)?;
        fs::write(root().join(list_of(name)), list(&crates))?;
        println!("{}: {} crates", list_of(name), crates.len());
    }
    Ok(())
}

/// Copies the root's lock file into the library's workspace. Cargo removes the crates that the library does not need.
fn lock_library() -> Result<(), Failure> {
    fs::copy(root().join("Cargo.lock"), root().join(LIBRARY_LOCK))?;
    cargo("metadata --offline --format-version=1 --manifest-path").arg(LIBRARY).read().map(drop)
}

/// Returns the path of a recipe's list.
fn list_of(recipe: &str) -> String {
    format!("{FOLDER}/{recipe}-crates.inc")
}

/// Checksums (SHA-256) by name and version.
type Crates = BTreeMap<(String, String), String>;

/// Returns the crates of this lock file here, and in the commit that the recipes build if git knows that.
fn crates(lock: &str, revision: &str) -> Result<Crates, Failure> {
    let mut crates = locked(&fs::read_to_string(root().join(lock))?);
    // A copy of the tree without its history has only the first.
    if let Ok(older) = git(&["show", &format!("{revision}:{lock}")]) {
        crates.extend(locked(&older));
    }
    Ok(crates)
}

/// Returns the registry crates in a lock file. Everything else is in the repository.
fn locked(text: &str) -> Crates {
    let package = |package: &str| {
        let field = |name: &str| {
            let start = format!("{name} = \"");
            let line = package.lines().find_map(|line| line.strip_prefix(start.as_str()))?;
            line.strip_suffix('"').map(str::to_owned)
        };
        Some(((field("name")?, field("version")?), field("checksum")?))
    };
    text.split("[[package]]").filter_map(package).collect()
}

fn list(crates: &Crates) -> String {
    let mut text = String::from("# Made by `cargo xtask yocto` from a lock file.\nSRC_URI += \"\\\n");
    for (name, version) in crates.keys() {
        text += &format!("    crate://crates.io/{name}/{version} \\\n");
    }
    text += "\"\n\n";
    for ((name, version), checksum) in crates {
        text += &format!("SRC_URI[{name}-{version}.sha256sum] = \"{checksum}\"\n");
    }
    text
}

fn revision_of(shared: &str) -> Result<&str, Failure> {
    let line = shared.lines().find_map(|line| line.strip_prefix(REVISION));
    line.and_then(|line| line.strip_suffix('"')).ok_or_else(|| format!("{SHARED} has no {REVISION}").into())
}

fn git(arguments: &[&str]) -> Result<String, Failure> {
    command("git").args(arguments).read()
}
