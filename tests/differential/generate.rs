//! Worlds by chance: most of what is in them is as it should be, so that the odd things are met by something that works.

use fastrand::Rng;

use crate::odd;
use crate::world::World;

/// The world of a number.
pub(crate) fn world(seed: u64) -> World {
    let mut chance = Chance(Rng::with_seed(seed));
    let mut world = World::default();
    let drivers = chance.of(&[("a", 90), ("b", 55), ("c", 25), ("d", 8)]);
    let layers = chance.of(&[("a", 60), ("b", 45), ("c", 30), ("d", 15), ("e", 8)]);
    places(&mut world, &mut chance);
    for name in &drivers {
        driver(&mut world, &mut chance, name);
    }
    for name in &layers {
        layer(&mut world, &mut chance, &format!("VK_LAYER_TEST_{name}"));
    }
    if chance.percent(15) {
        meta_layer(&mut world, &mut chance, "VK_LAYER_TEST_meta");
    }
    if chance.percent(10) {
        override_layer(&mut world, &mut chance);
    }
    odd::files(&mut world, &mut chance);
    variables(&mut world, &mut chance);
    for number in 0..chance.0.usize(1..=2) {
        ask(&mut world, &mut chance, number);
    }
    world
}

/// Decisions by chance.
pub(crate) struct Chance(Rng);

impl Chance {
    pub(crate) fn percent(&mut self, percent: u32) -> bool {
        self.0.u32(0..100) < percent
    }

    pub(crate) fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.0.usize(0..list.len())]
    }

    /// Each one with its own probability in percent.
    pub(crate) fn of<T: Copy>(&mut self, list: &[(T, u32)]) -> Vec<T> {
        list.iter().filter(|(_, percent)| self.percent(*percent)).map(|(one, _)| *one).collect()
    }

    /// One to `most` of these, in any order, perhaps one of them twice.
    pub(crate) fn some<T: Copy>(&mut self, list: &[T], most: usize) -> Vec<T> {
        let count = self.0.usize(1..=most);
        (0..count).map(|_| self.pick(list)).collect()
    }

    pub(crate) fn number(&mut self, below: u32) -> u32 {
        self.0.u32(0..below)
    }
}

// ---- places ----

/// Folders that manifests lie in, without what is the same for all: `vulkan/icd.d`. The sandbox's variables lead to the first two.
const PLACES: &[&str] =
    &["data", "data", "data", "config", "home/.config", "home/.local/share", "more", "own"];

fn places(world: &mut World, chance: &mut Chance) {
    let variables = [
        ("XDG_DATA_HOME", ["SANDBOX/own", "SANDBOX/none", ""]),
        ("XDG_CONFIG_HOME", ["SANDBOX/more", "SANDBOX/own", ""]),
        ("XDG_DATA_DIRS", ["SANDBOX/data:SANDBOX/more", ":SANDBOX/own::SANDBOX/data:", "SANDBOX/data/"]),
        ("XDG_CONFIG_DIRS", ["SANDBOX/config:SANDBOX/data", "SANDBOX/none:SANDBOX/more", "SANDBOX//config"]),
    ];
    for (name, values) in variables {
        if chance.percent(12) {
            world.add("env", name, "=", chance.pick(&values));
        }
    }
}

fn place(chance: &mut Chance, folder: &str) -> String {
    format!("{}/vulkan/{folder}", chance.pick(PLACES))
}

// ---- drivers ----

const INSTANCE_EXTENSIONS: &[&str] = &[
    "VK_KHR_surface",
    "VK_EXT_headless_surface",
    "VK_KHR_get_physical_device_properties2",
    "VK_EXT_debug_utils",
    "VK_EXT_debug_report",
    "VK_KHR_device_group_creation",
    "VK_KHR_external_memory_capabilities",
    "VK_KHR_xcb_surface",
    "VK_KHR_display",
    "VK_KHR_get_surface_capabilities2",
    "VK_KHR_portability_enumeration",
    "VK_TEST_unknown",
];
const DEVICE_EXTENSIONS: [&str; 6] = [
    "VK_KHR_swapchain",
    "VK_KHR_maintenance1",
    "VK_KHR_timeline_semaphore",
    "VK_KHR_external_memory_fd",
    "VK_EXT_debug_marker",
    "VK_TEST_device",
];
const DRIVER_VERSIONS: &[&str] = &["1.0.0", "1.1.0", "1.2.131", "1.3.0", "1.3.0", "1.3.239"];
const RESULTS: &[i32] = &[-1, -2, -3, -7, -9, -13];

