//! The feature structures of the registry, for `driver-runtime`: the list of structures, their owners, and their members.

use std::collections::{BTreeMap, BTreeSet};

use roxmltree::Node;

use super::generated::{Generated, header, wrapped};
use super::model::{self, child_text, children, grandchildren, of_this_api, required};
use super::naming;
use super::order::Numbered;
use super::structures::structure_types;
use crate::Failure;

const FOLDER: &str = "driver-runtime/src/features";
const FIRST: &str = "VkPhysicalDeviceFeatures";
const CHAINED_TO: &str = "VkPhysicalDeviceFeatures2";
/// Structures in one generated file.
const FILE_LENGTH: usize = 50;

struct Structure<'a> {
    name: &'a str,
    s_type: i32,
    core: Option<u8>,
    extensions: Vec<&'a str>,
    members: Vec<&'a str>,
}

pub(super) fn files(root: Node, registry: &Numbered) -> Result<Vec<Generated>, Failure> {
    let structures = structures(root)?;
    let separate = owners(&structures);
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let mut files = Vec::new();
    for (part, structures) in structures.chunks(FILE_LENGTH).enumerate() {
        let mut text = String::from(header());
        text.push_str("//! Feature structures and their members, by the registry's order.\n\n");
        text.push_str("use super::rows::rows;\n\nrows! {\n");
        for structure in structures {
            text.push_str(&row(structure, &separate, registry, &mut numbers)?);
        }
        text.push_str("}\n");
        files.push(generated(&format!("structures_{}_gen.rs", part + 1), text));
    }
    Ok(files)
}

fn generated(name: &str, text: String) -> Generated {
    Generated { path: std::path::Path::new(FOLDER).join(name), text }
}

fn row(
    structure: &Structure,
    separate: &BTreeMap<&str, usize>,
    registry: &Numbered,
    numbers: &mut BTreeMap<String, usize>,
) -> Result<String, Failure> {
    let mut words = vec![format!("{} \"{}\"", structure.s_type, structure.name)];
    if let Some(minor) = structure.core {
        words.push(format!("core {minor}"));
    }
    for extension in structure.extensions.iter().filter(|name| registry.registry.extension(name).is_some()) {
        words.push(format!("by {}", naming::extension(extension)));
    }
    words.push("has".to_owned());
    for member in &structure.members {
        let constant = constant(member, structure.name, separate);
        let next = numbers.len();
        // The first structure with the feature numbers it.
        words.push(if *numbers.entry(constant.clone()).or_insert(next) == next {
            format!("{constant} = {next} \"{member}\",")
        } else {
            format!("{constant} \"{member}\",")
        });
    }
    Ok(wrapped(&words))
}

/// Returns the constant of a member: its name, and the vendor of its structure where other structures have a member of that name that is
/// something else. The structures of core versions (`VkPhysicalDeviceVulkan12Features`) repeat the members of those that they gather.
fn constant(member: &str, structure: &str, separate: &BTreeMap<&str, usize>) -> String {
    let plain = naming::command(member).replace("__", "_");
    let vendor = vendor(structure);
    if separate.get(member).is_some_and(|count| *count > 1) && !vendor.is_empty() {
        return format!("{plain}_{vendor}");
    }
    plain
}

/// Returns how many structures have a member with this name, excluding core-version structures.
fn owners<'a>(structures: &[Structure<'a>]) -> BTreeMap<&'a str, usize> {
    let mut owners = BTreeMap::new();
    for structure in
        structures.iter().filter(|structure| !structure.name.starts_with("VkPhysicalDeviceVulkan1"))
    {
        for member in &structure.members {
            *owners.entry(*member).or_insert(0) += 1;
        }
    }
    owners
}

fn vendor(structure: &str) -> &str {
    let lower = structure.rfind(|letter: char| !letter.is_ascii_uppercase()).map_or(0, |at| at + 1);
    &structure[lower..]
}

fn structures<'a>(root: Node<'a, 'a>) -> Result<Vec<Structure<'a>>, Failure> {
    let values = structure_types(root)?;
    let providers = providers(root)?;
    let mut aliases: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let types = || grandchildren(root, "types", "type").filter(|node| of_this_api(*node));
    for node in types() {
        if let (Some(name), Some(of)) = (node.attribute("name"), node.attribute("alias")) {
            aliases.entry(of).or_default().push(name);
        }
    }
    let mut found = Vec::new();
    for node in types()
        .filter(|node| node.attribute("category") == Some("struct") && node.attribute("alias").is_none())
    {
        let name = required(node, "name")?;
        let chained =
            node.attribute("structextends").is_some_and(|list| list.split(',').any(|it| it == CHAINED_TO));
        if !chained && name != FIRST {
            continue;
        }
        let names = aliases.get(name).into_iter().flatten().copied().chain([name]);
        let provided: Vec<&Provider> = names.filter_map(|name| providers.get(name)).flatten().collect();
        if provided.is_empty() {
            continue;
        }
        found.push(structure(node, name, &provided, &values)?);
    }
    found.sort_by_key(|structure| (structure.name != FIRST, structure.s_type));
    Ok(found)
}

fn structure<'a>(
    node: Node<'a, 'a>,
    name: &'a str,
    provided: &[&Provider<'a>],
    values: &BTreeMap<&str, i32>,
) -> Result<Structure<'a>, Failure> {
    let mut members = Vec::new();
    let mut s_type_name = "VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2";
    for member in children(node, "member").filter(|node| of_this_api(*node)) {
        match child_text(member, "name").ok_or_else(|| format!("{name}: a member without name"))? {
            "sType" => s_type_name = required(member, "values")?,
            "pNext" => {}
            _ if child_text(member, "type") != Some("VkBool32") => {
                return Err(format!("{name}: a feature that is not a VkBool32").into());
            }
            feature => members.push(feature),
        }
    }
    let s_type = *values.get(s_type_name).ok_or_else(|| format!("{s_type_name} has no value"))?;
    let core = provided
        .iter()
        .filter_map(|it| if let Provider::Core(minor) = it { Some(*minor) } else { None })
        .min();
    let extensions: BTreeSet<&str> = provided
        .iter()
        .filter_map(|it| if let Provider::Extension(name) = it { Some(*name) } else { None })
        .collect();
    Ok(Structure { name, s_type, core, extensions: extensions.into_iter().collect(), members })
}

pub(super) enum Provider<'a> {
    Core(u8),
    Extension(&'a str),
}

/// Returns the core versions and extensions that provide each type.
pub(super) fn providers<'a>(root: Node<'a, 'a>) -> Result<BTreeMap<&'a str, Vec<Provider<'a>>>, Failure> {
    let mut found: BTreeMap<&str, Vec<Provider>> = BTreeMap::new();
    for feature in children(root, "feature").filter(|node| of_this_api(*node)) {
        let minor = required(feature, "number")?
            .strip_prefix("1.")
            .ok_or("a core version that is not 1.x")?
            .parse()?;
        for name in required_types(feature) {
            found.entry(name).or_default().push(Provider::Core(minor));
        }
    }
    for extension in grandchildren(root, "extensions", "extension").filter(|node| model::is_supported(*node))
    {
        let name = required(extension, "name")?;
        for of in required_types(extension) {
            found.entry(of).or_default().push(Provider::Extension(name));
        }
    }
    Ok(found)
}

fn required_types<'a>(node: Node<'a, 'a>) -> impl Iterator<Item = &'a str> {
    children(node, "require")
        .filter(|block| of_this_api(*block))
        .flat_map(|block| children(block, "type"))
        .filter_map(|node| node.attribute("name"))
}
