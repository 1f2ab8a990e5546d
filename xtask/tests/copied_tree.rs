//! A copied tree that includes the build output: the task runner works on the copy, not on the original tree.

use std::fs;
use std::path::Path;
use std::process::Command;

const RECIPE: &str = "packaging/yocto/recipes-graphics/vkload";

/// Copies the few files that `cargo xtask yocto` reads.
fn copy(to: &Path) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let recipe = format!("{RECIPE}/vkload_git.bb");
    for file in ["Cargo.lock", "xtask/Cargo.toml", &recipe] {
        fs::create_dir_all(to.join(file).parent().unwrap()).unwrap();
        fs::copy(root.join(file), to.join(file)).unwrap();
    }
}

fn writes_into(tree: &Path, command: &mut Command) {
    let status = command.arg("yocto").env_remove("CARGO_TARGET_DIR").status().unwrap();
    assert!(status.success(), "{status}");
    let written = tree.join(RECIPE).join("vkload-crates.inc");
    assert!(fs::read_to_string(&written).unwrap().contains("crate://crates.io/libc/"));
    fs::remove_file(written).unwrap();
}

#[test]
fn a_copy_is_found_from_a_folder_in_it_and_by_cargos_variable() {
    let tree = tempfile::tempdir().unwrap();
    copy(tree.path());
    let program = || Command::new(env!("CARGO_BIN_EXE_xtask"));
    let below = tree.path().join(RECIPE);
    writes_into(tree.path(), program().env_remove("CARGO_MANIFEST_DIR").current_dir(below));
    // Cargo sets this for the tree whose `cargo xtask` runs, whatever the current folder is.
    writes_into(tree.path(), program().env("CARGO_MANIFEST_DIR", tree.path().join("xtask")).current_dir("/"));
}
