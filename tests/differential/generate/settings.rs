//! A settings file, which only this loader reads: it is one that changes nothing, or only the order of devices.

use super::Chance;
use crate::world::World;

/// Settings that leave everything as it is. Of the last but two the list of layers counts as if it were not there.
const NEUTRAL: &[&str] = &[
    "{}",
    "garbage",
    r#"{"file_format_version": "1.0.0"}"#,
    r#"{"file_format_version": "1.0.0", "settings": {}}"#,
    r#"{"file_format_version": "1.0.0", "settings_array": []}"#,
    r#"{"file_format_version": "1.0.0", "settings": {"app_keys": ["/no/such/program"], "layers": []}}"#,
    r#"{"file_format_version": "1.0.0", "settings_array": [{"app_keys": ["/no/such/program"], "layers": []}]}"#,
    r#"{"file_format_version": "1.0.0", "settings": {"stderr_log": ["all"]}}"#,
    r#"{"file_format_version": "1.0.0", "settings": {"layers": [{"name": 7, "path": "x", "control": "on"}]}}"#,
    r#"{"file_format_version": "1.0.0", "settings": {"layers": [{"name": "VK_LAYER_TEST_a", "control": "on"}]}}"#,
    r#"{"file_format_version": "1.0.0", "settings": {"layers": [{"control": "unordered_layer_location"}]}}"#,
];

pub(super) fn settings(world: &mut World, chance: &mut Chance) {
    if chance.percent(4) {
        // An override layer has no effect if the settings list layers.
        let overrides = world.of_kind("json").any(|line| line.value == "\"VK_LAYER_LUNARG_override\"");
        let usual = if overrides { NEUTRAL.len() - 1 } else { NEUTRAL.len() };
        world.add("settings", "file", "=", chance.pick(&NEUTRAL[..usual]));
    } else if chance.percent(8) && devices_can_be_told(world) {
        world.add("settings", "devices", "reversed", "");
    }
}

/// Allows only drivers that can identify their devices, and nothing that changes the list above them.
fn devices_can_be_told(world: &World) -> bool {
    let no_driver = ["result", "without", "exports"];
    let no_layer = ["reverse", "hide:0"];
    let changes = ["gone", "late", "hidden"];
    !world.of_kind("ask").any(|line| changes.contains(&line.key.as_str()))
        && !world.of_kind("driver").any(|line| {
            no_driver.contains(&line.key.as_str())
                || line.value == "1.0.0"
                || line.value.starts_with("vkEnum")
        })
        && !world.of_kind("layer").any(|line| no_layer.contains(&line.value.as_str()))
        && !world.of_kind("env").any(|line| line.subject.contains("DRIVER") || line.subject.contains("ICD"))
}
