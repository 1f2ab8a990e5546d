//! The formats of the core versions, for the null driver: the bytes of a block, its texels, its components, its planes.

use std::collections::BTreeMap;
use std::fmt::Write;

use roxmltree::Node;

use super::Generated;
use super::commands::header;
use super::model::{children, grandchildren, of_this_api, required};
use crate::Failure;

const FILE: &str = "driver-runtime/null-driver/src/image/formats_gen.rs";

pub(super) fn file(root: Node) -> Result<Generated, Failure> {
    let values = values(root)?;
    let nodes: Vec<Node> = grandchildren(root, "formats", "format").collect();
    let size = |name: &str| -> Result<u32, Failure> {
        let node = nodes.iter().find(|node| node.attribute("name") == Some(name));
        Ok(required(*node.ok_or_else(|| format!("no format {name}"))?, "blockSize")?.parse()?)
    };
    let mut rows = BTreeMap::new();
    for node in &nodes {
        if let Some(value) = values.get(required(*node, "name")?) {
            rows.insert(*value, row(*node, &size)?);
        }
    }
    let mut text = String::from(header());
    text.push_str(
        "//! The formats of the core versions, by number.\n\nuse super::format::rows;\n\nrows! {\n",
    );
    for (value, row) in rows {
        writeln!(text, "    {value} {row};")?;
    }
    text.push_str("}\n");
    Ok(Generated { path: FILE.into(), text })
}

/// A format as `4 [1 1 1] [R 8 Unorm, G 8 Unorm] [];`, the word `packed` behind the bytes if the components are counted from
/// the highest bit of a word.
fn row(node: Node, size: &dyn Fn(&str) -> Result<u32, Failure>) -> Result<String, Failure> {
    let bytes = required(node, "blockSize")?;
    let packed = if node.attribute("packed").is_some() { " packed" } else { "" };
    let block = node.attribute("blockExtent").unwrap_or("1,1,1").replace(',', " ");
    let mut components = Vec::new();
    for component in children(node, "component") {
        let bits = required(component, "bits")?;
        let bits = if bits == "compressed" { "0" } else { bits };
        let [name, kind] = [required(component, "name")?, required(component, "numericFormat")?];
        let (capital, rest) = kind.split_at(1);
        components.push(format!("{name} {bits} {capital}{}", rest.to_lowercase()));
    }
    let mut planes = Vec::new();
    for plane in children(node, "plane") {
        let [width, height] = [required(plane, "widthDivisor")?, required(plane, "heightDivisor")?];
        planes.push(format!("{} {width} {height}", size(required(plane, "compatible")?)?));
    }
    Ok(format!("{bytes}{packed} [{block}] [{}] [{}]", components.join(", "), planes.join(", ")))
}

/// The values of `VkFormat` that core versions have.
fn values<'a>(root: Node<'a, 'a>) -> Result<BTreeMap<&'a str, u32>, Failure> {
    let mut values = BTreeMap::new();
    for group in children(root, "enums").filter(|node| node.attribute("name") == Some("VkFormat")) {
        for value in children(group, "enum") {
            if let Some(number) = value.attribute("value") {
                values.insert(required(value, "name")?, number.parse()?);
            }
        }
    }
    for feature in children(root, "feature").filter(|node| of_this_api(*node)) {
        for value in feature.descendants().filter(|node| node.attribute("extends") == Some("VkFormat")) {
            let (number, offset): (u32, u32) =
                (required(value, "extnumber")?.parse()?, required(value, "offset")?.parse()?);
            values.insert(required(value, "name")?, 1_000_000_000 + (number - 1) * 1000 + offset);
        }
    }
    Ok(values)
}
