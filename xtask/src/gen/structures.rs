//! The file that lists the sizes of structures, for every ABI that the loader is built for.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use roxmltree::Node;

use crate::Failure;
use crate::r#gen::generated::{Generated, header};
use crate::r#gen::layout::{ABIS, Types};
use crate::r#gen::model::{child_text, children, grandchildren, is_supported, of_this_api, required};

/// The structure whose chain gets copied.
const CHAINED_TO: &str = "VkDeviceCreateInfo";

pub(super) fn file(root: Node) -> Result<Generated, Failure> {
    let types = Types::read(root)?;
    let numbers = structure_types(root)?;
    let mut rows = BTreeMap::new();
    for name in chained_to(root, CHAINED_TO) {
        // A structure whose type has no number is of another API or of an extension that is not supported.
        let number = types.structure_type(name).and_then(|constant| numbers.get(constant));
        if let Some(number) = number {
            let mut sizes = Vec::new();
            for abi in &ABIS {
                sizes.push(types.size(name, abi)?);
            }
            rows.insert(*number, (name, sizes));
        }
    }
    let mut text = format!(
        "{}//! The structures that may stand in the pNext chain of a `{CHAINED_TO}`, by their type: how many bytes they\n\
         //! have on 64-bit processors, on 32-bit ones, and on 32-bit ones that align `uint64_t` to 4 bytes only, if that\n\
         //! differs.\n\nuse crate::structures::structures;\n\nstructures! {{\n",
        header()
    );
    for (number, (name, sizes)) in rows {
        let shown = if sizes[1] == sizes[2] { &sizes[..2] } else { &sizes[..] };
        let shown: Vec<String> = shown.iter().map(usize::to_string).collect();
        let _ = writeln!(text, "    {number} {name} {};", shown.join(" "));
    }
    text.push_str("}\n");
    Ok(Generated::registry("structures_gen.rs", text))
}

/// Returns the structures that may be in the chain of `start`: those that extend it, and those that extend one of these.
fn chained_to<'a>(root: Node<'a, '_>, start: &'a str) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::from([start]);
    loop {
        let before = found.len();
        for node in grandchildren(root, "types", "type").filter(|node| of_this_api(*node)) {
            let extends = node.attribute("structextends").unwrap_or_default();
            if extends.split(',').any(|extended| found.contains(extended)) {
                found.extend(node.attribute("name"));
            }
        }
        if found.len() == before {
            found.remove(start);
            return found;
        }
    }
}

/// Returns the values of `VkStructureType`, by their names; other names of a value are left out.
pub(super) fn structure_types<'a>(root: Node<'a, '_>) -> Result<BTreeMap<&'a str, i32>, Failure> {
    values_of("VkStructureType", root)
}

/// Returns the values of an enumeration, by their names; other names of a value are left out.
pub(super) fn values_of<'a>(
    enumeration: &str,
    root: Node<'a, '_>,
) -> Result<BTreeMap<&'a str, i32>, Failure> {
    let mut numbers = BTreeMap::new();
    for list in children(root, "enums").filter(|list| list.attribute("name") == Some(enumeration)) {
        for value in children(list, "enum").filter(|value| value.attribute("alias").is_none()) {
            numbers.insert(required(value, "name")?, required(value, "value")?.parse()?);
        }
    }
    let features = children(root, "feature").filter(|feature| of_this_api(*feature));
    let extensions = grandchildren(root, "extensions", "extension").filter(|node| is_supported(*node));
    for provider in features.chain(extensions) {
        for value in grandchildren(provider, "require", "enum") {
            let is_alias = value.attribute("alias").is_some();
            if value.attribute("extends") == Some(enumeration) && !is_alias && of_this_api(value) {
                numbers.insert(required(value, "name")?, extension_value(provider, value)?);
            }
        }
    }
    Ok(numbers)
}

/// Returns a value that an extension or a feature adds: each extension has a thousand of its own, from a thousand million on.
pub(super) fn extension_value(provider: Node, value: Node) -> Result<i32, Failure> {
    if let Some(number) = value.attribute("value") {
        return Ok(number.parse()?);
    }
    let extension = value.attribute("extnumber").or(provider.attribute("number"));
    let extension: i32 = extension.ok_or("a value of no extension")?.parse()?;
    let offset: i32 = required(value, "offset")?.parse()?;
    Ok(1_000_000_000 + (extension - 1) * 1000 + offset)
}

/// Returns the constant of a structure's `sType` member.
pub(super) fn structure_type<'a>(structure: Node<'a, '_>) -> Option<&'a str> {
    children(structure, "member")
        .find(|member| child_text(*member, "name") == Some("sType"))?
        .attribute("values")
}
