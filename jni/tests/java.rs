//! The Java API (`jni/java`) and its native half (`jni/src`), run by a real JVM. The loader
//! beneath is `fake/libvkload.c`; if Vulkan is needed, it forwards to this repository's Linux
//! loader, with the null driver.
//!
//! The tests themselves are written in Java: `java/dev/vkload/tests`. They run with `-Xcheck:jni`,
//! which must report nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use tempfile::TempDir;
use vkload_tests::programs::Need;

use crate::common::{are_there, build, driver, finish, java, java_sources, javac, jni, system_loader, which};

#[test]
fn options_and_mistakes() {
    let Some(built) = built() else { return };
    built.passes(&["Options", "Values"], &[], &[]);
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
fn the_functions_of_a_real_loader() {
    let Some(built) = built() else { return };
    built.passes(&["RealLoader"], &[], &real_loader(built, &null_driver(built)));
}

#[test]
fn what_an_odd_loader_has() {
    let Some(built) = built() else { return };
    built.passes(&["OddLoader"], &[], &[("FAKE_VULKAN", built.folder.path().join("odd.so"))]);
}

#[test]
fn a_real_loader_without_a_driver() {
    let Some(built) = built() else { return };
    built.passes(&["NoDriver"], &[], &real_loader(built, Path::new("/nowhere/driver.json")));
}

/// Kotlin treats whatever is not annotated as possibly null.
#[test]
fn nothing_of_the_api_is_null_unless_it_is_marked() {
    let Some(built) = built() else { return };
    for package in ["dev/vkload", "dev/vkload/android"] {
        let marks = built.folder.path().join("classes").join(package).join("package-info.class");
        let marks = fs::read(&marks).unwrap_or_else(|error| panic!("{package}: {error}"));
        assert!(marks.windows(10).any(|part| part == b"NullMarked"), "{package}");
    }
}

/// R8 removes methods of an application that nothing calls.
#[test]
fn methods_that_are_not_used_may_be_taken_out() {
    let Some(built) = built() else { return };
    let devices = "static native int devices(long instanceProcAddr, int[] count, byte[] out);";
    let classes =
        built.compiled_with("smaller", &[(devices, ""), ("Native.devices(entry, count, out)", "0")]);
    built.passes(&["Options", "Log"], &["-cp", &classes], &[]);
}

#[test]
fn a_renamed_class_gets_a_hint_to_keep_its_name() {
    let Some(built) = built() else { return };
    let classes = built.compiled_with("renamed", &[("Native", "Renamed")]);
    built.passes(&["Renamed"], &["-cp", &classes], &[]);
}

#[test]
fn class_loaders_have_the_library_one_after_the_other() {
    let Some(built) = built() else { return };
    built.passes(&["ClassLoaders"], &[], &[]);
}

#[test]
fn garbage_is_collected_at_any_time() {
    let Some(built) = built() else { return };
    built.passes(&["Collector"], &["-Xmx16m"], &real_loader(built, &null_driver(built)));
}

/// No global reference is created, so none can leak; every array that is accessed is released, and
/// all memory is freed, even if a request for memory, for a thread or for an array fails.
#[test]
fn nothing_of_java_is_kept() {
    let Some(built) = built() else { return };
    let agent = built.folder.path().join("agent.so");
    let mut variables = real_loader(built, &null_driver(built)).to_vec();
    variables.push(("LD_PRELOAD", agent.clone()));
    let agent = format!("-agentpath:{}", agent.display());
    // The JVM would warn of threads that cannot be created.
    let options = ["-Xcheck:jni", "-Xlog:disable", &agent];
    let output = built.run(&["Options", "Log", "RealLoader", "NoMemory"], &options, &variables);
    let (counts, rest): (Vec<&str>, Vec<&str>) =
        output.lines().partition(|line| line.starts_with("vkload_jni: "));
    assert!(rest.into_iter().all(is_expected), "{output}");
    let numbers: Vec<u64> = counts[0].split(' ').filter_map(|word| word.parse().ok()).collect();
    let [globals, arrays, given_back, blocks, freed] = numbers[..] else { panic!("{output}") };
    assert!(globals == 0 && arrays > 1000 && arrays == given_back, "{counts:?}");
    assert!(blocks > 1000 && blocks == freed, "{counts:?}");
}

#[test]
fn the_header_is_c_and_cpp_of_every_standard() {
    let Some(built) = built() else { return };
    for (compiler, language, standards) in
        [("cc", "-xc", ["c89", "c99", "c17"]), ("c++", "-xc++", ["c++98", "c++11", "c++20"])]
    {
        let source = built.folder.path().join(format!("header{language}"));
        let text = "#include \"vkload.h\"\n\
                    int main(void) { char m[9]; return vkload_configure(\"{}\", m, sizeof m) + (vkload_get_instance_proc_addr() == 0) \
                    + (int)vkload_report(VKLOAD_REPORT_TEXT, 0, 0); }\n";
        fs::write(&source, text).unwrap();
        let options = [language, "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only"];
        for standard in standards {
            let mut command = Command::new(compiler);
            command.arg(format!("-std={standard}")).args(options);
            finish(command.arg("-I").arg(jni("include")).arg(&source));
        }
    }
}

const LAYER: &str = r#"{"file_format_version": "1.1.0", "layer": {"name": "VK_LAYER_TEST_of_java", "type": "GLOBAL",
    "library_path": "/nowhere/layer.so", "api_version": "1.3.250", "implementation_version": "7", "description": "it says ü",
    "instance_extensions": [{"name": "VK_EXT_validation_features", "spec_version": "5"}]}}"#;

