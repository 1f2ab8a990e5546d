//! Drivers without unsafe code that must not compile: each file in `unsound/` tries one thing that would break memory safety.
//!
//! The first line of a file is the error that the compiler must report for it, prefixed with the file's own name:
//! another error, such as a misspelt name, fails the test. `control.rs` is a complete driver, which compiles.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const CONTROL: &str = "control";

/// Returns the files, by their names without the extension.
fn cases() -> BTreeMap<String, PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/unsound");
    let files = fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path());
    files.map(|path| (path.file_stem().expect("a name").to_str().expect("text").to_owned(), path)).collect()
}

/// Writes a package with an example for each file, with this workspace's dependencies.
fn write_package(folder: &Path, cases: &BTreeMap<String, PathBuf>) {
    let runtime = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut manifest = format!(
        "[package]\nname = \"unsound\"\nedition = \"2024\"\n[workspace]\n[lib]\npath = \"lib.rs\"\n\
         [dependencies]\nvkload-driver-runtime = {{ path = {runtime:?}, features = [\"linux\"] }}\n"
    );
    for (name, path) in cases {
        writeln!(manifest, "[[example]]\nname = {name:?}\npath = {path:?}\ncrate-type = [\"lib\"]")
            .expect("memory");
    }
    fs::create_dir_all(folder).expect("a folder");
    fs::write(folder.join("Cargo.toml"), manifest).expect("a manifest");
    fs::write(folder.join("lib.rs"), "").expect("a library");
    fs::copy(runtime.join("../Cargo.lock"), folder.join("Cargo.lock")).expect("the locked versions");
}

/// Returns the errors of each file, one a line: `NAME.rs:LINE:COLUMN: error[E0000]: what is wrong`.
fn errors(folder: &Path) -> String {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.current_dir(folder).args(["check", "--offline", "--keep-going", "--lib", "--examples"]);
    cargo.args(["--message-format", "short"]).env("CARGO_TARGET_DIR", folder.join("target"));
    // Flags for instrumented runs of the tests do not apply to this compiler.
    cargo.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
    let output = cargo.output().expect("cargo");
    String::from_utf8(output.stderr).expect("text")
}

#[test]
#[cfg_attr(miri, ignore = "starts the compiler")]
fn a_driver_without_unsafe_code_cannot_break_memory_safety() {
    let cases = cases();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("unsound");
    write_package(&folder, &cases);
    let errors = errors(&folder);
    for (name, path) in &cases {
        let file = format!("unsound/{name}.rs:");
        let mut own = errors.lines().filter(|line| line.contains(&file) && line.contains("error"));
        let text = fs::read_to_string(path).expect("a file");
        if name == CONTROL {
            assert_eq!(own.next(), None, "{errors}");
            continue;
        }
        assert!(text.contains("#![forbid(unsafe_code)]"), "{name}");
        let expected = text.lines().next().and_then(|line| line.strip_prefix("//! ")).expect("an error");
        assert!(own.any(|line| line.contains(expected)), "{name} lacks `{expected}`:\n{errors}");
    }
    assert!(cases.contains_key(CONTROL) && cases.len() > 12);
}
