//! The requests of a program.

use super::Chance;
use super::drivers::{DEVICE_EXTENSIONS, INSTANCE_EXTENSIONS};
use super::layers::names;
use crate::world::World;

const SURFACES: &[&str] = &[
    "VK_KHR_surface",
    "VK_EXT_headless_surface",
    "VK_KHR_get_surface_capabilities2",
    "VK_EXT_surface_maintenance1",
    "VK_KHR_surface_protected_capabilities",
    "VK_EXT_display_surface_counter",
];

pub(super) fn ask(world: &mut World, chance: &mut Chance, number: usize) {
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
    if chance.percent(30) {
        for extension in chance.some(&DEVICE_EXTENSIONS, 2) {
            world.add("ask", &subject, "device_extension", extension);
        }
    }
    whole_features(world, chance, &subject);
    if number > 0 && chance.percent(15) {
        change(world, chance, &subject);
    }
}

/// Adds requests other than names: whole areas of the API, unknown structures.
fn whole_features(world: &mut World, chance: &mut Chance, subject: &str) {
    let areas: [(&str, u32, &[&str]); 4] = [
        ("names", 10, &["VK_EXT_debug_utils"]),
        ("displays", 10, &["VK_KHR_surface", "VK_KHR_display", "VK_KHR_get_display_properties2"]),
        ("surfaces", 12, SURFACES),
        ("queries", 12, &["VK_KHR_get_physical_device_properties2", "VK_KHR_external_memory_capabilities"]),
    ];
    for (area, percent, extensions) in areas {
        if !chance.percent(percent) {
            continue;
        }
        world.add("ask", subject, area, "");
        for extension in chance.of(&extensions.iter().map(|one| (*one, 80)).collect::<Vec<_>>()) {
            give(world, chance, extension);
            world.add("ask", subject, "extension", extension);
        }
    }
    let more = [
        ("unknown_instance", 5),
        ("unknown_device", 8),
        ("unknown_query", 8),
        ("features", 8),
        ("group_device", 10),
    ];
    for wish in chance.of(&more) {
        world.add("ask", subject, wish, "");
    }
}

/// Sees to it that some driver has an instance extension.
fn give(world: &mut World, chance: &mut Chance, extension: &str) {
    let drivers: Vec<String> = world.subjects("driver").into_iter().map(str::to_owned).collect();
    for driver in drivers {
        if chance.percent(70) && !world.about("driver", &driver).contains(&("extension", extension)) {
            world.add("driver", &driver, "extension", extension);
        }
    }
}

/// Changes something from this instance on.
fn change(world: &mut World, chance: &mut Chance, subject: &str) {
    let files: Vec<String> = world.subjects("json").into_iter().map(str::to_owned).collect();
    let drivers: Vec<String> = world.subjects("driver").into_iter().map(str::to_owned).collect();
    match chance.number(3) {
        0 if !files.is_empty() => {
            let at = chance.number(files.len() as u32) as usize;
            world.add("ask", subject, "gone", &files[at]);
        }
        1 if !files.is_empty() => {
            let at = chance.number(files.len() as u32) as usize;
            world.add("ask", subject, "late", &files[at]);
        }
        _ if !drivers.is_empty() => {
            let at = chance.number(drivers.len() as u32) as usize;
            world.add("ask", subject, "hidden", format!("{}:0", drivers[at]));
        }
        _ => {}
    }
}
