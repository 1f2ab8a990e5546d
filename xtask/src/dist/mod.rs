//! `cargo xtask dist`: makes the installation, as a tree of files or as Debian packages.
//!
//! Two runs give equal bytes, regardless of the source folder: no path of this machine and no time gets into a file.

mod archive;
mod built;
mod deb;
mod debian;
mod options;
mod plugins;
mod tree;

use std::fs;
use std::path::PathBuf;

use built::Built;
use options::Options;
use tree::Tree;

use crate::Failure;
use crate::workspace::{make_empty, root, target_folder};

/// Builds everything and installs it under `--destdir`, or with `--deb` packs it.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let options = Options::parse(arguments)?;
    let built = Built::build(&options)?;
    if options.deb {
        return debian::pack(&built, &options);
    }
    let destination = match &options.destination {
        Some(folder) => folder.clone(),
        None => emptied("tree")?,
    };
    let tree = Tree::new(&destination);
    tree.install(&built, &options)?;
    println!("{}: installed for {}", destination.display(), options.prefix.display());
    Ok(())
}

/// Returns the output folder of `dist`.
fn folder() -> PathBuf {
    target_folder().join("dist")
}

/// Returns a folder of this name in it, with nothing inside.
fn emptied(name: &str) -> Result<PathBuf, Failure> {
    let folder = folder().join(name);
    make_empty(&folder)?;
    Ok(folder)
}

/// Returns the version of Vulkan that the library has, as in `libvulkan.so.1.4.366`, from the generated tables.
fn vulkan_version() -> Result<String, Failure> {
    let file = root().join("registry/src/numbers_gen.rs");
    let text = fs::read_to_string(&file)?;
    let version = text.split("version of the registry, ").nth(1).and_then(|rest| rest.split(',').next());
    Ok(version.ok_or_else(|| format!("{} does not tell the version", file.display()))?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_three_numbers() {
        let version = vulkan_version().unwrap();
        let numbers: Vec<u32> = version.split('.').map(|part| part.parse().unwrap()).collect();
        assert!(matches!(numbers[..], [1, minor, _] if minor >= 4), "{version}");
    }
}
