//! Faults of manifests.

use super::Chance;
use crate::world::World;

/// Returns a value that a field should not have; none leaves it out.
pub(crate) fn value(chance: &mut Chance, key: &str) -> Option<String> {
    let anything = ["\"\"", "null", "7", "true", "[]", "{}", "\"nonsense\"", "1.5", "\"\\u0000\""];
    let special: &[&str] = match key.rsplit('.').next().unwrap_or_default() {
        "file_format_version" => &["\"0.9.0\"", "\"2.0.0\"", "\"1.0\"", "\"1.9.9\"", "\"x\"", "\"1.0.0.0\""],
        "library_path" => {
            &["\"SANDBOX/none.so\"", "\"none.so\"", "\"./none.so\"", "\"SANDBOX/lib\"", "\"SANDBOX/world\""]
        }
        "api_version" => &[
            "\"1.0\"",
            "\"1\"",
            "\"0.9.9\"",
            "\"2.0.0\"",
            "\"1.9.0\"",
            "\"1.1.0.0\"",
            "\"a.b.c\"",
            "\"-1.0.0\"",
            "\" 1.1.0\"",
            "\"1.1.0 \"",
            "\"1.1.x\"",
            "\"1.1.99999999999\"",
        ],
        "type" => &["\"DEVICE\"", "\"global\"", "\"OTHER\""],
        "implementation_version" => &["2", "\"x\"", "\"-1\"", "\"4294967297\""],
        "name" => &["\"VK_LAYER_TEST_a\"", "\"\\u00e4\""],
        _ => &[],
    };
    match chance.number(4) {
        0 => None,
        1 => Some(chance.pick(&anything).to_owned()),
        _ if special.is_empty() => Some(chance.pick(&anything).to_owned()),
        _ => Some(chance.pick(special).to_owned()),
    }
}

/// Adds text around a manifest, or truncates it.
pub(crate) fn text(world: &mut World, chance: &mut Chance, path: &str) {
    if !chance.percent(4) {
        return;
    }
    let oddities = [
        ("~before", "\\xEF\\xBB\\xBF"),
        ("~before", "  \\n\\n"),
        ("~before", "// comment\\n"),
        ("~before", "garbage"),
        ("~after", "garbage"),
        ("~after", "\\x00"),
        ("~after", "}"),
        ("~keep", "0"),
        ("~keep", "50"),
        ("~keep", "95"),
    ];
    let (key, value) = chance.pick(&oddities);
    world.add("json", path, key, value);
}

/// Adds files that are not manifests, and duplicate manifests.
pub(crate) fn files(world: &mut World, chance: &mut Chance) {
    let folders = ["data/vulkan/icd.d", "data/vulkan/implicit_layer.d", "data/vulkan/explicit_layer.d"];
    let folder = chance.pick(&folders);
    if chance.percent(2) {
        world.add("folder", &format!("{folder}/folder.json"), "-", "");
    }
    if chance.percent(2) {
        world.add("link", &format!("{folder}/link.json"), "to", "SANDBOX/none");
    }
    if chance.percent(2) {
        world.add("json", &format!("{folder}/not.txt"), "~before", "not a manifest");
    }
    if chance.percent(2) {
        world.add("json", &format!("{folder}/empty.json"), "~keep", "0");
    }
}
