//! The formats of the registry, for `driver-runtime`: class, block, components, planes.

use std::collections::BTreeMap;

use roxmltree::Node;

use super::definitions::Definitions;
use super::generated::{Generated, wrapped};
use super::model::{children, grandchildren, required};
use crate::Failure;

pub(super) fn files(root: Node, definitions: &Definitions) -> Result<Vec<Generated>, Failure> {
    let formats = definitions.enumerations.values("VkFormat").iter();
    let values: BTreeMap<&str, _> = formats.map(|value| (value.name, (value.number, value.core))).collect();
    let mut rows = BTreeMap::new();
    for node in grandchildren(root, "formats", "format") {
        // A format of an extension that is not supported has no value.
        if let Some((value, core)) = values.get(required(node, "name")?) {
            rows.insert(*value, row(node, *value, *core, &values)?);
        }
    }
    let rows: Vec<String> = rows.into_values().collect();
    let start = "driver-runtime/src/format/formats";
    Ok(Generated::chunks(start, "Formats, by number.", "super::rows::rows", &rows, 200).collect())
}

/// Returns a format as `16 "16-bit" 2 [1 1 1] core 0 [R 8 Unorm, G 8 Unorm] [];`, with the words `packed`, `compressed` and `chroma` behind
/// the block if it has them.
fn row(
    node: Node,
    value: i64,
    core: Option<u8>,
    values: &BTreeMap<&str, (i64, Option<u8>)>,
) -> Result<String, Failure> {
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
        let (compatible, _) = values.get(compatible).ok_or_else(|| format!("no format {compatible}"))?;
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

#[cfg(test)]
mod tests {
    use super::variant;

    #[test]
    fn variants() {
        assert_eq!(["ASTC LDR", "BC", "SFIXED5"].map(variant), ["AstcLdr", "Bc", "Sfixed5"]);
    }
}
