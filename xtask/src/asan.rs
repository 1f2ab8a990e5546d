//! `cargo xtask asan [TEST...]`: the tests of the library, or those whose names have one of these parts, with a library that is watched
//! by AddressSanitizer, which reports memory that is used after it was freed or outside its bounds.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Failure;
use crate::command::{Run, command};
use crate::toolchain::nightly;
use crate::workspace::target_folder;

/// The target for which a library with a sanitizer is built.
pub(crate) const TARGET: &str = "x86_64-unknown-linux-gnu";

/// The programs of tests that run so. Not `differential`: it asks the other loader, too, which is not watched, and takes minutes.
const PROGRAMS: &[&str] = &["drivers", "layers", "instances", "objects"];

const ELEVATED: &str = "the dynamic linker opens nothing that the user names before an elevated program";

/// Tests that cannot run so, by a part of their names, and why.
const LEFT_OUT: &[(&str, &str)] = &[
    ("elevated::", ELEVATED),
    ("out_of_memory::", "it stands in front of the C library's allocator, as the sanitizer does"),
    ("llp_loader_13_nothing_comes_from_the_users_places_when_elevated", ELEVATED),
    ("a_bad_member_of_a_device_group_is_refused", BAD_HANDLE),
    ("looking_up_with_a_bad_instance_is_refused", BAD_HANDLE),
    ("naming_a_bad_physical_device_is_refused", BAD_HANDLE),
    ("every_bad_handle_is_refused_by_every_command", BAD_HANDLE),
];

const BAD_HANDLE: &str = "an invalid handle is read, possibly one of an object that was freed";

/// Needs a nightly compiler with the component `rust-src`, and GCC with its libasan.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let library = compile_library()?;
    let mut cargo = command("cargo test --package vkload-tests --no-fail-fast");
    cargo.args(PROGRAMS.iter().flat_map(|program| ["--test", program]));
    cargo.arg("--").args(LEFT_OUT.iter().flat_map(|(name, _)| ["--skip", name])).args(arguments);
    cargo.env("VKLOAD_TEST_LIBRARY", library);
    // The tests pass it to the processes in which they open the library. Other tests count leaks; some tests need failing allocations.
    cargo.env("VKLOAD_TEST_RUNTIME", runtime()?);
    cargo.env("ASAN_OPTIONS", "detect_leaks=0:allocator_may_return_null=1");
    cargo.finish()
}

fn compile_library() -> Result<PathBuf, Failure> {
    let folder = target_folder().join("asan");
    sanitized("address", &folder, &["-Clink-arg=-lasan".into()])?;
    let library = folder.join("libvulkan.so.1");
    fs::copy(folder.join(TARGET).join("release/libvulkan.so"), &library)?;
    Ok(library)
}

/// Compiles the library in this folder with one of the compiler's sanitizers, its allocator and all its dependencies included.
pub(crate) fn sanitized(sanitizer: &str, folder: &Path, flags: &[String]) -> Result<(), Failure> {
    let mut cargo = nightly(
        "rustc --quiet --release --package libvulkan-linux --crate-type cdylib -Zbuild-std=core,alloc",
    );
    cargo
        .args(["--target", TARGET, "--target-dir"])
        .arg(folder)
        .args(["--config", "profile.release.lto=\"off\""]);
    cargo.args(["--config", "profile.release.codegen-units=16", "--config", "profile.release.debug=1", "--"]);
    cargo.args(flags).env("RUSTFLAGS", format!("-Zsanitizer={sanitizer} -Cforce-frame-pointers=yes"));
    cargo.finish()
}

/// Returns the path of GCC's AddressSanitizer runtime, which a process must load before everything else.
fn runtime() -> Result<PathBuf, Failure> {
    let path = PathBuf::from(command("gcc -print-file-name=libasan.so").read()?);
    if path.is_absolute() {
        Ok(path)
    } else {
        Err("GCC has no libasan; on Debian it comes with the package gcc".into())
    }
}
