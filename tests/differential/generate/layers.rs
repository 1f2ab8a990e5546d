//! Layers of every kind, and their manifests.

use super::{Chance, Fields, PLACES, odd, place};
use crate::world::World;

pub(super) fn layer(world: &mut World, chance: &mut Chance, name: &str) {
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
        ("answer_extension", 5),
        ("name", 5),
        ("set_api:4206592", 3),
        ("set_api:4198400", 2),
        ("ask_globally", 4),
        ("core_groups", 5),
    ];
    let mut chosen = chance.of(&behaviours);
    if chance.percent(3) {
        // Objects are named with the handles that it hands out.
        chosen.retain(|one| *one != "name" && *one != "wrap");
        chosen.extend(["wrap", "wrap_devices", "name"]);
    }
    // A layer that returns its own handles has to receive them again.
    if chosen
        .iter()
        .any(|one| ["instance_only", "no_create_device", "no_device_lookup", "no_functions"].contains(one))
    {
        chosen.retain(|one| !one.starts_with("wrap"));
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

const LAYER_VERSIONS: &[&str] = &[
    "1.0.0", "1.0.0", "1.0.0", "1.1.0", "1.1.0", "1.1.0", "1.3.0", "1.3.0", "1.3.0", "1.3.0", "1.3.0",
    "1.3.239", "1.3.239", "0.9.9",
];
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

pub(super) fn names(chance: &mut Chance, most: usize) -> Vec<&'static str> {
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

pub(super) fn quoted(list: &[&str]) -> String {
    let list: Vec<String> = list.iter().map(|one| format!("\"{one}\"")).collect();
    format!("[{}]", list.join(", "))
}

pub(super) fn meta_layer(world: &mut World, chance: &mut Chance, name: &str) {
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

pub(super) fn override_layer(world: &mut World, chance: &mut Chance) {
    let path = format!("{}/override.json", place(chance, "implicit_layer.d"));
    world.add("json", &path, "file_format_version", "\"1.1.2\"");
    world.add("json", &path, "layer.name", "\"VK_LAYER_LUNARG_override\"");
    world.add("json", &path, "layer.type", "\"GLOBAL\"");
    world.add("json", &path, "layer.api_version", "\"1.3.0\"");
    world.add("json", &path, "layer.implementation_version", "\"1\"");
    world.add("json", &path, "layer.description", "\"override\"");
    if chance.percent(85) {
        let components = names(chance, 2);
        world.add("json", &path, "layer.component_layers", quoted(&components));
    }
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
