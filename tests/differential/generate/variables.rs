//! Variables.

use super::Chance;
use super::layers::names;
use crate::world::World;

pub(super) fn variables(world: &mut World, chance: &mut Chance) {
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
        ("VK_LOADER_DISABLE_SELECT", &["1", "0", "", "yes", "00"], 6),
        ("VK_LOADER_DISABLE_INST_EXT_FILTER", &["1", "0", "", "yes", "00", "02"], 8),
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
        } else if chance.percent(15) {
            vec![chance.pick(&special), chance.pick(&layers)]
        } else {
            chance.some(&layers, 3)
        };
        world.add("env", variable, "=", list.join(","));
    }
    for (variable, percent) in [("VK_LOADER_DRIVERS_SELECT", 5), ("VK_LOADER_DRIVERS_DISABLE", 5)] {
        if chance.percent(percent) {
            let list = if chance.percent(25) { chance.some(&special, 2) } else { chance.some(&drivers, 3) };
            let list = list.join(",");
            world.add("env", variable, "=", list);
        }
    }
}
