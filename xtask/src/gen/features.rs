//! The feature structures of the registry, for `driver-runtime`: the list of structures, their owners, and their members.

use std::collections::BTreeMap;

use super::definitions::{Definitions, Structure};
use super::generated::{Generated, wrapped};
use super::model::child_text;
use super::naming;
use super::order::Numbered;
use crate::Failure;

/// The structures extend this one, which has the first one's members.
const CHAINED_TO: &str = "VkPhysicalDeviceFeatures2";
const FIRST: &str = "VkPhysicalDeviceFeatures";

pub(super) fn files(definitions: &Definitions, registry: &Numbered) -> Result<Vec<Generated>, Failure> {
    let mut structures = vec![definitions.structure(FIRST)?];
    structures[0].s_type = definitions.structure(CHAINED_TO)?.s_type;
    structures.extend(definitions.chained(CHAINED_TO)?);
    let separate = owners(&structures);
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let mut rows = Vec::new();
    for structure in &structures {
        rows.push(row(structure, &separate, registry, &mut numbers)?);
    }
    let about = "Feature structures and their members, by the registry's order.";
    let start = "driver-runtime/src/features/structures";
    Ok(Generated::chunks(start, about, "super::rows::rows", &rows, 50).collect())
}

fn row(
    structure: &Structure,
    separate: &BTreeMap<&str, usize>,
    registry: &Numbered,
    numbers: &mut BTreeMap<String, usize>,
) -> Result<String, Failure> {
    let mut words = structure.words(registry, None);
    for (member, node) in &structure.members {
        if child_text(*node, "type") != Some("VkBool32") {
            return Err(format!("{}: a feature that is not a VkBool32", structure.name).into());
        }
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
    let single = structures.iter().filter(|it| !it.name.starts_with("VkPhysicalDeviceVulkan1"));
    for (member, _) in single.flat_map(|structure| &structure.members) {
        *owners.entry(*member).or_insert(0) += 1;
    }
    owners
}

fn vendor(structure: &str) -> &str {
    let lower = structure.rfind(|letter: char| !letter.is_ascii_uppercase()).map_or(0, |at| at + 1);
    &structure[lower..]
}
