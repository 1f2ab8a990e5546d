//! Profile files, as programs meet devices that are made of them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::run::{CONTENT, NO_LOADER, Run, distribution, exists, with_loader};

/// Debian's software renderer (package mesa-vulkan-drivers).
const RENDERER: &str = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json";

/// Returns the file that `vulkaninfo` writes into a driver's folder.
fn written(run: &Run, folder: &str, scenario: Option<&str>) -> (PathBuf, String) {
    let folder = run.folder.path().join(folder);
    fs::create_dir(&folder).unwrap();
    let mut command = run.command("vulkaninfo");
    command.arg("--json").current_dir(&folder);
    match scenario {
        Some(scenario) => command.env("VKLOAD_NULL_DRIVER", scenario),
        None => command.env("VK_DRIVER_FILES", RENDERER).env("VK_ICD_FILENAMES", RENDERER),
    };
    run.output(&mut command);
    let file = fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    let text = fs::read_to_string(&file).unwrap();
    (file, text)
}

/// Returns the file's whole description of the device.
fn capabilities(text: &str) -> &str {
    let from = text.find("\"capabilities\"").unwrap();
    let to = text.find("\"profiles\"").unwrap();
    &text[from..to]
}

#[test]
fn a_device_made_of_what_vulkaninfo_writes_says_the_same() {
    if !exists("vulkaninfo") || !Path::new(RENDERER).exists() {
        println!("skipped: there is no {RENDERER}");
        return;
    }
    with_loader(distribution(), |run| {
        let (file, of_renderer) = written(run, "renderer", None);
        assert!(of_renderer.contains("llvmpipe"), "{of_renderer}");
        let link = run.folder.path().join("profile.json");
        fs::copy(&file, &link).unwrap();
        let (_, of_null) = written(run, "null", Some(&format!("strict profile={}", link.display())));
        // The files have some 20,000 lines: the first difference says more than all of them.
        let mut pairs = capabilities(&of_renderer).lines().zip(capabilities(&of_null).lines());
        assert_eq!(pairs.find(|(theirs, ours)| theirs != ours), None);
        assert_eq!(capabilities(&of_renderer).len(), capabilities(&of_null).len());
        let scenario = format!("profile={} vendor=0x10de type=discrete name=gpu heap=80G", link.display());
        let (_, overridden) = written(run, "overridden", Some(&scenario));
        for line in ["\"vendorID\": 4318", "\"deviceName\": \"gpu\"", "VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU"]
        {
            assert!(overridden.contains(line), "{line}: {overridden}");
        }
    });
}

const SMALL: &str = r#"{"capabilities": {"all": {
    "extensions": {"VK_XYZ_unknown": 1},
    "features": {
        "VkPhysicalDeviceVulkan12Features": {"timelineSemaphore": true, "hostQueryReset": true},
        "VkPhysicalDeviceVulkan13Features": {"synchronization2": true, "dynamicRendering": true, "privateData": true}
    },
    "properties": {"VkPhysicalDeviceProperties": {"deviceName": "small"}}
}}, "profiles": {"VP_SMALL": {"version": 1, "api-version": "1.3.0", "capabilities": ["all"]}}}"#;

#[test]
fn unknown_members_are_named_once_and_ignored_unless_the_scenario_is_strict() {
    let run = Run::new(Path::new(NO_LOADER));
    let path = run.folder.path().join("small device.json");
    fs::write(&path, SMALL).unwrap();
    let place =
        "small device.json: line 2: /capabilities/all/extensions/VK_XYZ_unknown: no such extension is known";
    let shown = run.output(&mut run.command_of("buffers", &format!("profile=\"{}\"", path.display())));
    assert!(shown.contains(CONTENT) && shown.matches(place).count() == 1, "{shown}");
    let shown = run.failure("buffers", &format!("profile=\"{}\" strict", path.display()));
    assert!(shown.contains(place) && shown.contains("ERROR_INITIALIZATION_FAILED"), "{shown}");
    let shown = run.failure("buffers", "profile=/nowhere/gpu.json");
    assert!(shown.contains("the file /nowhere/gpu.json cannot be read"), "{shown}");
}
