//! The property structures of the registry, for `driver-runtime`: the list of structures, their owners and members, and the structures and
//! enumerations that the members need.

use std::collections::{BTreeMap, BTreeSet};

use roxmltree::Node;

use super::definitions::{self, Definitions};
use super::enumerations::Enumerations;
use super::generated::{Generated, wrapped};
use super::model::{child_text, declaration};
use super::naming;
use super::order::Numbered;
use crate::Failure;

const FOLDER: &str = "driver-runtime/src/properties";
const CHAINED_TO: &str = "VkPhysicalDeviceProperties2";

/// Structures that are not chained to anything, each behind those that it needs.
const PLAIN: [&str; 11] = [
    "VkExtent2D",
    "VkExtent3D",
    "VkConformanceVersion",
    "VkPhysicalDeviceLimits",
    "VkPhysicalDeviceSparseProperties",
    "VkPhysicalDeviceProperties",
    "VkQueueFamilyProperties",
    "VkFormatProperties",
    "VkMemoryHeap",
    "VkMemoryType",
    "VkPhysicalDeviceMemoryProperties",
];

/// Structures of which the members behind the header are listed, but which are no properties of devices.
const WITH_HEADER: [&str; 1] = ["VkFormatProperties3"];

/// Enumerations that no member needs.
const MORE_ENUMERATIONS: [&str; 2] = ["VkFormat", "VkImageLayout"];

pub(super) fn files(definitions: &Definitions, registry: &Numbered) -> Result<Vec<Generated>, Failure> {
    let chained = definitions.chained(CHAINED_TO)?;
    let chained =
        chained.into_iter().map(|it| Structure::of(definitions, it)).collect::<Result<Vec<_>, _>>()?;
    let gathered: Vec<&Structure> =
        chained.iter().filter(|structure| structure.gathers().is_some()).collect();
    let mut rows = Vec::new();
    for structure in &chained {
        rows.push(row(structure, &gathered, registry)?);
    }
    let about = "Property structures and their members, by the registry's order.";
    let start = format!("{FOLDER}/structures");
    let mut files: Vec<_> = Generated::chunks(&start, about, "super::rows::structures", &rows, 45).collect();
    let mut rows = Vec::new();
    let mut names = BTreeSet::from(MORE_ENUMERATIONS.map(str::to_owned));
    names.extend(chained.iter().flat_map(|it| &it.members).filter_map(|member| member.enumeration.clone()));
    for (number, name) in PLAIN.iter().chain(&WITH_HEADER).enumerate() {
        let structure = Structure::of(definitions, definitions.structure(name)?)?;
        let constant = naming::command(name.trim_start_matches("Vk"));
        let mut words = vec![format!("{number} {constant} \"{name}\" has")];
        words.extend(structure.members.iter().map(Member::word));
        rows.push(wrapped(&words));
        names.extend(structure.members.into_iter().filter_map(|member| member.enumeration));
    }
    let about = "Structures that are not chained, and their members.";
    files.push(Generated::rows(format!("{FOLDER}/plain_gen.rs"), about, "super::rows::plain", &rows));
    files.push(aliases(definitions));
    files.push(definitions.enumerations.file(FOLDER, &names));
    Ok(files)
}

struct Structure<'a> {
    of: definitions::Structure<'a>,
    members: Vec<Member<'a>>,
}

struct Member<'a> {
    name: &'a str,
    /// As the generated files have it: `U32`, `Enum(DRIVER_ID)`.
    kind: String,
    /// Elements of an array.
    count: Option<usize>,
    enumeration: Option<String>,
    /// How a required value bounds it: the registry's `limittype`.
    bound: Option<&'static str>,
}

impl<'a> Structure<'a> {
    fn of(definitions: &Definitions<'a>, of: definitions::Structure<'a>) -> Result<Self, Failure> {
        let members = of.members.iter().map(|(name, node)| member(definitions, *node, name));
        Ok(Self { members: members.collect::<Result<_, _>>()?, of })
    }

    /// Returns the minor version whose properties the structure gathers.
    fn gathers(&self) -> Option<u8> {
        self.of.name.strip_prefix("VkPhysicalDeviceVulkan1")?.strip_suffix("Properties")?.parse().ok()
    }

    /// Returns the version that has all members in sequence, and the position of the first.
    fn position_in(&self, gathered: &[&Structure]) -> Result<Option<(u8, usize)>, Failure> {
        for whole in gathered {
            let version = whole.gathers().ok_or("no version")?;
            let is = |name: &str, own: &str| {
                name == own || name == format!("subgroup{}", naming::capitalised(own))
            };
            let at = |member: &Member| whole.members.iter().position(|it| is(it.name, member.name));
            let Some(positions) = self.members.iter().map(at).collect::<Option<Vec<usize>>>() else {
                continue;
            };
            if !positions.windows(2).all(|pair| pair[0] + 1 == pair[1]) {
                let (own, whole) = (self.of.name, whole.of.name);
                return Err(format!("{own} does not have its members as {whole} has them").into());
            }
            return Ok(positions.first().map(|first| (version, *first)));
        }
        Ok(None)
    }
}