fn driver(world: &mut World, chance: &mut Chance, name: &str) {
    let api = chance.pick(DRIVER_VERSIONS);
    if chance.percent(35) {
        world.add("driver", name, "interface", chance.number(8));
    }
    world.add("driver", name, "api", api);
    if chance.percent(4) {
        let exports = ["nothing", "core", "lookup", "negotiate", "lookup+negotiate", "all"];
        world.add("driver", name, "exports", chance.pick(&exports));
    }
    if chance.percent(50) {
        for extension in chance.some(INSTANCE_EXTENSIONS, 6) {
            let version = chance.pick(&["", "", ":2", ":70"]);
            world.add("driver", name, "extension", format!("{extension}{version}"));
        }
    }
    driver_oddities(world, chance, name);
    let devices = chance.pick(&[0, 1, 1, 1, 1, 2, 2, 3]);
    for number in 0..devices {
        device(world, chance, name, &format!("{name}{number}"));
    }
    if devices > 1 && chance.percent(25) {
        world.add("driver", name, "group", chance.pick(&["0,1", "1,0", "0"]));
    }
    let path = format!("{}/{name}.json", place(chance, "icd.d"));
    driver_manifest(world, chance, &path, &format!("\"SANDBOX/lib/lib{name}.so\""), api);
}

fn driver_oddities(world: &mut World, chance: &mut Chance, name: &str) {
    if chance.percent(8) {
        let commands = [
            "vkCreateInstance",
            "vkEnumeratePhysicalDevices",
            "vkEnumerateInstanceExtensionProperties",
            "vkEnumerateInstanceVersion",
            "vk_icdNegotiateLoaderICDInterfaceVersion",
            "vkEnumeratePhysicalDeviceGroups",
            "vkCreateDevice",
            "vkEnumerateDeviceExtensionProperties",
        ];
        let (command, result) = (chance.pick(&commands), chance.pick(RESULTS));
        world.add("driver", name, "result", format!("{command}:{result}"));
    }
    if chance.percent(8) {
        let commands = [
            "vkCreateInstance",
            "vkDestroyInstance",
            "vkEnumerateInstanceExtensionProperties",
            "vkEnumerateInstanceVersion",
            "vkEnumeratePhysicalDevices",
            "vkEnumeratePhysicalDeviceGroups",
            "vkGetPhysicalDeviceProperties",
            "vkGetPhysicalDeviceProperties2",
            "vkGetPhysicalDeviceQueueFamilyProperties",
            "vkEnumerateDeviceExtensionProperties",
            "vkCreateDevice",
            "vkGetDeviceProcAddr",
        ];
        world.add("driver", name, "without", chance.pick(&commands));
    }
    if chance.percent(4) {
        let commands = ["vkEnumeratePhysicalDevices", "vkEnumerateInstanceExtensionProperties"];
        let (command, lie) = (chance.pick(&commands), chance.pick(&[1, 2]));
        world.add("driver", name, "lie", format!("{command}:{lie}"));
    }
    if chance.percent(5) {
        world.add("driver", name, "unknown_devices", 2);
        world.add("driver", name, "unknown_physical_devices", 2);
    }
    if chance.percent(5) {
        world.add("driver", name, "own_surfaces", 1);
    }
}

