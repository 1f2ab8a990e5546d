//! Random damage to the bytes of manifests and settings files, and to variables: a start must not crash on it. A number identifies each
//! damage, so that a damaged test case is a text like any other.

use fastrand::Rng;

use crate::settings::Settings;
use crate::world::World;

/// Words that the files contain, and words that they should not contain.
const WORDS: &[&str] = &[
    "null",
    "true",
    "[",
    "]",
    "{",
    "}",
    "\"",
    ",",
    ":",
    "\\",
    "\\u0000",
    "\\ud800",
    "\0",
    "\u{feff}",
    "7",
    "-1",
    "1e999",
    "18446744073709551616",
    "\"\"",
    "[]",
    "{}",
    "[[[[[[[[[[",
    "\"layers\": [{}]",
    "\"layer\": {}",
    "\"ICD\": {}",
    "/*",
    "\n",
    "\"component_layers\": [\"VK_LAYER_TEST_a\"]",
    "\"enable_environment\": {\"A\": \"1\"}",
    "\"is_portability_driver\": 1",
    "\"library_arch\": \"32\"",
    "\"api_version\": \"1.4294967295.0\"",
    "\"file_format_version\": null",
];

/// A settings file with every field, to be damaged.
const SETTINGS: &str = r#"{"file_format_version": "1.0.0", "settings": {"app_keys": ["/bin/none"],
"stderr_log": ["all", "info"], "layers": [{"name": "VK_LAYER_TEST_a", "path": "SANDBOX/data/vulkan/explicit_layer.d",
"control": "auto", "treat_as_implicit_manifest": true}, {"control": "unordered_layer_location"},
{"name": "VK_LAYER_TEST_b", "control": "off"}], "additional_drivers": [{"path": "SANDBOX/data/vulkan/icd.d/a.json"}],
"additional_drivers_use_exclusively": false, "device_configurations": [{"deviceUUID": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
12, 13, 14, 15, 16], "driverUUID": [1], "deviceName": "gpu", "driverVersion": 1}]}}"#;

const VARIABLES: &[&str] = &[
    "VK_DRIVER_FILES",
    "VK_ADD_DRIVER_FILES",
    "VK_ICD_FILENAMES",
    "VK_LOADER_DRIVERS_SELECT",
    "VK_LOADER_DRIVERS_DISABLE",
    "VK_INSTANCE_LAYERS",
    "VK_LAYER_PATH",
    "VK_ADD_LAYER_PATH",
    "VK_IMPLICIT_LAYER_PATH",
    "VK_ADD_IMPLICIT_LAYER_PATH",
    "VK_LOADER_LAYERS_ENABLE",
    "VK_LOADER_LAYERS_DISABLE",
    "VK_LOADER_LAYERS_ALLOW",
    "VK_LOADER_DEBUG",
    "VK_LOADER_DISABLE_SELECT",
    "VK_LOADER_DEVICE_SELECT",
    "VK_LOADER_DEVICE_ID_FILTER",
    "VK_LOADER_VENDOR_ID_FILTER",
    "VK_LOADER_DRIVER_ID_FILTER",
    "VK_LOADER_DISABLE_INST_EXT_FILTER",
    "XDG_DATA_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_DIRS",
    "XDG_CONFIG_DIRS",
    "HOME",
];

const VALUES: &[&str] = &[
    "",
    "*",
    "~all~",
    "~implicit~,~explicit~",
    ",",
    ":",
    "::::",
    "/",
    "SANDBOX",
    "SANDBOX/data/vulkan/icd.d",
    "SANDBOX/lib/liba.so",
    "VK_LAYER_TEST_a",
    "VK_LAYER_TEST_*",
    "0x1:0x2",
    "0-",
    "-1",
    "0xffffffffffffffffff",
    "all",
    "error,warn,",
    "\u{e4}\u{1f4a5}",
    "a*b*c*d",
    "/proc/self/mem",
    "/dev/null",
    "SANDBOX/none.json:SANDBOX/data/vulkan/icd.d/a.json",
];

pub(crate) fn add(world: &mut World, seed: u64) {
    let mut chance = Rng::with_seed(seed ^ 0xda3a);
    if chance.u8(0..100) < 40 {
        world.add("file", Settings::PLACE, "=", SETTINGS.replace('\n', " "));
    }
    let files: Vec<String> = world.subjects("json").into_iter().map(|path| path.to_owned()).collect();
    for path in files {
        if chance.u8(0..100) < 50 {
            world.add("json", &path, "~damage", chance.u32(..));
        }
    }
    if chance.bool() {
        world.add("file", Settings::PLACE, "~damage", chance.u32(..));
    }
    for _ in 0..chance.usize(0..4) {
        let name = VARIABLES[chance.usize(..VARIABLES.len())];
        let value = VALUES[chance.usize(..VALUES.len())];
        let mut value =
            if chance.u8(0..100) < 10 { value.repeat(chance.usize(1..400)) } else { value.to_owned() };
        // Without a folder, these would select the system's folders, whose drivers and layers have faults of their own.
        if name.ends_with("_DIRS") {
            value.insert_str(0, "SANDBOX/none:");
        }
        world.add("env", name, "=", value);
    }
}

/// Returns the bytes with the damage of this number.
pub(crate) fn done(mut bytes: Vec<u8>, number: u64) -> Vec<u8> {
    let mut chance = Rng::with_seed(number);
    for _ in 0..chance.usize(1..=4) {
        let at = chance.usize(..=bytes.len());
        let end = (at + chance.usize(1..24)).min(bytes.len());
        match chance.u8(0..10) {
            0..3 if at < bytes.len() => bytes[at] = chance.u8(..),
            3..5 => _ = bytes.drain(at..end),
            5 => {
                let times = chance.usize(1..200);
                let piece = bytes[at..end].repeat(times);
                bytes.splice(at..at, piece);
            }
            6 => bytes.truncate(at),
            _ => {
                let word = WORDS[chance.usize(..WORDS.len())];
                bytes.splice(at..at, word.bytes());
            }
        }
    }
    bytes
}
