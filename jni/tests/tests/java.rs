//! The Java API (`jni/java`) and its native half (`jni/native`), run by a real machine of Java. The loader beneath is `fake/libvkload.c`, and
//! where Vulkan is needed, it passes this repository's Linux loader on, with the null driver.
//!
//! The tests themselves are Java's: `java/dev/vkload/tests`. They are run with `-Xcheck:jni`, which must have nothing to say.
#![cfg(target_os = "linux")]

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::{env, fs};

use tempfile::TempDir;

#[test]
fn options_and_mistakes() {
    let Some(built) = built() else { return };
    built.passes(&["Options"], &[], &[]);
}

#[test]
fn listeners_of_the_log() {
    let Some(built) = built() else { return };
    built.passes(&["Log"], &[], &[]);
}

#[test]
fn what_an_android_context_knows() {
    let Some(built) = built() else { return };
    built.passes(&["AndroidContext"], &[], &[]);
}

#[test]
fn what_a_real_loader_has() {
    let Some(built) = built() else { return };
    built.passes(&["RealLoader"], &[], &real_loader(built, &null_driver(built)));
}

#[test]
fn a_real_loader_without_a_driver() {
    let Some(built) = built() else { return };
    built.passes(&["NoDriver"], &[], &real_loader(built, Path::new("/nowhere/driver.json")));
}

/// No global reference is made, so none can be left; every array that is looked into is given back.
#[test]
fn nothing_of_java_is_kept() {
    let Some(built) = built() else { return };
    let agent = format!("-agentpath:{}", built.folder.path().join("agent.so").display());
    let classes = ["Options", "Log", "RealLoader"];
    let output = built.run(&classes, &[&agent], &real_loader(built, &null_driver(built)));
    let counts = output.lines().find_map(|line| line.strip_prefix("vkload_jni: ")).expect(&output);
    let numbers: Vec<u64> = counts.split(' ').filter_map(|word| word.parse().ok()).collect();
    assert!(numbers.len() == 3 && numbers[0] == 0, "{counts}");
    assert!(numbers[1] > 1000 && numbers[1] == numbers[2], "{counts}");
}

#[test]
fn the_header_is_c99_and_cpp() {
    let Some(built) = built() else { return };
    for (compiler, options) in [("cc", ["-std=c99", "-xc"]), ("c++", ["-std=c++11", "-xc++"])] {
        let source = built.folder.path().join(format!("header-{compiler}"));
        let text = "#include \"vkload.h\"\n\
                    int main(void) { char m[9]; return vkload_configure(\"{}\", m, sizeof m) + (vkload_get_instance_proc_addr() == 0) \
                    + (int)vkload_report(VKLOAD_REPORT_TEXT, 0, 0); }\n";
        fs::write(&source, text).unwrap();
        let warnings = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only"];
        finish(Command::new(compiler).args(options).args(warnings).arg("-I").arg(jni("include")).arg(source));
    }
}

/// What is compiled once for all tests.
struct Built {
    /// Has the classes, and the libraries that Java looks for.
    folder: TempDir,
}

/// Compiles what is needed; `None` where there is no Java.
fn built() -> Option<&'static Built> {
    static BUILT: OnceLock<Option<Built>> = OnceLock::new();
    BUILT.get_or_init(Built::new).as_ref()
}

impl Built {
    fn new() -> Option<Self> {
        if let Some(missing) = ["java", "javac", "cc", "c++"].into_iter().find(|name| !in_path(name)) {
            let complete = env::var_os("VKLOAD_TESTS_COMPLETE").is_some_and(|value| value == "1");
            assert!(!complete, "missing: {missing}");
            eprintln!("skipped: missing {missing} (Debian: openjdk-17-jdk-headless, gcc, g++)");
            return None;
        }
        let folder = TempDir::new().unwrap();
        let mut sources = vec![];
        for name in ["java", "stubs/org", "stubs/android", "android", "sample/src/main/java", "tests/java"] {
            java_files(&jni(name), &mut sources);
        }
        let mut javac = Command::new("javac");
        // Newer compilers say that release 8 is an old one.
        javac.args(["--release", "8", "-Xlint:all,-options,-serial", "-Werror", "-encoding", "UTF-8", "-d"]);
        finish(javac.arg(folder.path().join("classes")).args(sources));
        // Annotations are not packaged, so it has to go without them.
        fs::remove_dir_all(folder.path().join("classes/org")).unwrap();

        let native = cargo_builds("libvkload-jni", "libvkload_jni.so");
        fs::copy(native, folder.path().join("libvkload_jni.so")).unwrap();
        let built = Self { folder };
        built.compile("fake/libvkload.c", "libvkload.so", &["-Wl,-soname,libvkload.so".into()]);
        let home = fs::canonicalize(which("javac").unwrap()).unwrap();
        let headers = home.ancestors().nth(2).unwrap().join("include");
        let include = |folder: PathBuf| format!("-I{}", folder.display());
        built.compile(
            "fake/agent.c",
            "agent.so",
            &[include(headers.clone()), include(headers.join("linux"))],
        );
        Some(built)
    }