fn device(world: &mut World, chance: &mut Chance, driver: &str, name: &str) {
    world.add("driver", driver, "device", name);
    if chance.percent(60) {
        world.add("driver", driver, "device_type", chance.number(5));
    }
    if chance.percent(60) {
        world.add("driver", driver, "device_vendor", chance.pick(&[0x1002, 0x10DE, 0x8086]));
        world.add("driver", driver, "device_id", chance.number(4));
    }
    if chance.percent(20) {
        let (bus, slot) = (chance.number(3), chance.number(3));
        world.add("driver", driver, "device_pci", format!("0:{bus}:{slot}:0"));
        world.add("driver", driver, "device_extension", "VK_EXT_pci_bus_info");
    }
    if chance.percent(40) {
        for extension in chance.of(&DEVICE_EXTENSIONS.map(|name| (name, 35))) {
            world.add("driver", driver, "device_extension", extension);
        }
    }
    if chance.percent(8) {
        world.add("driver", driver, "device_queue_families", chance.number(4));
    }
}

fn driver_manifest(world: &mut World, chance: &mut Chance, path: &str, library: &str, api: &str) {
    let odd = if chance.percent(12) { 30 } else { 0 };
    let mut fields = Fields { world, path, odd };
    fields.add(chance, "file_format_version", &["\"1.0.1\""]);
    fields.add(chance, "ICD.library_path", &[library]);
    fields.add(chance, "ICD.api_version", &[&format!("\"{api}\"")]);
    if chance.percent(5) {
        fields.add(chance, "ICD.is_portability_driver", &["true", "false", "\"true\"", "1"]);
    }
    if chance.percent(5) {
        fields.add(chance, "ICD.library_arch", &["\"64\"", "\"32\"", "64", "\"\"", "\"x86\""]);
    }
    odd::text(world, chance, path);
}

/// The fields of a manifest.
struct Fields<'a> {
    world: &'a mut World,
    path: &'a str,
    /// How many percent of them are odd.
    odd: u32,
}

impl Fields<'_> {
    fn add(&mut self, chance: &mut Chance, key: &str, usual: &[&str]) {
        let usual = chance.pick(usual).to_owned();
        let value = if chance.percent(self.odd) { odd::value(chance, key) } else { Some(usual) };
        if let Some(value) = value {
            self.world.add("json", self.path, key, value);
        }
    }
}

// ---- layers ----

fn layer(world: &mut World, chance: &mut Chance, name: &str) {
    let implicit = chance.percent(40);
    let exports = if chance.percent(25) {
        chance.pick(&["plain", "negotiate+plain", "name", "other", "nothing"])
    } else {
        "negotiate"
    };
    world.add("layer", name, "exports", exports);
    let behaviours = [
        ("reverse", 3),
        ("hide:0", 2),
        ("strip", 3),
        ("wrap", 3),
        ("instance_only", 3),
        ("no_create_device", 3),
        ("no_device_lookup", 2),
        ("no_physical_device_lookup", 3),
        ("no_functions", 2),
        ("null_query", 3),
        ("interface:1", 3),
        ("refuse:-3", 3),
        ("fail_instance:-3", 2),
        ("fail_instance_early:-9", 2),
        ("fail_device:-3", 2),
        ("fail_device_early:-13", 2),
        ("enumerate_while_creating", 3),
        ("device_command", 4),
        ("physical_device_command", 4),
        ("version:4206592", 3),
        ("no_layers", 3),
        ("no_extensions", 3),
    ];
    let mut chosen = chance.of(&behaviours);
    // Who hands out handles of its own has to see them come back.
    if chosen
        .iter()
        .any(|one| ["instance_only", "no_create_device", "no_device_lookup", "no_functions"].contains(one))
    {
        chosen.retain(|one| *one != "wrap");
    }
    for behaviour in chosen {
        world.add("layer", name, "do", behaviour);
    }
    let folder = if implicit { "implicit_layer.d" } else { "explicit_layer.d" };
    let short = name.trim_start_matches("VK_LAYER_TEST_");
    let path = format!("{}/{short}.json", place(chance, folder));
    let library = format!("\"SANDBOX/lib/lib{name}.so\"");
    layer_manifest(world, chance, &path, &Described { name, implicit, library: &library, exports });
    odd::text(world, chance, &path);
}

