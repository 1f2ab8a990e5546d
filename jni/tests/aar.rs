//! The content of the AAR, on this machine: its classes and its libraries for x86_64, byte for
//! byte, run the sample's activity. Beneath them is the system's loader as built for devices by
//! `cargo xtask android-abi`, with the null driver as its HAL module; Android's C library, dynamic
//! linker and log are the stand-ins from the tests of that library.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;
use vkload_tests::artifact;

use crate::common::{driver, finish, has_what_the_sample_needs, java_files, jni, sample_flags, unpack_aar};

const LIBRARIES: &str = "system/lib64";

/// The system's own libraries, and the symbol version of the functions in each, if any.
const SYSTEM: &[(&str, Option<&str>)] =
    &[("libc", Some("LIBC")), ("libdl", Some("LIBC")), ("liblog", Some("LIBLOG")), ("libvndksupport", None)];

fn system() -> Option<TempDir> {
    let loader = artifact("android/x86_64/libvulkan.so", "cargo xtask android-abi")?;
    let system = TempDir::new().unwrap();
    let path = |name: &str| system.path().join(name);
    fs::create_dir_all(path("aar")).unwrap();
    if !unpack_aar(&path("aar")) {
        return None;
    }
    fs::create_dir_all(path(LIBRARIES)).unwrap();
    fs::create_dir_all(path("vendor/lib64/hw")).unwrap();
    for (name, version) in SYSTEM {
        let script = path(&format!("{name}.map"));
        let version = version.map(|version| format!("{version} {{}};\n"));
        fs::write(&script, version.unwrap_or_else(|| "{ global: *; };\n".into())).unwrap();
        let source = jni("../platform-android/system/tests/library").join(format!("{name}.c"));
        let script = format!("-Wl,--version-script={}", script.display());
        shared(&path(LIBRARIES), name, &source, &["-fno-builtin", &script]);
    }
    fs::copy(loader, path(LIBRARIES).join("libvulkan.so")).unwrap();
    fs::copy(driver("libvkload_null.so"), path("vendor/lib64/hw/vulkan.null.so")).unwrap();
    fs::write(path("properties"), "ro.hardware.vulkan=null\nro.build.version.sdk=36\n").unwrap();
    for name in ["libvkload.so", "libvkload_jni.so"] {
        fs::copy(path("aar/jni/x86_64").join(name), path(LIBRARIES).join(name)).unwrap();
    }
    let log = path(LIBRARIES);
    shared(&log, "libsamplelog", &jni("tests/sample/liblog.c"), &[]);
    let flags = sample_flags();
    let mut options: Vec<&str> = flags.iter().map(String::as_str).collect();
    let linked = format!("-L{}", log.display());
    options.extend([&linked, "-lsamplelog"]);
    shared(&log, "libsample", &jni("sample/src/main/cpp/sample.c"), &options);
    compile(&system);
    Some(system)
}

/// Compiles the sample with the classes of the AAR.
fn compile(system: &TempDir) {
    let mut sources = vec![];
    for name in ["stubs", "sample/src/main/java", "tests/sample/java"] {
        java_files(&jni(name), &mut sources);
    }
    let mut javac = Command::new("javac");
    javac.args(["--release", "8", "-Xlint:-options", "-encoding", "UTF-8", "-cp"]);
    javac.arg(system.path().join("aar/classes.jar"));
    finish(javac.arg("-d").arg(system.path().join("classes")).args(sources));
}

#[test]
fn classes_and_libraries_of_the_aar_run_above_the_systems_loader() {
    if !has_what_the_sample_needs() {
        return;
    }
    let Some(system) = system() else { return };
    let (folder, libraries) = (system.path(), system.path().join(LIBRARIES));
    let mut java = Command::new("java");
    java.args(["-Xcheck:jni", "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"]);
    java.arg(format!("{0}/classes:{0}/aar/classes.jar", folder.display()));
    java.arg(format!("-Djava.library.path={}", libraries.display()));
    java.args(["dev.vkload.sample.Run", "release"]).env_remove("JAVA_TOOL_OPTIONS");
    let said = finish(java.env("LD_LIBRARY_PATH", &libraries).env("ANDROID_HERE", folder));
    let report = said.strip_prefix("log 4 sample: null\n").expect(&said);
    assert!(report.contains("\"kind\":\"system\"") && report.lines().count() == 1, "{said}");
    let log = fs::read_to_string(folder.join("log")).unwrap_or_default();
    assert!(!log.contains("E v") && !log.contains("W v"), "{log}");
}

fn shared(folder: &Path, name: &str, source: &Path, options: &[&str]) {
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-O1", "-o"]).arg(folder.join(format!("{name}.so"))).arg(source);
    finish(compiler.arg(format!("-Wl,-soname,{name}.so")).args(options));
}