    fn compile(&self, source: &str, name: &str, options: &[String]) {
        let mut compiler = Command::new("cc");
        compiler.args([
            "-std=gnu11",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-O1",
            "-shared",
            "-fPIC",
            "-pthread",
            "-o",
        ]);
        compiler.arg(self.folder.path().join(name)).arg(jni("tests").join(source));
        finish(compiler.arg("-I").arg(jni("include")).args(options).arg("-ldl"));
    }

    /// Runs all tests of the classes with everything checked; nothing else may be printed.
    fn passes(&self, classes: &[&str], options: &[&str], variables: &[(&str, PathBuf)]) {
        let options: Vec<&str> = options.iter().copied().chain(["-Xcheck:jni"]).collect();
        let output = self.run(classes, &options, variables);
        // The real loader says its errors there, too.
        let expected = |line: &str| line.starts_with("ok ") || line.starts_with("[Vulkan Loader] ");
        assert!(output.lines().all(expected), "{output}");
    }

    /// Runs the tests, which must pass, and returns what was printed.
    fn run(&self, classes: &[&str], options: &[&str], variables: &[(&str, PathBuf)]) -> String {
        let mut java = Command::new("java");
        java.args(options).args(["-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"]);
        java.arg(self.folder.path().join("classes"));
        java.arg(format!("-Djava.library.path={}", self.folder.path().display()));
        java.arg("dev.vkload.tests.Main").args(classes);
        // Where dlopen finds a library by its name if it is not loaded yet.
        java.env("LD_LIBRARY_PATH", self.folder.path()).env_remove("JAVA_TOOL_OPTIONS");
        java.envs(variables.iter().map(|(name, value)| (name, value)));
        let output = java.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {text}", output.status);
        let passed = text.lines().filter(|line| line.starts_with("ok ")).count();
        assert!(passed >= classes.len(), "{text}");
        text.into_owned()
    }
}

/// The variables with which the fake passes this repository's loader on, which finds this driver, and one layer.
fn real_loader(built: &Built, driver: &Path) -> [(&'static str, PathBuf); 5] {
    let layers = built.folder.path().join("layers");
    fs::create_dir_all(&layers).unwrap();
    let layer = r#"{"file_format_version": "1.1.0", "layer": {"name": "VK_LAYER_TEST_of_java", "type": "GLOBAL",
        "library_path": "/nowhere/layer.so", "api_version": "1.3.250", "implementation_version": "7", "description": "it says ü",
        "instance_extensions": [{"name": "VK_EXT_validation_features", "spec_version": "5"}]}}"#;
    fs::write(layers.join("layer.json"), layer).unwrap();
    [
        ("FAKE_VULKAN", cargo_builds("libvulkan-linux", "libvulkan.so")),
        ("VK_DRIVER_FILES", driver.to_owned()),
        ("VK_LAYER_PATH", layers),
        ("VK_IMPLICIT_LAYER_PATH", built.folder.path().join("no-layers")),
        ("VK_LOADER_DEBUG", "error".into()),
    ]
}

fn null_driver(built: &Built) -> PathBuf {
    let library = cargo_builds("null-driver-icd", "libvkload_null.so");
    let manifest = built.folder.path().join("null.json");
    let text = format!(
        r#"{{"file_format_version": "1.0.1", "ICD": {{"library_path": "{}", "api_version": "1.4.0"}}}}"#,
        library.display()
    );
    fs::write(&manifest, text).unwrap();
    manifest
}

/// A shell of this repository, built alone as all are.
fn cargo_builds(package: &str, library: &str) -> PathBuf {
    let mut cargo = Command::new(env!("CARGO"));
    finish(cargo.current_dir(jni("..")).args(["build", "--quiet", "--release", "--package", package]));
    // The folder of the tests is target/PROFILE/deps.
    let target = env::current_exe().unwrap().ancestors().nth(3).unwrap().to_owned();
    target.join("release").join(library)
}

fn jni(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join(name)
}

fn java_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            java_files(&path, files);
        } else if path.extension() == Some(OsStr::new("java")) {
            files.push(path);
        }
    }
}

fn in_path(program: &str) -> bool {
    which(program).is_some()
}

fn which(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.exists())
}

fn finish(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}