struct Described<'a> {
    name: &'a str,
    implicit: bool,
    library: &'a str,
    exports: &'a str,
}

const LAYER_VERSIONS: &[&str] = &["1.0.0", "1.1.0", "1.3.0", "1.3.0", "1.3.239"];
const FORMATS: &[&str] = &["1.0.0", "1.0.1", "1.1.0", "1.1.2", "1.1.2", "1.2.0", "1.2.0"];

fn layer_manifest(world: &mut World, chance: &mut Chance, path: &str, layer: &Described<'_>) {
    let odd = if chance.percent(12) { 15 } else { 0 };
    let mut fields = Fields { world, path, odd };
    let (name, short) = (layer.name, layer.name.trim_start_matches("VK_LAYER_TEST_"));
    let format = chance.pick(FORMATS);
    fields.add(chance, "file_format_version", &[&format!("\"{format}\"")]);
    fields.add(chance, "layer.name", &[&format!("\"{name}\"")]);
    fields.add(chance, "layer.type", &["\"GLOBAL\"", "\"GLOBAL\"", "\"INSTANCE\""]);
    fields.add(chance, "layer.library_path", &[layer.library]);
    let api = chance.pick(LAYER_VERSIONS);
    fields.add(chance, "layer.api_version", &[&format!("\"{api}\"")]);
    let own = chance.number(3) + 1;
    fields.add(chance, "layer.implementation_version", &[&format!("\"{own}\"")]);
    fields.add(chance, "layer.description", &[&format!("\"layer {short}\"")]);
    if layer.exports == "other" {
        fields.add(chance, "layer.functions.vkGetInstanceProcAddr", &["\"test_lookup\""]);
        fields.add(chance, "layer.functions.vkGetDeviceProcAddr", &["\"test_device_lookup\""]);
    }
    if layer.implicit {
        fields.add(chance, &format!("layer.disable_environment.NO_{short}"), &["\"1\""]);
        if chance.percent(25) {
            fields.add(chance, "layer.enable_environment.DO", &["\"1\""]);
        }
        if chance.percent(20) {
            let functions = [
                "vkEnumerateInstanceVersion",
                "vkEnumerateInstanceExtensionProperties",
                "vkEnumerateInstanceLayerProperties",
            ];
            let own = ["test_preVersion", "test_preExtensions", "test_preLayers"];
            for at in chance.of(&[(0, 60), (1, 60), (2, 60)]) {
                let key = format!("layer.pre_instance_functions.{}", functions[at]);
                fields.add(chance, &key, &[&format!("\"{}\"", own[at])]);
            }
        }
    }
    if chance.percent(20) {
        let extension = chance.pick(&["VK_EXT_debug_utils", "VK_KHR_surface", "VK_TEST_layer_instance"]);
        fields.add(chance, "layer.instance_extensions.0.name", &[&format!("\"{extension}\"")]);
        fields.add(chance, "layer.instance_extensions.0.spec_version", &["\"3\"", "\"3\"", "4"]);
    }
    if chance.percent(25) {
        let extension = chance.pick(&["VK_KHR_maintenance1", "VK_TEST_layer", "VK_EXT_debug_marker"]);
        fields.add(chance, "layer.device_extensions.0.name", &[&format!("\"{extension}\"")]);
        fields.add(chance, "layer.device_extensions.0.spec_version", &["\"2\""]);
        if chance.percent(50) {
            fields.add(chance, "layer.device_extensions.0.entrypoints", &["[\"vkTrimCommandPoolKHR\"]"]);
        }
    }
    if chance.percent(4) {
        fields.add(chance, "layer.library_arch", &["\"64\"", "\"32\"", "\"x86\""]);
    }
}

