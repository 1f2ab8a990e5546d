//! Profile files, as programs meet devices that are made of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use vkload_null_driver::scenario::Scenario;

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
    let position =
        "small device.json: line 2: /capabilities/all/extensions/VK_XYZ_unknown: no such extension is known";
    let shown = run.output(&mut run.command_of("buffers", &format!("profile=\"{}\"", path.display())));
    assert!(shown.contains(CONTENT) && shown.matches(position).count() == 1, "{shown}");
    let shown = run.failure("buffers", &format!("profile=\"{}\" strict", path.display()));
    assert!(shown.contains(position) && shown.contains("ERROR_INITIALIZATION_FAILED"), "{shown}");
    let shown = run.failure("buffers", "profile=/nowhere/gpu.json");
    assert!(shown.contains("the file /nowhere/gpu.json cannot be read"), "{shown}");
}

/// Returns a file with a profile that has these properties.
fn with_properties(properties: &str) -> String {
    format!(
        r#"{{"capabilities": {{"all": {{"properties": {{{properties}}}}}}},
            "profiles": {{"VP_ONE": {{"version": 1, "api-version": "1.3.0", "capabilities": ["all"]}}}}}}"#
    )
}

/// Returns the driver's complaint about a file.
fn complaint(path: &Path, name: &str, words: &str) -> Option<String> {
    Scenario::parse(&format!("profile=\"{}{name}\" {words}", path.display())).err()
}

#[test]
fn files_of_every_kind_that_authors_write_are_taken() {
    let limits = |members: &str| with_properties(&format!(r#""VkPhysicalDeviceLimits": {{{members}}}"#));
    let in_1_1 =
        |members: &str| with_properties(&format!(r#""VkPhysicalDeviceVulkan11Properties": {{{members}}}"#));
    let taken = [
        limits(r#""maxViewports": "32", "maxImageDimension2D": "0x4000", "timestampPeriod": "0.5""#),
        limits(r#""maxViewports": null"#),
        in_1_1(r#""subgroupSupportedStages": 32, "pointClippingBehavior": 1"#),
        in_1_1(r#""subgroupSupportedStages": ["VK_SHADER_STAGE_MESH_BIT_NV"]"#),
        in_1_1(r#""subgroupSupportedOperations": ["VK_SUBGROUP_FEATURE_PARTITIONED_BIT_NV"]"#),
        with_properties(
            r#""VkPhysicalDeviceHostImageCopyPropertiesEXT": {"pCopyDstLayouts": [0, 1, 1000001002]}"#,
        ),
        with_properties(
            r#""VkPhysicalDeviceHostImageCopyProperties": {"pCopyDstLayouts": ["VK_IMAGE_LAYOUT_GENERAL"]}"#,
        ),
    ];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("profile.json");
    for text in taken {
        fs::write(&path, &text).unwrap();
        assert_eq!(complaint(&path, ":VP_ONE", "strict"), None, "{text}");
    }
    let required = with_properties("").replace("\"version\"", "\"profiles\": [\"VP_OTHER\"], \"version\"");
    let refused = [
        (required, "/profiles has no VP_OTHER, which is needed here"),
        (limits(r#""maxViewports": "many""#), "maxViewports: a whole number is wanted"),
    ];
    for (text, expected) in refused {
        fs::write(&path, &text).unwrap();
        let shown = complaint(&path, ":VP_ONE", "").unwrap_or_default();
        assert!(shown.contains(expected), "{shown}");
    }
}

/// The archive of Khronos' own profiles, if it exists. They are not part of this repository.
const KHRONOS: &str = "../shared/data/vulkan-profiles.tar.xz";

#[test]
fn khronos_profiles_are_taken() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let archive = env::var_os("VK_PROFILES").map_or(root.join(KHRONOS), PathBuf::from);
    if !archive.exists() {
        println!("skipped: {} does not exist", archive.display());
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let unpacked = Command::new("tar").arg("-xJf").arg(&archive).arg("-C").arg(folder.path()).status();
    assert!(unpacked.unwrap().success());
    let mut all = 0;
    let mut refused = BTreeMap::new();
    for path in json_files(folder.path()) {
        for name in names(&path) {
            all += 1;
            let name = format!(":{name}");
            if let Some(complaint) = complaint(&path, &name, "strict") {
                refused.insert(format!("{}{name}", path.file_name().unwrap().display()), complaint);
            }
        }
    }
    println!("{all} profiles, refused: {refused:#?}");
    let always = refused.values().filter(|complaint| !complaint.starts_with("`strict`"));
    let for_another = always.clone().filter(|complaint| complaint.ends_with("which is needed here"));
    assert_eq!((all, refused.len(), always.count(), for_another.count()), (147, 15, 10, 9));
}

fn json_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let found = entries.flat_map(|path| if path.is_dir() { json_files(&path) } else { vec![path] });
    found.filter(|path| path.extension().is_some_and(|extension| extension == "json")).collect()
}

fn names(path: &Path) -> Vec<String> {
    // Some files are faulty on purpose, and some only select profiles.
    let file: Option<serde_json::Value> = serde_json::from_str(&fs::read_to_string(path).unwrap()).ok();
    let file = file.filter(|file| file.get("capabilities").is_some());
    let profiles = file.as_ref().and_then(|file| file.get("profiles")?.as_object());
    profiles.into_iter().flat_map(|profiles| profiles.keys().cloned()).collect()
}
