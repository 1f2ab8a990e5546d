//! A copied tree that includes the build output: the task runner works on the copy, not on the original tree.

use std::fs;
use std::path::Path;
use std::process::Command;

const LIST: &str = "packaging/yocto/recipes-graphics/vkload/vkload-crates.inc";

/// Copies what `cargo xtask yocto` and cargo read: the recipes, and the library's crates.
fn copy(to: &Path) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut copy = Command::new("cp");
    copy.current_dir(root).args(["--recursive", "--parents", "Cargo.toml", "Cargo.lock", "xtask/Cargo.toml"]);
    copy.args(["packaging/library", "packaging/yocto", "loader-core", "platform-linux", "registry", "shell"]);
    assert!(copy.arg(to).status().unwrap().success());
    fs::remove_file(to.join(LIST)).unwrap();
}

fn writes_into(tree: &Path, command: &mut Command) {
    let status = command.arg("yocto").env_remove("CARGO_TARGET_DIR").status().unwrap();
    assert!(status.success(), "{status}");
    let written = fs::read_to_string(tree.join(LIST)).unwrap();
    assert!(written.contains("crate://crates.io/libc/"), "{written}");
    fs::remove_file(tree.join(LIST)).unwrap();
}

#[test]
fn a_copy_is_found_from_a_folder_in_it_and_by_cargos_variable() {
    let tree = tempfile::tempdir().unwrap();
    copy(tree.path());
    let program = || Command::new(env!("CARGO_BIN_EXE_xtask"));
    let below = tree.path().join("packaging/yocto");
    writes_into(tree.path(), program().env_remove("CARGO_MANIFEST_DIR").current_dir(below));
    // Cargo sets this for the tree whose `cargo xtask` runs, whatever the current folder is.
    writes_into(tree.path(), program().env("CARGO_MANIFEST_DIR", tree.path().join("xtask")).current_dir("/"));
}