fn names(chance: &mut Chance, most: usize) -> Vec<&'static str> {
    let layers = [
        "VK_LAYER_TEST_a",
        "VK_LAYER_TEST_b",
        "VK_LAYER_TEST_c",
        "VK_LAYER_TEST_d",
        "VK_LAYER_TEST_e",
        "VK_LAYER_TEST_meta",
        "VK_LAYER_TEST_none",
    ];
    let usual = if chance.percent(80) { 4 } else { layers.len() };
    chance.some(&layers[..usual], most)
}

fn quoted(list: &[&str]) -> String {
    let list: Vec<String> = list.iter().map(|one| format!("\"{one}\"")).collect();
    format!("[{}]", list.join(", "))
}

fn meta_layer(world: &mut World, chance: &mut Chance, name: &str) {
    let implicit = chance.percent(30);
    let folder = if implicit { "implicit_layer.d" } else { "explicit_layer.d" };
    let path = format!("{}/meta.json", place(chance, folder));
    world.add("json", &path, "file_format_version", "\"1.1.2\"");
    world.add("json", &path, "layer.name", format!("\"{name}\""));
    world.add("json", &path, "layer.type", "\"GLOBAL\"");
    world.add("json", &path, "layer.api_version", format!("\"{}\"", chance.pick(LAYER_VERSIONS)));
    world.add("json", &path, "layer.implementation_version", "\"1\"");
    world.add("json", &path, "layer.description", "\"meta\"");
    let components = names(chance, 3);
    world.add("json", &path, "layer.component_layers", quoted(&components));
    if implicit {
        world.add("json", &path, "layer.disable_environment.NO_META", "\"1\"");
    }
}

fn override_layer(world: &mut World, chance: &mut Chance) {
    let path = format!("{}/override.json", place(chance, "implicit_layer.d"));
    world.add("json", &path, "file_format_version", "\"1.1.2\"");
    world.add("json", &path, "layer.name", "\"VK_LAYER_LUNARG_override\"");
    world.add("json", &path, "layer.type", "\"GLOBAL\"");
    world.add("json", &path, "layer.api_version", "\"1.3.0\"");
    world.add("json", &path, "layer.implementation_version", "\"1\"");
    world.add("json", &path, "layer.description", "\"override\"");
    let components = names(chance, 2);
    world.add("json", &path, "layer.component_layers", quoted(&components));
    world.add("json", &path, "layer.disable_environment.NO_OVERRIDE", "\"1\"");
    if chance.percent(40) {
        let blacklisted = names(chance, 2);
        world.add("json", &path, "layer.blacklisted_layers", quoted(&blacklisted));
    }
    if chance.percent(40) {
        let place = chance.pick(PLACES);
        let paths = format!("[\"SANDBOX/{place}/vulkan/explicit_layer.d\"]");
        world.add("json", &path, "layer.override_paths", paths);
    }
    if chance.percent(20) {
        world.add("json", &path, "layer.app_keys", chance.pick(&["[\"/no/such/program\"]", "[]"]));
    }
}

// ---- variables ----

fn variables(world: &mut World, chance: &mut Chance) {
    let mut files: Vec<String> =
        world.subjects("json").into_iter().map(|path| format!("SANDBOX/{path}")).collect();
    files.push("SANDBOX/none/vulkan/icd.d/none.json".to_owned());
    let folders: Vec<String> = files.iter().map(|path| path.rsplit_once('/').unwrap().0.to_owned()).collect();
    let paths: Vec<&str> = files.iter().chain(&folders).map(String::as_str).collect();
    let lists = [
        ("VK_DRIVER_FILES", 5),
        ("VK_ICD_FILENAMES", 5),
        ("VK_ADD_DRIVER_FILES", 6),
        ("VK_LAYER_PATH", 6),
        ("VK_ADD_LAYER_PATH", 6),
    ];
    for variable in chance.of(&lists) {
        let wanted = if variable.contains("LAYER") { "layer" } else { "icd" };
        let fitting: Vec<&str> = paths.iter().copied().filter(|path| path.contains(wanted)).collect();
        let all = if fitting.is_empty() || chance.percent(5) { &paths } else { &fitting };
        let mut list = chance.some(all, 3).join(":");
        if chance.percent(5) {
            list = format!(":{list}:");
        }
        world.add("env", variable, "=", list);
    }
    filters(world, chance);
    let switches = [
        ("VK_LOADER_DEVICE_SELECT", &["1002:1", "10de:0", "0x8086:0x2", "nonsense", ""][..], 6),
        ("VK_LOADER_DISABLE_SELECT", &["1", "0", ""], 6),
        ("VK_LOADER_DISABLE_INST_EXT_FILTER", &["1", "0", ""], 8),
        ("NO_a", &["1", ""], 3),
        ("NO_b", &["1", "0"], 3),
        ("DO", &["1", "0"], 20),
        ("NO_META", &["1"], 3),
        ("NO_OVERRIDE", &["1"], 3),
    ];
    for (variable, values, percent) in switches {
        if chance.percent(percent) {
            world.add("env", variable, "=", chance.pick(values));
        }
    }
}