/// Returns a structure as `56 "VkName" core 4 by KHR_NAME within 4 at 0 has U32 "member", U32*3 "array",;`.
fn row(structure: &Structure, gathered: &[&Structure], registry: &Numbered) -> Result<String, Failure> {
    let within =
        structure.position_in(gathered)?.map(|(version, first)| format!("within {version} at {first}"));
    let mut words = structure.of.words(registry, within);
    words.extend(structure.members.iter().map(Member::word));
    Ok(wrapped(&words))
}

impl Member<'_> {
    fn word(&self) -> String {
        let count = self.count.map(|count| format!("*{count}")).unwrap_or_default();
        let bound = self.bound.map(|bound| format!(" {bound}")).unwrap_or_default();
        format!("{}{count} \"{}\"{bound},", self.kind, self.name)
    }
}

/// Returns whether a device may exceed the required value, stay below it, have other bits, or neither.
fn bound(member: Node) -> Option<&'static str> {
    match member.attribute("limittype")?.split(',').next()? {
        "max" | "bits" => Some("Most"),
        "min" => Some("Least"),
        "bitmask" => Some("Bits"),
        "range" => Some("Range"),
        "exact" => Some("Exact"),
        _ => None,
    }
}

/// Returns the other names of structures of features and properties.
fn aliases(definitions: &Definitions) -> Generated {
    let starts = [CHAINED_TO, "VkPhysicalDeviceFeatures2", "VkFormatProperties2"];
    let mut rows = BTreeMap::new();
    for of in starts.iter().flat_map(|start| definitions.extending(start)) {
        rows.extend(definitions.aliases.get(of).into_iter().flatten().map(|name| (*name, *of)));
    }
    let rows: Vec<String> = rows.iter().map(|(name, of)| format!("    \"{name}\" \"{of}\";\n")).collect();
    let about = "Other names of structures: each with the name that the tables have.";
    Generated::rows(format!("{FOLDER}/aliases_gen.rs"), about, "super::names::aliases", &rows)
}

fn member<'a>(definitions: &Definitions, node: Node<'a, 'a>, name: &'a str) -> Result<Member<'a>, Failure> {
    let of_type = child_text(node, "type").ok_or_else(|| format!("{name} has no type"))?;
    let text = declaration(node);
    if text.contains('*') {
        return Ok(Member { name, kind: "Array".to_owned(), count: None, enumeration: None, bound: None });
    }
    let (kind, enumeration) = kind(definitions, of_type)?;
    let count = match text.split_once('[') {
        None => None,
        Some((_, rest)) => {
            let length = rest.split(']').next().unwrap_or_default().trim();
            let length = definitions.constants.get(length).copied().unwrap_or(length);
            Some(length.parse().map_err(|_| format!("no such length of an array: {length}"))?)
        }
    };
    Ok(Member { name, kind, count, enumeration, bound: bound(node) })
}

/// Returns a type's form in the generated files, and the enumeration with its names.
fn kind(definitions: &Definitions, of_type: &str) -> Result<(String, Option<String>), Failure> {
    let plain = match of_type {
        "VkBool32" => "Bool",
        "uint8_t" => "U8",
        "char" => "Char",
        "int32_t" => "I32",
        "uint32_t" => "U32",
        "int64_t" => "I64",
        "uint64_t" | "VkDeviceSize" | "VkDeviceAddress" => "U64",
        "float" => "F32",
        "size_t" => "Size",
        _ => "",
    };
    if !plain.is_empty() {
        return Ok((plain.to_owned(), None));
    }
    let node = definitions.types.get(of_type).ok_or_else(|| format!("{of_type} is not known"))?;
    let named =
        |kind: &str, name: &str| (format!("{kind}({})", Enumerations::constant(name)), Some(name.to_owned()));
    match node.attribute("category") {
        Some("enum") if of_type.contains("FlagBits") => Ok(named("Flags", of_type)),
        Some("enum") => Ok(named("Enum", of_type)),
        Some("bitmask") => {
            let wide = child_text(*node, "type") == Some("VkFlags64");
            match node.attribute("requires").or(node.attribute("bitvalues")) {
                Some(bits) => Ok(named(if wide { "Flags64" } else { "Flags" }, bits)),
                None => Ok(((if wide { "U64" } else { "U32" }).to_owned(), None)),
            }
        }
        Some("struct") if PLAIN.contains(&of_type) => Ok((named("Nested", of_type).0, None)),
        _ => Err(format!("{of_type} is not a property type").into()),
    }
}