/// Classes and libraries that are built once for all tests, which run in parallel.
struct Built {
    /// Holds the classes, and the libraries that Java looks for.
    folder: TempDir,
}

/// Compiles the classes and libraries; returns `None` if Java is not installed.
fn built() -> Option<&'static Built> {
    static BUILT: OnceLock<Option<Built>> = OnceLock::new();
    BUILT.get_or_init(Built::new).as_ref()
}

impl Built {
    fn new() -> Option<Self> {
        if Need::missing(&[Need::Compiler]) || !are_there(&["java", "javac", "c++"]) {
            return None;
        }
        let folder = TempDir::new().unwrap();
        build(folder.path());
        let driver = format!(
            r#"{{"file_format_version": "1.0.1", "ICD": {{"library_path": "{}", "api_version": "1.4.0"}}}}"#,
            driver("libvkload_null.so").display()
        );
        fs::write(folder.path().join("null.json"), driver).unwrap();
        fs::create_dir(folder.path().join("layers")).unwrap();
        fs::write(folder.path().join("layers/layer.json"), LAYER).unwrap();
        let built = Self { folder };
        built.compile("fake/libvkload.c", "libvkload.so", &["-Wl,-soname,libvkload.so".into()]);
        built.compile("fake/odd.c", "odd.so", &[]);
        fs::create_dir(built.folder.path().join("elsewhere")).unwrap();
        let library = built.folder.path().join("libvkload.so");
        fs::copy(library, built.folder.path().join("elsewhere/libvkload.so")).unwrap();
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

    /// Compiles all classes with parts of the API's text replaced. Returns the folder.
    fn compiled_with(&self, name: &str, changes: &[(&str, &str)]) -> String {
        let folder = self.folder.path().join(name);
        fs::create_dir_all(folder.join("sources")).unwrap();
        let mut sources = java_sources();
        for source in sources.iter_mut().filter(|source| source.starts_with(jni("java"))) {
            let text = fs::read_to_string(&*source).unwrap();
            let changed = changes.iter().fold(text.clone(), |text, (from, to)| text.replace(from, to));
            if changed != text {
                let file = source.file_stem().unwrap().to_str().unwrap();
                let file = changes.iter().fold(file.to_owned(), |file, (from, to)| file.replace(from, to));
                *source = folder.join("sources").join(file).with_extension("java");
                fs::write(source, changed).unwrap();
            }
        }
        javac(&folder.join("classes"), &sources);
        folder.join("classes").to_str().unwrap().to_owned()
    }

    fn compile(&self, source: &str, name: &str, options: &[String]) {
        let mut compiler = Command::new("cc");
        compiler.args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1"]);
        compiler.args(["-shared", "-fPIC", "-pthread", "-o"]);
        compiler.arg(self.folder.path().join(name)).arg(jni("tests").join(source));
        finish(compiler.arg("-I").arg(jni("include")).args(options).arg("-ldl"));
    }

    /// Runs all tests of the classes with all checks; nothing else may be printed.
    fn passes(&self, classes: &[&str], options: &[&str], variables: &[(&str, PathBuf)]) {
        let options: Vec<&str> = options.iter().copied().chain(["-Xcheck:jni"]).collect();
        let output = self.run(classes, &options, variables);
        assert!(output.lines().all(is_expected), "{output}");
    }

    /// Runs the tests, which must pass, and returns their output.
    fn run(&self, classes: &[&str], options: &[&str], variables: &[(&str, PathBuf)]) -> String {
        java(self.folder.path(), options, classes, |java| {
            // Libraries are found on Java's search path, and nowhere else.
            java.env_remove("LD_LIBRARY_PATH").envs(variables.iter().map(|(name, value)| (name, value)));
        })
    }
}

/// Returns whether the line reports a test that passed, or comes from the real loader, which also
/// prints its errors there.
fn is_expected(line: &str) -> bool {
    line.starts_with("ok ") || line.starts_with("[Vulkan Loader] ")
}

/// Returns the variables with which the fake forwards to this repository's loader, which finds this
/// driver and one layer.
fn real_loader(built: &Built, driver: &Path) -> [(&'static str, PathBuf); 5] {
    [
        ("FAKE_VULKAN", system_loader()),
        ("VK_DRIVER_FILES", driver.to_owned()),
        ("VK_LAYER_PATH", built.folder.path().join("layers")),
        ("VK_IMPLICIT_LAYER_PATH", built.folder.path().join("no-layers")),
        ("VK_LOADER_DEBUG", "error".into()),
    ]
}

fn null_driver(built: &Built) -> PathBuf {
    built.folder.path().join("null.json")
}
