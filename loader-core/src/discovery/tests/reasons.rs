use super::*;
use crate::memory::text;
use crate::platform::FileError;

/// Returns a plan with one driver for each of `contents`, `0.json` first.
fn plan_with(contents: &[String]) -> Plan {
    let system = Imaginary::new();
    for (number, content) in contents.iter().enumerate() {
        system.file(&format!("/etc/vulkan/icd.d/{number}.json"), content);
    }
    plan_of(system)
}

fn does_not_open() -> DriverStatus {
    DriverStatus::DoesNotOpen { error: text(&[b"libLLVM-15.so.1: cannot open shared object file"]).unwrap() }
}

#[test]
fn a_missing_library_explains_more_than_a_missing_device() {
    let plan = plan_with(&[manifest("radeon.so"), manifest("lvp.so"), manifest("intel.so")]);
    let outcomes = [(0, DriverStatus::NoDevices), (1, does_not_open()), (2, DriverStatus::NoDevices)];
    let best = best_reason(&plan, &outcomes);
    assert_eq!(best.id(), "does-not-open");
    assert_eq!(
        best.to_string(),
        "/etc/vulkan/icd.d/1.json: the library does not open (libLLVM-15.so.1: cannot open shared object file); \
         install the missing library, or reinstall the driver"
    );
}

#[test]
fn among_equals_the_first_is_named() {
    let plan = plan_with(&[manifest("a.so"), manifest("b.so")]);
    let outcomes = [(1, DriverStatus::NoDevices), (0, DriverStatus::NoDevices)];
    assert!(best_reason(&plan, &outcomes).to_string().starts_with("/etc/vulkan/icd.d/1.json: "));
}

#[test]
fn a_defect_explains_more_than_another_pointer_width() {
    let plan = plan_with(&[manifest_with("a.so", r#", "library_arch": "32""#), "{".to_string()]);
    let best = best_reason(&plan, &[]);
    assert_eq!(best.id(), "manifest-not-json");
    assert_eq!(
        best.to_string(),
        "/etc/vulkan/icd.d/1.json: the manifest cannot be used, it is not valid JSON: line 1, column 2: the file \
         ends in the middle of a value; correct it or reinstall the driver"
    );
}

#[test]
fn a_driver_that_worked_is_not_a_reason() {
    let plan = plan_with(&[manifest("a.so")]);
    let outcomes = [(0, DriverStatus::Used { interface: 7, devices: 1 })];
    assert_eq!(best_reason(&plan, &outcomes).id(), "no-devices");
    assert_eq!(best_reason(&Plan::default(), &[]).id(), "no-manifest");
    assert!(!outcomes[0].1.is_failure());
}

#[test]
fn nothing_found_names_the_variable_that_is_to_blame() {
    let system = Imaginary::new();
    let line = |system: &'static Imaginary| best_reason(&plan_of(system), &[]).to_string();
    assert_eq!(
        line(system),
        "none of the 5 folders that were searched has a driver manifest; install a Vulkan driver for this device"
    );
    system.set("VK_ICD_FILENAMES", "");
    assert_eq!(line(system), "VK_ICD_FILENAMES is set but empty, which excludes every driver; unset it");
    system.set("VK_ICD_FILENAMES", "/gone");
    assert_eq!(
        line(system),
        "no driver manifest was found: /gone (VK_ICD_FILENAMES) does not exist; correct or unset the variable"
    );
    system.folder("/gone");
    assert_eq!(
        line(system),
        "VK_ICD_FILENAMES is set, but leads to no driver manifest (a file whose name ends in .json); correct or unset it"
    );
    system.set("VK_ICD_FILENAMES", "/gone.json");
    assert_eq!(
        line(system),
        "/gone.json: the manifest does not exist; correct its path or reinstall the driver"
    );
}

#[test]
fn nothing_found_names_the_folder_that_could_not_be_read() {
    let system = Imaginary::new();
    system.failing("/etc/vulkan/icd.d", FileError::Denied);
    let plan = plan_of(system);
    let best = best_reason(&plan, &[]);
    assert_eq!(best.id(), "unreadable");
    assert_eq!(
        best.to_string(),
        "no driver manifest was found: /etc/vulkan/icd.d (EXTRASYSCONFDIR) may not be read; make it readable, or \
         install a Vulkan driver"
    );
}

#[test]
fn nothing_found_says_that_an_elevated_process_ignores_a_variable() {
    let system = Imaginary::new();
    system.set("VK_DRIVER_FILES", "/mine.json").elevate();
    let line = best_reason(&plan_of(system), &[]).to_string();
    assert_eq!(
        line,
        "VK_DRIVER_FILES is ignored because this process is elevated (LDP_LOADER_13); none of the 5 folders that were \
         searched has a driver manifest; install a Vulkan driver for this device"
    );
}

#[test]
fn rules_are_named_where_there_are_some() {
    let plan = plan_with(&["{".to_string(), manifest("a.so").replace("1.3.204", "3.0.0")]);
    let policies: StdVec<_> = plan
        .drivers
        .iter()
        .filter_map(|driver| match driver.decision {
            DriverDecision::Skip(reason) => reason.policy(),
            DriverDecision::Use => None,
        })
        .collect();
    assert_eq!(policies, ["LDP_DRIVER_4", "LDP_LOADER_4"]);
    assert_eq!(DriverStatus::NegotiationRefused { result: -9 }.policy(), Some("LDP_DRIVER_3"));
}

#[test]
fn a_forged_file_name_cannot_break_the_line() {
    let system = Imaginary::new();
    system.set("VK_DRIVER_FILES", "/x\n[Vulkan Loader] ERROR: fake.json");
    let line = best_reason(&plan_of(system), &[]).to_string();
    assert!(!line.contains('\n'), "{line}");
}
