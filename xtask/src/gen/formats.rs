//! The formats of the registry, for `driver-runtime`: class, block, components, planes.

use std::collections::BTreeMap;
use std::path::Path;

use roxmltree::Node;

use super::enumerations::Enumerations;
use super::generated::{Generated, header, wrapped};
use super::model::{children, grandchildren, of_this_api, required};
use crate::Failure;

const FOLDER: &str = "driver-runtime/src/format";
const FILE_LENGTH: usize = 200;

pub(super) fn files(root: Node) -> Result<Vec<Generated>, Failure> {
    let enumerations = Enumerations::read(root)?;
    let values: BTreeMap<&str, i64> = enumerations.values("VkFormat").iter().copied().collect();
    let core = core(root)?;
    let mut rows = BTreeMap::new();
    for node in grandchildren(root, "formats", "format") {
        let name = required(node, "name")?;
        // A format of an extension that is not supported has no value.
        if let Some(value) = values.get(name) {
            rows.insert(*value, row(node, *value, core.get(name).copied(), &values)?);
        }
    }
    let rows: Vec<String> = rows.into_values().collect();
    let mut files = Vec::new();
    for (part, rows) in rows.chunks(FILE_LENGTH).enumerate() {
        let text = format!(
            "{}//! Formats, by number.\n\nuse super::rows::rows;\n\nrows! {{\n{}}}\n",
            header(),
            rows.concat()
        );
        let path = Path::new(FOLDER).join(format!("formats_{}_gen.rs", part + 1));
        files.push(Generated { path, text });
    }
    Ok(files)
}

/// Returns a format as `16 "16-bit" 2 [1 1 1] core 0 [R 8 Unorm, G 8 Unorm] [];`, with the words `packed`, `compressed` and `chroma` behind
/// the block if it has them.
fn row(node: Node, value: i64, core: Option<u8>, values: &BTreeMap<&str, i64>) -> Result<String, Failure> {
    let block = node.attribute("blockExtent").unwrap_or("1,1,1").replace(',', " ");
    let class = required(node, "class")?;
    let mut words = vec![format!("{value} \"{class}\" {} [{block}]", required(node, "blockSize")?)];
    words.extend(core.map(|minor| format!("core {minor}")));
    words.extend(node.attribute("packed").map(|bits| format!("packed {bits}")));
    words.extend(node.attribute("compressed").map(|kind| format!("compressed {}", variant(kind))));
    words.extend(node.attribute("chroma").map(|chroma| format!("chroma C{chroma}")));
    let mut components = Vec::new();
    for component in children(node, "component") {
        let bits = required(component, "bits")?;
        let bits = if bits == "compressed" { "0" } else { bits };
        let [name, kind] = [required(component, "name")?, required(component, "numericFormat")?];
        let plane = component.attribute("planeIndex").map(|plane| format!(" in {plane}")).unwrap_or_default();
        components.push(format!("{name} {bits} {}{plane}", variant(kind)));
    }
    words.push(format!("[{}]", components.join(", ")));
    let mut planes = Vec::new();
    for plane in children(node, "plane") {
        let [width, height] = [required(plane, "widthDivisor")?, required(plane, "heightDivisor")?];
        let compatible = required(plane, "compatible")?;
        let compatible = values.get(compatible).ok_or_else(|| format!("no format {compatible}"))?;
        planes.push(format!("{compatible} {width} {height}"));
    }
    words.push(format!("[{}]", planes.join(", ")));
    Ok(wrapped(&words))
}

/// Converts `ASTC LDR` to `AstcLdr`.
fn variant(words: &str) -> String {
    let capital = |word: &str| word[..1].to_owned() + &word[1..].to_lowercase();
    words.split(' ').map(capital).collect()
}

/// Returns the core versions that formats come with.
fn core<'a>(root: Node<'a, 'a>) -> Result<BTreeMap<&'a str, u8>, Failure> {
    let mut core = BTreeMap::new();
    for group in children(root, "enums").filter(|node| node.attribute("name") == Some("VkFormat")) {
        for value in children(group, "enum").filter(|value| value.attribute("value").is_some()) {
            core.insert(required(value, "name")?, 0);
        }
    }
    for feature in children(root, "feature").filter(|node| of_this_api(*node)) {
        let minor =
            required(feature, "number")?.strip_prefix("1.").ok_or("a version that is not 1.x")?.parse()?;
        for value in feature.descendants().filter(|node| node.attribute("extends") == Some("VkFormat")) {
            core.entry(required(value, "name")?).or_insert(minor);
        }
    }
    Ok(core)
}

#[cfg(test)]
mod tests {
    use super::variant;

    #[test]
    fn variants() {
        assert_eq!(["ASTC LDR", "BC", "SFIXED5"].map(variant), ["AstcLdr", "Bc", "Sfixed5"]);
    }
}
