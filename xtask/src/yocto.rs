//! `cargo xtask yocto [--revision COMMIT]`: the download list of the Yocto recipe.
//!
//! The recipe builds one commit (`SRCREV`), and its build has no network, so the crates are fetched by BitBake: all crates in `Cargo.lock`,
//! both the current one and that commit's.

use std::collections::BTreeMap;
use std::fs;

use crate::Failure;
use crate::command::{Run, command};
use crate::workspace::root;

const RECIPE: &str = "packaging/yocto/recipes-graphics/vkload/vkload_git.bb";
const CRATES: &str = "packaging/yocto/recipes-graphics/vkload/vkload-crates.inc";

/// The prefix of the line with the revision.
const REVISION: &str = "SRCREV ?= \"";

/// Writes the list of crates. With a revision, makes the recipe build that one.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let mut recipe = fs::read_to_string(root().join(RECIPE))?;
    match arguments {
        [] => {}
        [option, revision] if option == "--revision" => {
            let commit = git(&["rev-parse", "--verify", &format!("{revision}^{{commit}}")])?;
            recipe = recipe.replace(revision_of(&recipe)?, commit.trim());
            fs::write(root().join(RECIPE), &recipe)?;
        }
        _ => return Err("the only option is --revision COMMIT".into()),
    }
    let crates = crates(&recipe)?;
    fs::write(root().join(CRATES), list(&crates))?;
    println!("{CRATES}: {} crates", crates.len());
    Ok(())
}

/// Checksums (SHA-256) by name and version.
type Crates = BTreeMap<(String, String), String>;

/// Returns the crates of `Cargo.lock` here, and in the commit that the recipe builds where git knows that.
fn crates(recipe: &str) -> Result<Crates, Failure> {
    let mut crates = locked(&fs::read_to_string(root().join("Cargo.lock"))?);
    // A copy of the tree without its history has only the first.
    if let Ok(older) = git(&["show", &format!("{}:Cargo.lock", revision_of(recipe)?)]) {
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
    let mut text = String::from("# Made by `cargo xtask yocto` from Cargo.lock.\nSRC_URI += \" \\\n");
    for (name, version) in crates.keys() {
        text += &format!("    crate://crates.io/{name}/{version} \\\n");
    }
    text += "\"\n\n";
    for ((name, version), checksum) in crates {
        text += &format!("SRC_URI[{name}-{version}.sha256sum] = \"{checksum}\"\n");
    }
    text
}

fn revision_of(recipe: &str) -> Result<&str, Failure> {
    let line = recipe.lines().find_map(|line| line.strip_prefix(REVISION));
    line.and_then(|line| line.strip_suffix('"')).ok_or_else(|| format!("{RECIPE} has no {REVISION}").into())
}

fn git(arguments: &[&str]) -> Result<String, Failure> {
    command("git").args(arguments).read()
}

#[cfg(test)]
mod tests {
    use md5::{Digest, Md5};

    use super::*;

    fn recipe() -> String {
        fs::read_to_string(root().join(RECIPE)).unwrap()
    }

    #[test]
    fn the_list_of_crates_is_that_of_the_lock_file() {
        let on_disk = fs::read_to_string(root().join(CRATES)).unwrap();
        assert!(on_disk == list(&crates(&recipe()).unwrap()), "{CRATES} is stale: run `cargo xtask yocto`");
        assert!(
            on_disk.contains("crate://crates.io/libc/") && !on_disk.contains("/loader-core/"),
            "{on_disk}"
        );
    }

    #[test]
    fn every_locked_crate_is_listed_with_its_checksum() {
        let lock = "[[package]]\nname = \"own\"\nversion = \"0.1.0\"\n\n[[package]]\nname = \"a\"\nversion = \"1.2.3\"\n\
                    source = \"registry\"\nchecksum = \"00ff\"\n";
        let list = list(&locked(lock));
        assert!(list.contains("    crate://crates.io/a/1.2.3 \\\n\"\n"), "{list}");
        assert!(
            list.ends_with("\n\nSRC_URI[a-1.2.3.sha256sum] = \"00ff\"\n") && !list.contains("own"),
            "{list}"
        );
    }

    #[test]
    fn the_revision_is_a_commit_of_this_history() {
        let recipe = recipe();
        let revision = revision_of(&recipe).unwrap();
        assert!(revision.len() == 40 && revision.bytes().all(|byte| byte.is_ascii_hexdigit()), "{revision}");
        if git(&["rev-parse", "--is-shallow-repository"]).is_ok_and(|it| it.trim() == "false") {
            assert!(git(&["merge-base", "--is-ancestor", revision, "HEAD"]).is_ok(), "{revision}");
            // It builds with the compiler that the layer has to bring.
            let manifest = git(&["show", &format!("{revision}:platform-linux/cdylib/Cargo.toml")]).unwrap();
            assert!(manifest.contains(&format!("rust-version = \"{}\"", oldest_rust(&recipe))), "{manifest}");
        }
    }

    /// Returns the version that the recipe asks for in words.
    fn oldest_rust(recipe: &str) -> &str {
        let line = recipe.lines().find_map(|line| line.strip_prefix("# Rust ")).unwrap();
        line.split_once(" or newer").unwrap().0
    }

    #[test]
    fn the_recipe_asks_for_the_rust_that_the_crates_state() {
        let recipe = recipe();
        let oldest = format!("rust-version = \"{}\"", oldest_rust(&recipe));
        for package in ["loader-core", "platform-linux", "platform-linux/cdylib", "registry", "shell"] {
            let manifest = fs::read_to_string(root().join(package).join("Cargo.toml")).unwrap();
            assert!(manifest.contains(&oldest), "{package}/Cargo.toml does not say {oldest}");
        }
    }

    #[test]
    fn licences_match_the_recipe_and_its_includes_exist() {
        let recipe = recipe();
        let mut licences = 0;
        for word in
            recipe.split_whitespace().filter(|word| word.starts_with("file://") && word.contains("md5="))
        {
            let (name, checksum) = word["file://".len()..].split_once(";md5=").unwrap();
            let bytes = fs::read(root().join(name)).unwrap();
            let actual: String = Md5::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(actual, checksum, "{name}");
            licences += 1;
        }
        assert_eq!(licences, 2);
        for name in recipe.lines().filter_map(|line| line.strip_prefix("require ")) {
            assert!(root().join(RECIPE).with_file_name(name).is_file(), "{name}");
        }
        assert!(recipe.contains("require vkload-crates.inc"));
    }

    #[test]
    fn every_option_of_packageconfig_is_used_and_no_variable_lacks_its_end() {
        let recipe = recipe();
        for option in recipe.lines().filter_map(|line| line.strip_prefix("PACKAGECONFIG[")) {
            let name = option.split(']').next().unwrap();
            assert!(recipe.contains(&format!("'PACKAGECONFIG', '{name}'")), "{name}");
        }
        let assignments =
            recipe.lines().filter(|line| !line.starts_with([' ', '#', '}']) && line.contains(" = \""));
        for line in assignments {
            assert!(line.ends_with('"') || line.ends_with('\\'), "{line}");
        }
    }
}
