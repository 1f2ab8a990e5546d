//! Drivers that call the loader, which must not call them again: some are made on top of other drivers, some are loaders that a
//! manifest names by mistake.
use std::ffi::CStr;
use std::fs;

use ash::vk;
use vkload_tests::{Ask, Device, Driver, Run, Scenario, Vk, library_under_test, list_devices};

fn good() -> Driver {
    vkload_tests::layered::good().extension("VK_KHR_display")
}

fn above(interface: u32) -> Driver {
    Driver::new("above").interface(interface).device(Device::new("on top")).uses_the_loader()
}

fn devices(run: &Run) -> Vec<&str> {
    let mut devices = run.ok().list("devices");
    devices.sort_unstable();
    devices
}

#[test]
fn a_driver_on_top_of_others_uses_them_through_the_loader() {
    let run = Scenario::new().log().driver(above(5)).driver(good()).run(list_devices);
    assert_eq!(devices(&run), ["gpu", "on top"], "{}", run.stderr);
    let trace = run.trace("above");
    assert!(trace.has("used"));
    for call in trace.calls("used") {
        assert_eq!((call.get("result"), call.get("devices")), ("0", "1"), "{call:?}");
    }
    run.logs(&["above.so", "is left out of it"]).logs_not(&["lead back"]);
}

#[test]
fn a_driver_on_top_of_others_gets_no_others() {
    let run = Scenario::new().driver(above(5)).run(list_devices);
    assert_eq!(devices(&run), ["on top"], "{}", run.stderr);
    let result = vk::Result::ERROR_INCOMPATIBLE_DRIVER.as_raw().to_string();
    assert!(run.trace("above").calls("used").iter().all(|call| call.get("result") == result));
}

#[test]
fn a_library_that_calls_the_loader_and_exports_its_functions_is_not_a_driver() {
    let above = above(0).extension("VK_EXT_headless_surface");
    let run = Scenario::new().log().driver(above).driver(good()).run(|vk: &Vk| {
        // SAFETY: no layer name is passed.
        let extensions = unsafe { vk.entry.enumerate_instance_extension_properties(None) }.unwrap();
        let has = |name: &CStr| extensions.iter().any(|one| one.extension_name_as_c_str() == Ok(name));
        vk.say("extensions", format!("{} {}", has(c"VK_KHR_display"), has(c"VK_EXT_headless_surface")));
        list_devices(vk);
    });
    assert_eq!(devices(&run), ["gpu"], "{}", run.stderr);
    run.says("extensions", "true false").logs(&["above.so", "its commands lead back to a Vulkan loader"]);
    let trace = run.trace("above");
    assert_eq!(trace.calls("vkCreateInstance").len(), trace.calls("vkDestroyInstance").len());
}

fn manifest_of_the_loader(library: &str) -> String {
    format!(
        r#"{{"file_format_version": "1.0.1", "ICD": {{"library_path": "{library}", "api_version": "1.3.0"}}}}"#
    )
}

#[test]
fn the_loader_itself_is_not_a_driver() {
    let manifest = manifest_of_the_loader(library_under_test().to_str().unwrap());
    let scenario = Scenario::new().log().driver(good()).file("data/vulkan/icd.d/loader.json", manifest);
    let run = scenario.run(list_devices);
    assert_eq!(devices(&run), ["gpu"], "{}", run.stderr);
    run.logs(&["its commands lead back to a Vulkan loader", "name the library of the driver there"]);
}

#[test]
fn a_copy_of_the_loader_is_not_a_driver() {
    let scenario = Scenario::new().log().driver(good());
    let copy = scenario.sandbox().path("lib/libcopy.so");
    fs::copy(library_under_test(), &copy).unwrap();
    let scenario =
        scenario.file("data/vulkan/icd.d/copy.json", manifest_of_the_loader(copy.to_str().unwrap()));
    let run = scenario.run(list_devices);
    assert_eq!(devices(&run), ["gpu"], "{}", run.stderr);
    run.logs(&["libcopy.so", "its commands lead back to a Vulkan loader"]);
}

#[test]
fn a_manifest_that_names_the_loader_is_the_reason_for_no_driver() {
    let manifest = manifest_of_the_loader(library_under_test().to_str().unwrap());
    let run = Scenario::new().file("data/vulkan/icd.d/loader.json", manifest).run(|vk: &Vk| {
        vk.say("result", format!("{:?}", vk.create(&Ask::new()).err().unwrap()));
    });
    run.ok().says("result", "ERROR_INCOMPATIBLE_DRIVER");
    assert!(run.stderr.contains("its commands lead back to a Vulkan loader"), "{}", run.stderr);
}

#[test]
fn the_loader_itself_is_not_a_layer() {
    let manifest = format!(
        r#"{{"file_format_version": "1.0.0", "layer": {{"name": "VK_LAYER_loader", "type": "GLOBAL",
            "library_path": "{}", "api_version": "1.3.0", "implementation_version": "1", "description": ""}}}}"#,
        library_under_test().display()
    );
    let scenario = Scenario::new().driver(good()).file("data/vulkan/explicit_layer.d/loader.json", manifest);
    let run = scenario.run(|vk: &Vk| {
        let refused = vk.create(&Ask::new().layer("VK_LAYER_loader")).err().unwrap();
        vk.say("refused", format!("{refused:?}"));
        list_devices(vk);
    });
    assert_eq!(devices(&run), ["gpu"], "{}", run.stderr);
    run.says("refused", "ERROR_INITIALIZATION_FAILED");
    let words = "an active layer calls it instead of the next layer's";
    assert_eq!(run.stderr.matches(words).count(), 1, "{}", run.stderr);
}
