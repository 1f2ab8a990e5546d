//! Tests the Java API on the loader itself: an Android application's loader (`jni/tests/loader.rs`),
//! in an Android system in a folder ([`android`]), on top of the tests' own loader or the
//! distribution's with lavapipe. A real JVM runs it with `-Xcheck:jni`, which must report nothing.

mod android;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{env, fs};

use android::System;
use tempfile::TempDir;
use vkload_tests::programs::{Need, VALIDATION};
use vkload_tests::skip_unless;

use crate::common::{are_there, build, java};

#[test]
fn everything_of_the_api_above_a_loader_for_tests() {
    let Some(built) = built() else { return };
    let system = System::new().with_loader(&vkload_tests::system_loader());
    built.passes(
        &system,
        &["InApplication"],
        &[("VKLOAD_TEST_DEVICE", "system (OTHER, Vulkan 1.3.0)".into())],
    );
    system.reports_are_json();
}

#[test]
fn a_system_without_vulkan() {
    let Some(built) = built() else { return };
    let system = System::new();
    built.passes(&system, &["NoVulkan"], &[]);
    system.reports_are_json();
}

#[test]
fn a_driver_that_lacks_a_function() {
    let Some(built) = built() else { return };
    built.passes(&System::new(), &["PoorDriver"], &[]);
}

#[test]
fn everything_of_the_api_above_the_distributions_loader_and_lavapipe() {
    let (Some(built), Some(variables)) = (built(), lavapipe()) else { return };
    let system = System::new().with_loader(Path::new(DISTRIBUTION));
    built.passes(&system, &["InApplication"], &variables);
    system.reports_are_json();
}

#[test]
fn khronos_validation_layer_above_lavapipe() {
    skip_unless!(&[Need::Layer(&VALIDATION)]);
    let (Some(built), Some(mut variables)) = (built(), lavapipe()) else { return };
    let system = System::new().with_loader(Path::new(DISTRIBUTION)).with_validation();
    let log =
        format!("khronos_validation.log_filename = {}\n", system.folder().join("validation.log").display());
    let settings = system.folder().join("vk_layer_settings.txt");
    fs::write(&settings, log).unwrap();
    variables.push(("VK_LAYER_SETTINGS_PATH", settings));
    built.passes(&system, &["Validation"], &variables);
    system.reports_are_json();
}

const DISTRIBUTION: &str = "/usr/lib/x86_64-linux-gnu/libvulkan.so.1";

type Variable = (&'static str, PathBuf);

/// Returns the variables with which the distribution's loader finds lavapipe alone; `None` if
/// either is missing.
fn lavapipe() -> Option<Vec<Variable>> {
    (!Need::missing(&[Need::Lavapipe, Need::Distribution])).then(|| {
        vec![
            ("VKLOAD_TEST_DEVICE", "llvmpipe".into()),
            ("VK_DRIVER_FILES", "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json".into()),
            ("VK_LOADER_LAYERS_DISABLE", "~implicit~".into()),
        ]
    })
}

/// The output compiled once for all tests.
struct Built {
    /// Holds the classes, and the libraries that Java looks for.
    folder: TempDir,
}

/// Compiles the Java classes and libraries; returns `None` if Java is not installed.
fn built() -> Option<&'static Built> {
    static BUILT: OnceLock<Option<Built>> = OnceLock::new();
    BUILT.get_or_init(Built::new).as_ref()
}

impl Built {
    fn new() -> Option<Self> {
        if !are_there(&["java", "javac", "cc"]) {
            return None;
        }
        let folder = TempDir::new().unwrap();
        build(folder.path());
        // Cargo compiles examples with all tests of the package, and puts them beside the folder of the tests.
        let loader = env::current_exe().unwrap().with_file_name("../examples/libvkload_of_java.so");
        fs::copy(loader, folder.path().join("libvkload.so")).unwrap();
        Some(Self { folder })
    }

    /// Runs all tests of the classes in this system. They must pass, and nothing else may be printed.
    fn passes(&self, system: &System, classes: &[&str], variables: &[Variable]) {
        let folder = self.folder.path();
        let output = java(folder, &["-Xcheck:jni"], classes, |java| {
            // Here dlopen finds a library by name if it is not loaded yet.
            java.env("LD_LIBRARY_PATH", folder);
            // Not by the library's constant: this program would be linked with it then, and with two sets of Vulkan's commands.
            java.env("VKLOAD_TEST_ANDROID", system.folder());
            java.envs(variables.iter().map(|(name, value)| (name, value)));
        });
        assert!(output.lines().all(|line| line.starts_with("ok ")), "{output}");
    }
}
