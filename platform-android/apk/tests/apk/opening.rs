//! Opening an application's drivers, and the report of unusable ones.

use std::fs;

use android_simulation::null_driver;
use ash::vk;

use super::windows::source;
use super::{Application, icd};

fn choose(application: &Application, library: &str) -> Result<(), String> {
    application.configure(&format!(r#"{{"driver": {{"library": "{library}"}}}}"#))
}

/// Returns the calls of the linker for drivers since the last time.
fn linker(application: &Application) -> Vec<String> {
    let calls = application.android().calls().into_iter();
    calls
        .filter(|call| ["namespace ", "open-in", "dlopen /"].iter().any(|word| call.starts_with(word)))
        .collect()
}

#[test]
fn each_folder_has_a_namespace_in_which_its_drivers_are_opened() {
    let application = Application::new();
    application.android().change().makes_namespaces = true;
    application.android().library("/own/module.so", &null_driver());
    application.android().library("/own/icd.so", &icd());
    application.android().library("/other/icd.so", &icd());
    choose(&application, "/own/module.so").unwrap();
    // The name, the folder that is searched first, and the one whose libraries may be opened.
    assert_eq!(
        linker(&application),
        ["namespace vkload-driver /own /own", "open-in-namespace /own/module.so"]
    );
    choose(&application, "/own/icd.so").unwrap();
    assert_eq!(linker(&application), ["open-in-namespace /own/icd.so"]);
    choose(&application, "/other/icd.so").unwrap();
    assert_eq!(
        linker(&application),
        ["namespace vkload-driver /other /other", "open-in-namespace /other/icd.so"]
    );
    // The core opens it in the same namespace.
    let instance = application.instance(&[]).unwrap();
    assert_eq!(linker(&application), ["open-in-namespace /other/icd.so"]);
    unsafe { instance.destroy_instance(None) };
    assert!(application.report(0).contains("/other/icd.so: in a linker namespace of its own"));
    assert!(application.report(1).contains(r#""not_in_own_namespace":null"#));
}

#[test]
fn a_driver_is_opened_in_the_applications_namespace_if_it_must_be_with_the_reason() {
    let (application, android) = Application::start();
    android.library("/own/icd.so", &icd());
    android.library("/libicd.so", &icd());
    let says = |reason: &str| {
        let report = application.report(0);
        let line = format!("in the application's linker namespace: {reason}");
        assert!(report.contains(&line), "{report}");
        assert!(application.report(1).contains(&format!(r#""not_in_own_namespace":"{reason}"#)));
    };
    choose(&application, "/own/icd.so").unwrap();
    says("the tests' linker makes none");
    assert_eq!(linker(&application)[..2], ["namespace vkload-driver /own /own", "dlopen /own/icd.so"]);
    choose(&application, "libicd.so").unwrap();
    says("it is named without a folder");
    android.change().makes_namespaces = true;
    android.change().namespaces_lack_libraries = true;
    choose(&application, "/own/icd.so").unwrap();
    says("it does not open in one of its own: ");
    let instance = application.instance(&[]).unwrap();
    unsafe { instance.destroy_instance(None) };
    let calls = linker(&application);
    assert_eq!(calls.last().map(String::as_str), Some("dlopen /own/icd.so"), "{calls:?}");
}

#[test]
fn a_module_that_is_not_as_modules_are_is_refused_with_its_reason() {
    let (application, android) = Application::start();
    let path = "/own/driver.so";
    for (options, words, begins) in [
        ("-DMODULE_TAG=0x12345678", "its module begins with 0x12345678 instead of 0x48574d54", false),
        ("-DMODULE_VERSION=0x0200", "its module is of version 0x200", false),
        ("-DMODULE_ID=\"camera\"", "a HAL module for something other than Vulkan", false),
        ("-DMODULE_ID=0", "a HAL module for something other than Vulkan", false),
        ("-DMETHODS=0", "no function to open it with", false),
        ("-DOPEN=0", "no function to open it with", false),
        ("-DOPEN_RESULT=-19", "its open returned -19", true),
        ("-DNO_DEVICE=1", "opens without vkCreateInstance", true),
        ("-DDEVICE_TAG=7", "its device begins with 0x7 instead of 0x48574454", true),
        ("-DDEVICE_VERSION=0x02000000", "its device is of version 0x2000000", true),
        ("-DGET_INSTANCE_PROC_ADDR=0", "opens without vkCreateInstance", true),
        ("-DCREATE_INSTANCE=0", "opens without vkCreateInstance", true),
        ("-DNO_HMI", "neither HMI nor vk_icdGetInstanceProcAddr", false),
    ] {
        // A different file each time: those whose code has run stay open.
        let path = format!("{path}.{}", options.len());
        android.compile(&path, &source("driver.c"), &[options]);
        let said = choose(&application, &path).unwrap_err();
        assert!(said.contains(&path) && said.contains(words), "{options}: {said}");
        assert!(application.report(0).contains(words), "{options}");
        assert!(application.report(1).contains(words), "{options}");
        let open = android.open_libraries().contains(&path);
        assert_eq!(open, begins, "{options}: what has begun to work stays open, and nothing else");
        fs::remove_file(android.host_path(&path)).unwrap();
    }
    // The earlier choice is still in effect.
    assert!(application.report(0).contains("libvulkan.so: used"));
}

#[test]
fn a_file_that_the_linker_refuses_is_explained_by_its_header() {
    let (application, android) = Application::start();
    let library = fs::read(null_driver()).unwrap();
    let changed = |offset: usize, value: u8| {
        let mut bytes = library.clone();
        bytes[offset] = value;
        bytes
    };
    for (bytes, words) in [
        (b"no library".to_vec(), "it is not an ELF shared library"),
        (Vec::new(), "it is not an ELF shared library"),
        (changed(18, 183), "it is for another processor (arm64-v8a of 64 bits)"),
        (changed(18, 40), "it is for another processor (armeabi-v7a of 64 bits)"),
        (changed(4, 1), "it is for another processor"),
        (library[..40].to_vec(), "it is not an ELF shared library"),
    ] {
        android.file("/own/driver.so", bytes);
        let said = choose(&application, "/own/driver.so").unwrap_err();
        assert!(said.contains("/own/driver.so") && said.contains(words), "{words}: {said}");
        assert!(application.report(0).contains(words), "{words}");
        assert_eq!(android.open_libraries(), ["libvulkan.so"]);
    }
}

/// As on Linux.
#[test]
fn a_driver_that_answers_an_interface_version_above_the_offer_is_used() {
    for version in ["99", "0xFFFFFFFF"] {
        let application = Application::new();
        let options = [&format!("-DINTERFACE_VERSION={version}"), "-DNO_HMI"];
        application.android().compile("/own/driver.so", &source("icd.c"), &options);
        choose(&application, "/own/driver.so").unwrap();
        let instance = application.instance(&[]).unwrap();
        unsafe { instance.destroy_instance(None) };
    }
}

#[test]
fn a_driver_of_the_driver_interface_that_does_not_keep_to_it_is_dropped_with_its_reason() {
    for (options, words) in [
        (["-DNEGOTIATION_RESULT=-9", "-DX"], "no interface version in common"),
        (["-DNO_GLOBALS", "-DX"], "vkCreateInstance"),
    ] {
        let (application, android) = Application::start();
        android.compile("/own/driver.so", &source("icd.c"), &[options[0], options[1], "-DNO_HMI"]);
        choose(&application, "/own/driver.so").unwrap();
        let failed = application.instance(&[]).err();
        assert_eq!(failed, Some(vk::Result::ERROR_INCOMPATIBLE_DRIVER), "{options:?}");
        let report = application.report(0);
        let line = report.lines().find(|line| line.contains("/own/driver.so") && line.contains(words));
        assert!(line.is_some(), "{words}:\n{report}");
        assert!(application.report(1).contains(words));
    }
}
