//! Drivers without unsafe code that must not compile: each file in `unsound/` tries one thing that would break memory safety.
//!
//! The first line of a file is the error that the compiler must report for it, and for each line that ends in `//~`: another
//! error, such as a misspelt name, fails the test.
//! `control.rs` is a complete driver, which compiles.

use std::collections::BTreeMap;
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

/// Returns the libraries of the runtime next to this program, which cargo has built with various features, the latest first.
fn runtimes() -> Vec<PathBuf> {
    let folder = env::current_exe().expect("a path").parent().expect("a folder").to_owned();
    let files = fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path());
    let is_runtime = |file: &PathBuf| {
        let name = file.file_name().expect("a name").to_string_lossy();
        name.starts_with("libvkload_driver_runtime-") && name.ends_with(".rlib")
    };
    let mut runtimes: Vec<_> = files.filter(is_runtime).collect();
    runtimes.sort_by_key(|file| fs::metadata(file).and_then(|it| it.modified()).ok());
    runtimes.reverse();
    runtimes
}

/// Returns the compiler's errors for this file with a library of the runtime.
fn errors(case: &Path, runtime: &Path) -> String {
    let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or("rustc".into()));
    rustc.args(["--edition=2024", "--crate-type=lib", "--emit=metadata", "--error-format=short", "-o"]);
    let library = format!("vkload_driver_runtime={}", runtime.display());
    let out = tempfile::tempdir().expect("a folder");
    rustc.arg(out.path().join("case.rmeta")).args(["--extern", &library, "-L"]);
    rustc.arg(format!("dependency={}", runtime.parent().expect("a folder").display()));
    String::from_utf8(rustc.arg(case).output().expect("the compiler").stderr).expect("text")
}

#[test]
#[cfg_attr(miri, ignore = "starts the compiler")]
fn a_driver_without_unsafe_code_cannot_break_memory_safety() {
    let cases = cases();
    let tried: Vec<_> = runtimes().into_iter().map(|it| (errors(&cases[CONTROL], &it), it)).collect();
    let compiled = tried.iter().find(|(errors, _)| !errors.contains("error"));
    let (_, runtime) = compiled.unwrap_or_else(|| panic!("{CONTROL} does not compile: {tried:?}"));
    for (name, path) in cases.iter().filter(|(name, _)| *name != CONTROL) {
        let text = fs::read_to_string(path).expect("a file");
        assert!(text.contains("#![forbid(unsafe_code)]"), "{name}");
        let expected = text.lines().next().and_then(|line| line.strip_prefix("//! ")).expect("an error");
        let errors = errors(path, runtime);
        let mut own = errors.lines().filter(|line| line.contains("error"));
        assert!(own.any(|line| line.contains(expected)), "{name} lacks `{expected}`:\n{errors}");
        for (line, _) in (1..).zip(text.lines()).filter(|(_, text)| text.ends_with("//~")) {
            let is_here =
                |error: &str| error.contains(&format!("{name}.rs:{line}:")) && error.contains(expected);
            assert!(errors.lines().any(is_here), "line {line} of {name} compiles:\n{errors}");
        }
    }
    assert!(cases.len() > 12);
}
