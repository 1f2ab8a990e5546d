//! Rust's compilers, and the programs that come with them.

use std::env;
use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

use crate::Failure;
use crate::command::{Run, command};
use crate::workspace::root;

pub(crate) fn cargo(line: &str) -> Command {
    own("CARGO", "cargo", line)
}

/// Returns a cargo command for the nightly compiler. The variables that rustup and cargo set for this program would take precedence.
pub(crate) fn nightly(line: &str) -> Command {
    let mut cargo = command(&format!("cargo +nightly {line}"));
    cargo.env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO");
    cargo
}

pub(crate) fn rustc(line: &str) -> Command {
    own("RUSTC", "rustc", line)
}

fn own(variable: &str, name: &str, line: &str) -> Command {
    let mut program = Command::new(env::var_os(variable).unwrap_or_else(|| name.into()));
    program.current_dir(root()).args(line.split_whitespace());
    program
}

/// Returns the target that cargo builds for by itself.
pub(crate) fn host() -> Result<&'static str, Failure> {
    static VERSION: LazyLock<Result<String, String>> =
        LazyLock::new(|| rustc("--verbose --version").read().map_err(|error| error.to_string()));
    let mut lines = VERSION.as_deref().map_err(String::as_str)?.lines();
    Ok(lines.find_map(|line| line.strip_prefix("host: ")).ok_or("rustc names no host")?)
}

pub(crate) fn tool(name: &str) -> Result<PathBuf, Failure> {
    let libraries = PathBuf::from(rustc("--print target-libdir").read()?);
    let program = libraries.with_file_name("bin").join(name);
    if program.is_file() {
        Ok(program)
    } else {
        Err(format!("the compiler has no {}", program.display()).into())
    }
}

/// Returns whether the target's libraries are installed or rustup could fetch them.
pub(crate) fn is_available(target: &str) -> bool {
    command("rustup target add").arg(target).succeeds()
}

pub(crate) fn report_skipped(task: &str, skipped: &[&str]) {
    if !skipped.is_empty() {
        println!("{task}: skipped {} that rustup cannot add: {}", skipped.len(), skipped.join(", "));
    }
}

/// Returns flags that keep source paths out of a library, in addition to the repository's own flags. Such paths reveal the machine's
/// folders, and differ between machines.
pub(crate) fn without_folders() -> [String; 2] {
    let flag = format!("--remap-path-prefix={}=crates", cargo_home().join(SOURCES).display());
    ["--config".into(), format!("build.rustflags=[{flag:?}]")]
}

/// The sources of crates, in cargo's own folder.
pub(crate) const SOURCES: &str = "registry/src";

pub(crate) fn cargo_home() -> PathBuf {
    let default = || PathBuf::from(env::var_os("HOME").unwrap_or_default()).join(".cargo");
    env::var_os("CARGO_HOME").map_or_else(default, PathBuf::from)
}
