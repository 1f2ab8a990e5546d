//! Helpers of the tests.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use vkload_tests::artifact;
use vkload_tests::programs::Need;

/// Returns a path in the folder `jni` of the repository.
pub(crate) fn jni(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Returns cargo's output folder. The tests' own folder is target/PROFILE/deps.
pub(crate) fn target() -> PathBuf {
    env::current_exe().expect("a program").ancestors().nth(3).expect("a folder of cargo's").to_owned()
}

/// Returns whether all programs are available. Reports a missing one, and fails if everything that
/// tests need is supposed to be available.
pub(crate) fn are_there(programs: &[&'static str]) -> bool {
    programs.iter().all(|name| !Need::missing(&[Need::Program(name)]))
}

/// Finds the program of this name on the search path.
pub(crate) fn which(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.exists())
}

/// Adds the Java sources in a folder and its subfolders.
pub(crate) fn java_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            java_files(&path, files);
        } else if path.extension() == Some(OsStr::new("java")) {
            files.push(path);
        }
    }
}

/// Returns the sources of the API and of its tests, with stand-ins for Android's classes.
pub(crate) fn java_sources() -> Vec<PathBuf> {
    let mut sources = vec![];
    for name in ["java", "stubs", "android", "sample/src/main/java", "tests/java"] {
        java_files(&jni(name), &mut sources);
    }
    sources
}

/// Compiles Java sources like the API, and leaves out the annotations, which are not packaged.
pub(crate) fn javac(classes: &Path, sources: &[PathBuf]) {
    let mut javac = Command::new("javac");
    // Newer compilers warn that release 8 is old.
    javac.args(["--release", "8", "-Xlint:all,-options,-serial", "-Xdoclint:all", "-Xdoclint:-missing"]);
    javac.args(["-Werror", "-encoding", "UTF-8", "-d"]);
    finish(javac.arg(classes).args(sources));
    fs::remove_dir_all(classes.join("org")).expect("annotations");
}

/// Returns Java's native half, which is built on its own like all shells of this repository.
pub(crate) fn native_half() -> PathBuf {
    let library = target().join("release/libvkload_jni.so");
    let command = "cargo build --release -p libvkload-jni";
    assert!(library.exists(), "{} does not exist: run `{command}` first", library.display());
    library
}

/// Compiles the classes of the API and of its tests into the folder, and adds Java's native half.
pub(crate) fn build(folder: &Path) {
    javac(&folder.join("classes"), &java_sources());
    fs::copy(native_half(), folder.join("libvkload_jni.so")).expect("the native half");
}

/// Runs all tests of the classes in a folder with Java, and returns their output. They must pass.
pub(crate) fn java(
    folder: &Path,
    options: &[&str],
    classes: &[&str],
    prepare: impl FnOnce(&mut Command),
) -> String {
    let mut java = Command::new("java");
    java.args(["-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"]);
    java.arg(folder.join("classes")).arg(format!("-Djava.library.path={}", folder.display()));
    java.args(options).arg("dev.vkload.tests.Main").args(classes).env_remove("JAVA_TOOL_OPTIONS");
    prepare(&mut java);
    let text = finish(&mut java);
    assert!(text.lines().filter(|line| line.starts_with("ok ")).count() >= classes.len(), "{text}");
    text
}

/// Returns a driver, which cargo builds next to the tests.
pub(crate) fn driver(library: &str) -> PathBuf {
    let library = env::current_exe().expect("a program").with_file_name(library);
    assert!(library.exists(), "there is no {}: run the tests with cargo", library.display());
    library
}

/// Returns the library for Linux, used instead of the system's loader. Cargo must not build it here: that would replace the link
/// `libvulkan.so` of `cargo xtask build`.
pub(crate) fn system_loader() -> PathBuf {
    let library = target().join("release/libvulkan.so.1");
    assert!(library.exists(), "{} does not exist: run `cargo xtask build` first", library.display());
    library
}

/// Returns whether everything needed to compile and run the sample is available.
pub(crate) fn has_what_the_sample_needs() -> bool {
    !Need::missing(&[Need::Compiler]) && are_there(&["cmake", "ninja", "java", "javac"])
}

/// Returns the flags for compiling the sample's native half without an NDK: the headers are Java's,
/// with a stand-in for Android's.
pub(crate) fn sample_flags() -> Vec<String> {
    let javac = fs::canonicalize(which("javac").expect("javac")).expect("a path");
    let java = javac.ancestors().nth(2).expect("the folder of Java").join("include");
    let folders = [java.join("linux"), java, jni("tests/sample")];
    let include = folders.iter().map(|folder| format!("-I{}", folder.display()));
    include.chain(["-Wall", "-Wextra", "-Werror"].map(str::to_owned)).collect()
}

/// Unpacks the AAR for all ABIs into this folder. Returns whether it may exist.
pub(crate) fn unpack_aar(folder: &Path) -> bool {
    let aar = concat!("android/vkload-", env!("CARGO_PKG_VERSION"), ".aar");
    let Some(aar) = artifact(aar, "cargo xtask android-abi && cargo xtask aar") else { return false };
    if are_there(&["jar"]) {
        finish(Command::new("jar").current_dir(folder).arg("xf").arg(aar));
    }
    folder.join("classes.jar").exists()
}

/// Runs a command that must succeed, and returns its output.
pub(crate) fn finish(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{text}", output.status);
    text.into_owned()
}
