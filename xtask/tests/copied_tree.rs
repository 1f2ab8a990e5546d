//! A copied tree that includes the build output: the task runner works on the copy, not on the original tree.

use std::fs;
use std::path::Path;
use std::process::Command;

const COPIED: &str = "a-crate-of-the-copy";

fn lists_the_copy(command: &mut Command) {
    let output = command.arg("layers").env_remove("CARGO_TARGET_DIR").output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && printed.contains(COPIED), "{output:?}");
}

#[test]
fn a_copy_is_found_from_a_folder_in_it_and_by_cargos_variable() {
    let tree = tempfile::tempdir().unwrap();
    let write = |name: &str, text: String| {
        let file = tree.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    };
    write("Cargo.toml", format!("[workspace]\nresolver = \"3\"\nmembers = [\"xtask\", \"{COPIED}\"]\n"));
    for name in ["xtask", COPIED] {
        write(&format!("{name}/Cargo.toml"), format!("[package]\nname = \"{name}\"\nedition = \"2024\"\n"));
        write(&format!("{name}/src/lib.rs"), String::new());
    }
    let program = || Command::new(env!("CARGO_BIN_EXE_xtask"));
    let below = tree.path().join(COPIED).join("src");
    lists_the_copy(program().env_remove("CARGO_MANIFEST_DIR").current_dir(below));
    // Cargo sets this for the tree whose `cargo xtask` runs, whatever the current folder is.
    let variable = tree.path().join("xtask");
    lists_the_copy(program().env("CARGO_MANIFEST_DIR", variable).current_dir(Path::new("/")));
}