fn filters(world: &mut World, chance: &mut Chance) {
    if chance.percent(10) {
        let list = names(chance, 3).join(":");
        world.add("env", "VK_INSTANCE_LAYERS", "=", list);
    }
    let layers = [
        "*_a",
        "VK_LAYER_TEST_B",
        "*test*",
        "*",
        "**",
        "VK_LAYER_*",
        "nothing",
        "*_meta",
        "",
        "VK_LAYER_TEST_c",
    ];
    let special = ["~all~", "~implicit~", "~explicit~"];
    let drivers = ["a.json", "*b*", "A.j*", "a*", "*.json", "*", "nothing", "a", ""];
    for (variable, percent) in [("VK_LOADER_LAYERS_ENABLE", 8), ("VK_LOADER_LAYERS_DISABLE", 8)] {
        if !chance.percent(percent) {
            continue;
        }
        let list = if variable.ends_with("DISABLE") && chance.percent(40) {
            chance.some(&special, 2)
        } else {
            chance.some(&layers, 3)
        };
        world.add("env", variable, "=", list.join(","));
    }
    for (variable, percent) in [("VK_LOADER_DRIVERS_SELECT", 5), ("VK_LOADER_DRIVERS_DISABLE", 5)] {
        if chance.percent(percent) {
            let list = chance.some(&drivers, 3).join(",");
            world.add("env", variable, "=", list);
        }
    }
}

// ---- what is asked for ----

fn ask(world: &mut World, chance: &mut Chance, number: usize) {
    let subject = number.to_string();
    let versions =
        ["1.0.0", "1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.3.0", "1.4.0", "0", "1", "1.1.0.0", "2.0.0"];
    let usual = if chance.percent(90) { 6 } else { versions.len() };
    if chance.percent(85) {
        world.add("ask", &subject, "api", chance.pick(&versions[..usual]));
    } else {
        world.add("ask", &subject, "nothing", "");
    }
    if chance.percent(35) {
        for layer in names(chance, 3) {
            world.add("ask", &subject, "layer", layer);
        }
    }
    if chance.percent(50) {
        let offered: Vec<String> = world
            .0
            .iter()
            .filter(|line| line.kind == "driver" && line.key == "extension")
            .map(|line| line.value.split(':').next().unwrap_or_default().to_owned())
            .collect();
        let offered: Vec<&str> = offered.iter().map(String::as_str).collect();
        let odd = offered.is_empty() || chance.percent(10);
        for extension in chance.some(if odd { INSTANCE_EXTENSIONS } else { &offered }, 4) {
            world.add("ask", &subject, "extension", extension);
        }
    }
    if chance.percent(8) {
        world.add("ask", &subject, "flags", chance.pick(&[1, 1, 2]));
        if chance.percent(50) {
            world.add("ask", &subject, "extension", "VK_KHR_portability_enumeration");
        }
    }
    if chance.percent(25) {
        for extension in chance.some(&DEVICE_EXTENSIONS, 2) {
            world.add("ask", &subject, "device_extension", extension);
        }
    }
}
