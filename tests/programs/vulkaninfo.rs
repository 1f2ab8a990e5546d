//! `vulkaninfo` says the same through our library as through the distribution's.
use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use vkload_tests::programs::{
    Library, Machine, Need, Screen, json_lines, lavapipe, lavapipe_copies, run, same_as_distribution,
};
use vkload_tests::skip_unless;

const NEEDS: &[Need] = &[Need::Distribution, Need::Lavapipe, Need::Program("vulkaninfo")];

/// Runs `vulkaninfo` on both loaders and checks the differences against those listed for `name`.
fn compare(name: &str, machine: &Machine, arguments: &[&str]) -> (String, String) {
    let ours = Library::under_test();
    let theirs = vulkaninfo(machine, &Library::distribution(), arguments);
    let text = vulkaninfo(machine, &ours, arguments);
    same_as_distribution(name, &theirs, &text, &ours);
    (theirs, text)
}

/// Returns the output of `vulkaninfo`, or the file that it writes if asked for JSON.
fn vulkaninfo(machine: &Machine, library: &Library, arguments: &[&str]) -> String {
    let text = run(machine.command(library, "vulkaninfo").args(arguments)).success();
    let files =
        fs::read_dir(machine.work()).expect("where it ran").map(|entry| entry.expect("an entry").path());
    let Some(file) = files.filter(|path| path.extension().is_some_and(|ending| ending == "json")).last()
    else {
        return text;
    };
    let document = fs::read_to_string(&file).expect("its JSON");
    fs::remove_file(&file).expect("its JSON");
    let mut document: Value = serde_json::from_str(&document).expect("valid JSON");
    for profile in document["profiles"].as_object_mut().expect("profiles").values_mut() {
        profile["history"] = Value::Null; // the day's date
    }
    json_lines(&document)
}

#[test]
fn json_of_lavapipe() {
    skip_unless!(NEEDS);
    let (_, text) = compare("json", &Machine::with_drivers(&[lavapipe()]), &["--json"]);
    assert!(
        text.contains("/capabilities/device/properties/VkPhysicalDeviceProperties/deviceName = \"llvmpipe")
    );
}

#[test]
fn summary_of_lavapipe() {
    skip_unless!(NEEDS);
    let (_, text) = compare("summary", &Machine::with_drivers(&[lavapipe()]), &["--summary"]);
    assert!(text.contains("deviceName         = llvmpipe"), "{text}");
}

#[test]
fn text_of_lavapipe() {
    skip_unless!(NEEDS);
    let (_, text) = compare("text", &Machine::with_drivers(&[lavapipe()]), &[]);
    assert!(text.contains("VkPhysicalDeviceVulkan13Features"), "{text}");
}

#[test]
fn format_list_and_tool_list_of_lavapipe() {
    skip_unless!(NEEDS);
    compare("text", &Machine::with_drivers(&[lavapipe()]), &["--show-formats"]);
    compare("text", &Machine::with_drivers(&[lavapipe()]), &["--show-tool-props"]);
}

/// With a display, surfaces are made with XCB and Xlib, and their capabilities printed.
#[test]
fn text_with_surfaces() {
    skip_unless!(NEEDS);
    let screen = Screen::start();
    let machine = Machine::with_drivers(&[lavapipe()]).with_display(screen.display());
    let (_, text) = compare("text-display", &machine, &[]);
    let (_, surfaces) = text.split_once("Presentable Surfaces:").expect("a chapter on surfaces");
    assert!(surfaces.contains("VK_KHR_xcb_surface\n\t\tVK_KHR_xlib_surface"), "{surfaces}");
    assert!(
        surfaces.contains("VkSurfaceCapabilities2EXT") || surfaces.contains("VkSurfaceCapabilitiesKHR:"),
        "{surfaces}"
    );
}

/// All drivers and layers that the distribution installs, most of them for hardware that is not there.
#[test]
fn summary_of_the_system() {
    skip_unless!(NEEDS);
    let (_, text) = compare("summary-system", &Machine::with_default_search(), &["--summary"]);
    assert!(text.contains("deviceName         = llvmpipe"), "{text}");
}

#[test]
fn summary_of_two_and_three_drivers() {
    skip_unless!(NEEDS);
    let folder = tempfile::tempdir().expect("a folder for drivers");
    let copies = lavapipe_copies(folder.path(), 3);
    for (name, drivers) in [("summary-two", &copies[..2]), ("summary-three", &copies[..])] {
        let (_, text) = compare(name, &Machine::with_drivers(drivers), &["--summary"]);
        assert_eq!(text.matches("deviceName         = llvmpipe").count(), drivers.len(), "{text}");
    }
}

#[test]
fn summary_of_lavapipe_among_drivers_without_hardware() {
    skip_unless!(NEEDS);
    let folder = PathBuf::from("/usr/share/vulkan/icd.d");
    let (_, text) = compare("summary-folder", &Machine::with_drivers(&[folder]), &["--summary"]);
    assert!(text.contains("deviceName         = llvmpipe"), "{text}");
}

#[test]
fn no_driver_is_an_error_of_the_program_and_no_crash() {
    skip_unless!(NEEDS);
    let folder = tempfile::tempdir().expect("a folder without drivers");
    let machine = Machine::with_drivers(&[folder.path().join("missing.json")]);
    for library in [Library::distribution(), Library::under_test()] {
        let output = run(machine.command(&library, "vulkaninfo").arg("--summary"));
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(
            output.stdout.contains("ERROR_INCOMPATIBLE_DRIVER")
                || output.stderr.contains("ERROR_INCOMPATIBLE_DRIVER"),
            "{output:?}"
        );
    }
}

/// Guards all other tests here: the dynamic linker loads the library of the folder, whatever is installed.
#[test]
fn the_program_runs_on_the_library_of_the_folder() {
    skip_unless!(NEEDS);
    let machine = Machine::with_drivers(&[lavapipe()]);
    for library in [Library::distribution(), Library::under_test()] {
        let mut command = machine.command(&library, "vulkaninfo");
        let output = run(command.arg("--summary").env("LD_DEBUG", "libs"));
        let loaded: Vec<_> = output
            .stderr
            .lines()
            .filter(|line| line.contains("calling init:") && line.contains("/libvulkan.so"))
            .collect();
        let folder = library.folder().display().to_string();
        assert!(loaded.len() == 1 && loaded[0].contains(&folder), "{loaded:?} is not of {folder}");
    }
}
