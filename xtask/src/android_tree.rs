//! `cargo xtask android-tree`: what an Android system tree needs to build `libvulkan.so`, as a folder for `external/vkload`: build files for
//! Soong, the sources that they name, and the crates, which trees do not have as they are needed.
//!
//! Then it compiles the modules of the build files as Soong does, without cargo, with the oldest compiler that is supported.

mod blueprint;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::Failure;
use crate::command::{Run, command};
use crate::workspace::{files, make_empty, metadata, root, target_folder};
use blueprint::Module;

const TARGET: &str = "aarch64-linux-android";

/// Build files, and their paths in the tree.
const BUILD_FILES: &[(&str, &str)] =
    &[("packaging/android/Android.bp", "Android.bp"), ("packaging/android/crates.bp", "crates/Android.bp")];

/// Files that the build files name, other than crates.
const SOURCES: &[&str] = &[
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "loader-core/src",
    "platform-android/aosp",
    "platform-android/cdylib-system/src",
    "platform-android/libvulkan.map.txt",
    "platform-android/src",
    "platform-android/system/src",
    "registry/src",
    "shell/src",
];

/// The package whose manifest states the oldest compiler.
const STATED: &str = "loader-core/Cargo.toml";

pub(crate) fn run() -> Result<(), Failure> {
    let tree = target_folder().join("android/tree");
    make(&tree)?;
    println!("{}: copy it to external/vkload", tree.display());
    let oldest = oldest()?;
    if is_installed(&oldest) {
        compile(&tree, &oldest)?;
        println!("android-tree: compiled with Rust {oldest}");
    } else {
        println!("android-tree: skipped compiling: rustup cannot add Rust {oldest} for {TARGET}");
    }
    Ok(())
}

/// Puts everything into this folder, which is emptied before.
fn make(tree: &Path) -> Result<(), Failure> {
    make_empty(tree)?;
    for name in SOURCES {
        copy(&root().join(name), &tree.join(name))?;
    }
    let folders = folders_of_crates()?;
    for module in modules()? {
        let Some(name) = module.folder_of_crate() else { continue };
        let from =
            folders.get(name).ok_or_else(|| format!("Cargo.lock has no {name}, as crates.bp names it"))?;
        copy(from, &tree.join("crates").join(name))?;
    }
    for (from, to) in BUILD_FILES {
        copy(&root().join(from), &tree.join(to))?;
    }
    Ok(())
}

/// Returns the modules of all build files with code in Rust, each after those that it needs.
fn modules() -> Result<Vec<Module>, Failure> {
    let mut modules = Vec::new();
    for (from, to) in BUILD_FILES {
        let text = fs::read_to_string(root().join(from))?;
        let folder = Path::new(to).parent().unwrap_or(Path::new(""));
        modules.extend(blueprint::modules(&text, folder));
    }
    blueprint::sorted(modules)
}

/// Copies a file, or a folder with all that is in it.
fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    let all = if from.is_dir() { files(from)? } else { BTreeMap::from([(String::new(), from.to_owned())]) };
    // Cargo's own notes begin with a dot.
    for (name, file) in all.iter().filter(|(name, _)| !name.starts_with('.')) {
        let to = if name.is_empty() { to.to_owned() } else { to.join(name) };
        fs::create_dir_all(to.parent().unwrap_or(&to))?;
        fs::copy(file, to).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    Ok(())
}

/// Returns cargo's source folder of each crate, by its name and version (`ash-0.38.0+1.3.281`).
fn folders_of_crates() -> Result<BTreeMap<String, PathBuf>, Failure> {
    let metadata = metadata(&["--filter-platform", TARGET])?;
    let packages = metadata["packages"].as_array().map_or(&[][..], Vec::as_slice);
    let folder = |package: &serde_json::Value| {
        let name = format!("{}-{}", package["name"].as_str()?, package["version"].as_str()?);
        Some((name, Path::new(package["manifest_path"].as_str()?).parent()?.to_owned()))
    };
    Ok(packages.iter().filter_map(folder).collect())
}

fn oldest() -> Result<String, Failure> {
    let manifest = fs::read_to_string(root().join(STATED))?;
    let stated = manifest.lines().find_map(|line| line.strip_prefix("rust-version = "));
    Ok(stated.ok_or_else(|| format!("{STATED} states no rust-version"))?.trim_matches('"').to_owned())
}

fn is_installed(toolchain: &str) -> bool {
    command(&format!("rustup toolchain install {toolchain} --profile minimal --target {TARGET}")).succeeds()
}

/// Compiles every module with what its build file says, and nothing else.
fn compile(tree: &Path, toolchain: &str) -> Result<(), Failure> {
    let out = tree.with_extension("compiled");
    make_empty(&out)?;
    let flags = blueprint::flags(&fs::read_to_string(tree.join("Android.bp"))?);
    for module in modules()? {
        let mut rustc = command("rustc");
        rustc.env("RUSTUP_TOOLCHAIN", toolchain);
        rustc.current_dir(tree).args(module.arguments(&out)).args(&flags);
        // As in Android trees, ignore warnings in external sources.
        rustc.args(["--target", TARGET, "--cap-lints", "allow", "-L"]).arg(&out).arg("--out-dir").arg(&out);
        rustc.finish().map_err(|error| format!("{}: {error}", module.name))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_has_what_its_build_files_name() {
        let tree = tempfile();
        make(&tree).unwrap();
        for module in modules().unwrap() {
            assert!(tree.join(&module.source).exists(), "{}", module.source.display());
        }
        assert!(
            tree.join("Android.bp").exists() && tree.join("crates/ash-0.38.0+1.3.281/LICENSE-MIT").exists()
        );
        fs::remove_dir_all(tree).unwrap();
    }

    fn tempfile() -> PathBuf {
        target_folder().join(format!("android-tree-test-{}", std::process::id()))
    }

    #[test]
    fn each_module_comes_after_those_that_it_needs() {
        let names: Vec<_> = modules().unwrap().into_iter().map(|module| module.name).collect();
        let position = |name: &str| names.iter().position(|it| it == name).unwrap();
        assert_eq!(names.len(), 6 + 7);
        assert!(position("libvkload_hash32") < position("libvkload_heapless"));
        assert!(position("libvkload_registry") < position("libvkload_core"));
        assert!(position("libvkload_core") < position("libvkload_platform"));
        assert!(position("libvkload_platform") < position("libvkload_system"));
        assert_eq!(names.last().unwrap(), "libvkload_vulkan");
    }
}
