//! The search for the driver, opening it, and what replaces a missing one.

mod opening;
mod search;
mod statistics;
mod stub;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use android_simulation::Android;
use platform_android_system::SystemLoader;
use platform_android_system::hal::Source;
use vkload_core::log::Level;

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../simulation/modules/driver.c");

/// Returns the vendor's driver of this name, with the file in which it traces its calls.
fn vendor_driver(android: &Android, name: &str, options: &[&str]) -> PathBuf {
    driver_in(android, "/vendor/lib64/hw", name, options)
}

fn driver_in(android: &Android, folder: &str, name: &str, options: &[&str]) -> PathBuf {
    let path = format!("{folder}/vulkan.{name}.so");
    let trace = android.host_path(&path).with_extension("trace");
    let define = format!("-DTRACE=\"{}\"", trace.display());
    android.compile(&path, Path::new(SOURCE), &[&[define.as_str()], options].concat());
    trace
}

/// Returns the driver's traces since the last time.
fn traced(trace: &Path) -> Vec<String> {
    let text = fs::read_to_string(trace).unwrap_or_default();
    let _ = fs::remove_file(trace);
    text.lines().map(str::to_owned).collect()
}

/// Returns the last search: source, library, decision.
fn report(loader: &SystemLoader) -> Vec<(Source, String, &'static str)> {
    let report = loader.search.report(loader).expect("a report");
    let line = |one: &platform_android_system::hal::Candidate| {
        (one.source, one.file.as_c_str().to_str().unwrap().to_owned(), one.decision.id())
    };
    report.candidates.iter().map(line).collect()
}

/// Returns the libraries that the loader tried to open, and how.
fn opened(android: &Android) -> Vec<String> {
    android.calls().into_iter().filter(|call| call.contains("open")).collect()
}

fn errors(android: &Android) -> Vec<String> {
    let errors = android.logged().into_iter().filter(|(level, _)| *level == Level::Error);
    errors.map(|(_, text)| text).collect()
}

/// Runs one of these tests in its own process. Returns the signal that ended it, and its output.
fn ended(test: &str) -> (Option<i32>, String) {
    use std::os::unix::process::ExitStatusExt as _;
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env("VKLOAD_CHILD", "1")
        .output()
        .unwrap();
    (output.status.signal(), String::from_utf8_lossy(&output.stderr).into_owned())
}
