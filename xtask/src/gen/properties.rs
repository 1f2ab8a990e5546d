//! The property structures of the registry, for `driver-runtime`: the list of structures, their owners and members, and the structures and
//! enumerations that the members need.

use std::collections::{BTreeMap, BTreeSet};

use roxmltree::Node;

use super::enumerations::Enumerations;
use super::features::{Provider, providers};
use super::generated::{Generated, header, wrapped};
use super::model::{child_text, children, grandchildren, of_this_api, required};
use super::naming;
use super::order::Numbered;
use super::structures::structure_types;
use crate::Failure;

const FOLDER: &str = "driver-runtime/src/properties";
const CHAINED_TO: &str = "VkPhysicalDeviceProperties2";
/// Structures in one generated file.
const FILE_LENGTH: usize = 45;

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

pub(super) fn files(root: Node, registry: &Numbered) -> Result<Vec<Generated>, Failure> {
    let types = Types::read(root)?;
    let chained = types.chained()?;
    let gathered: Vec<&Structure> =
        chained.iter().filter(|structure| structure.gathers().is_some()).collect();
    let mut files = Vec::new();
    for (part, structures) in chained.chunks(FILE_LENGTH).enumerate() {
        let mut text = String::from(header());
        text.push_str("//! Property structures and their members, by the registry's order.\n\n");
        text.push_str("use super::rows::structures;\n\nstructures! {\n");
        for structure in structures {
            text.push_str(&row(structure, &gathered, registry)?);
        }
        text.push_str("}\n");
        files.push(generated(&format!("structures_{}_gen.rs", part + 1), text));
    }
    files.push(plain(&types)?);
    files.push(aliases(&types));
    let used = chained.iter().flat_map(|structure| &structure.members);
    let mut names: BTreeSet<String> = used.filter_map(|member| member.enumeration.clone()).collect();
    for name in PLAIN.iter().chain(&WITH_HEADER) {
        names.extend(types.structure(name)?.members.into_iter().filter_map(|member| member.enumeration));
    }
    names.extend(MORE_ENUMERATIONS.map(str::to_owned));
    files.extend(types.enumerations.files(FOLDER, &names));
    Ok(files)
}

fn generated(name: &str, text: String) -> Generated {
    Generated { path: std::path::Path::new(FOLDER).join(name), text }
}

struct Types<'a> {
    nodes: BTreeMap<&'a str, Node<'a, 'a>>,
    aliases: BTreeMap<&'a str, Vec<&'a str>>,
    providers: BTreeMap<&'a str, Vec<Provider<'a>>>,
    values: BTreeMap<&'a str, i32>,
    constants: BTreeMap<&'a str, usize>,
    enumerations: Enumerations<'a>,
}

struct Structure<'a> {
    name: &'a str,
    s_type: i32,
    core: Option<u8>,
    extensions: BTreeSet<&'a str>,
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

impl Structure<'_> {
    /// Returns the minor version whose properties the structure gathers.
    fn gathers(&self) -> Option<u8> {
        self.name.strip_prefix("VkPhysicalDeviceVulkan1")?.strip_suffix("Properties")?.parse().ok()
    }

    /// Returns the version that has all members in sequence, and the position of the first.
    fn position_in(&self, gathered: &[&Structure]) -> Result<Option<(u8, usize)>, Failure> {
        for whole in gathered {
            let version = whole.gathers().ok_or("no version")?;
            let is = |name: &str, own: &str| {
                let mut letters = own.chars();
                let capital: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
                name == own || name == format!("subgroup{capital}{}", letters.as_str())
            };
            let at = |member: &Member| whole.members.iter().position(|it| is(it.name, member.name));
            let positions: Vec<Option<usize>> = self.members.iter().map(at).collect();
            if positions.iter().any(Option::is_none) {
                continue;
            }
            if !positions.windows(2).all(|pair| pair[0].map(|at| at + 1) == pair[1]) {
                return Err(
                    format!("{} does not have its members as {} has them", self.name, whole.name).into()
                );
            }
            return Ok(positions.first().copied().flatten().map(|first| (version, first)));
        }
        Ok(None)
    }
}

/// Returns a structure as `56 "VkName" core 4 by KHR_NAME within 4 at 0 has U32 "member", U32*3 "array",;`.
fn row(structure: &Structure, gathered: &[&Structure], registry: &Numbered) -> Result<String, Failure> {
    let mut words = vec![format!("{} \"{}\"", structure.s_type, structure.name)];
    if let Some(minor) = structure.core {
        words.push(format!("core {minor}"));
    }
    for extension in structure.extensions.iter().filter(|name| registry.registry.extension(name).is_some()) {
        words.push(format!("by {}", naming::extension(extension)));
    }
    if let Some((version, first)) = structure.position_in(gathered)? {
        words.push(format!("within {version} at {first}"));
    }
    words.push("has".to_owned());
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

fn plain(types: &Types) -> Result<Generated, Failure> {
    let mut text = String::from(header());
    text.push_str(
        "//! Structures that are not chained, and their members.\n\nuse super::rows::plain;\n\nplain! {\n",
    );
    for (number, name) in PLAIN.iter().chain(&WITH_HEADER).enumerate() {
        let structure = types.structure(name)?;
        let constant = naming::command(name.trim_start_matches("Vk"));
        let mut words = vec![format!("{number} {constant} \"{name}\" has")];
        words.extend(structure.members.iter().map(Member::word));
        text.push_str(&wrapped(&words));
    }
    text.push_str("}\n");
    Ok(generated("plain_gen.rs", text))
}

/// Returns the other names of structures of features and properties.
fn aliases(types: &Types) -> Generated {
    let mut text = String::from(header());
    text.push_str("//! Other names of structures: each with the name that the tables have.\n\n");
    let mut rows = BTreeMap::new();
    for (of, names) in &types.aliases {
        let is_asked_for = |node: &Node| {
            node.attribute("structextends").is_some_and(|list| {
                list.split(',')
                    .any(|it| [CHAINED_TO, "VkPhysicalDeviceFeatures2", "VkFormatProperties2"].contains(&it))
            })
        };
        if types.nodes.get(of).is_some_and(is_asked_for) {
            rows.extend(names.iter().map(|name| (*name, *of)));
        }
    }
    text.push_str("pub(super) static ALIASES: &[(&str, &str)] = &[\n");
    for (name, of) in rows {
        text.push_str(&pair(name, of));
    }
    text.push_str("];\n");
    generated("aliases_gen.rs", text)
}

/// Formats a pair as rustfmt does.
fn pair(name: &str, of: &str) -> String {
    let line = format!("    (\"{name}\", \"{of}\"),\n");
    if line.len() <= 111 { line } else { format!("    (\n        \"{name}\",\n        \"{of}\",\n    ),\n") }
}

impl<'a> Types<'a> {
    fn read(root: Node<'a, 'a>) -> Result<Self, Failure> {
        let mut types = Self {
            nodes: BTreeMap::new(),
            aliases: BTreeMap::new(),
            providers: providers(root)?,
            values: structure_types(root)?,
            constants: BTreeMap::new(),
            enumerations: Enumerations::read(root)?,
        };
        for list in children(root, "enums").filter(|list| list.attribute("type") == Some("constants")) {
            types.constants.extend(children(list, "enum").filter_map(|value| {
                Some((value.attribute("name")?, value.attribute("value")?.parse().ok()?))
            }));
        }
        for node in grandchildren(root, "types", "type").filter(|node| of_this_api(*node)) {
            let Some(name) = node.attribute("name").or_else(|| child_text(node, "name")) else { continue };
            match node.attribute("alias") {
                Some(of) => types.aliases.entry(of).or_default().push(name),
                None => drop(types.nodes.insert(name, node)),
            }
        }
        Ok(types)
    }

    /// Returns the structures that a core version or a supported extension chains to the properties.
    fn chained(&self) -> Result<Vec<Structure<'a>>, Failure> {
        let mut found = Vec::new();
        for (name, node) in &self.nodes {
            let extends = node.attribute("structextends").unwrap_or_default();
            if !extends.split(',').any(|it| it == CHAINED_TO) {
                continue;
            }
            let structure = self.structure(name)?;
            if structure.core.is_some() || !structure.extensions.is_empty() {
                found.push(structure);
            }
        }
        found.sort_by_key(|structure| structure.s_type);
        Ok(found)
    }

    fn structure(&self, name: &str) -> Result<Structure<'a>, Failure> {
        let (name, node) = self.nodes.get_key_value(name).ok_or_else(|| format!("no structure {name}"))?;
        let mut structure =
            Structure { name, s_type: 0, core: None, extensions: BTreeSet::new(), members: Vec::new() };
        for member in children(*node, "member").filter(|node| of_this_api(*node)) {
            match child_text(member, "name").ok_or_else(|| format!("{name}: a member without name"))? {
                "sType" => {
                    let constant = required(member, "values")?;
                    structure.s_type = self.values.get(constant).copied().unwrap_or_default();
                }
                "pNext" => {}
                own => structure.members.push(self.member(member, own)?),
            }
        }
        let names = self.aliases.get(name).into_iter().flatten().chain([name]);
        for provider in names.filter_map(|name| self.providers.get(name)).flatten() {
            match provider {
                Provider::Core(minor) => {
                    structure.core = Some(structure.core.map_or(*minor, |known| known.min(*minor)));
                }
                Provider::Extension(extension) => drop(structure.extensions.insert(extension)),
            }
        }
        Ok(structure)
    }

    fn member(&self, node: Node<'a, '_>, name: &'a str) -> Result<Member<'a>, Failure> {
        let of_type = child_text(node, "type").ok_or_else(|| format!("{name} has no type"))?;
        let text: String = node
            .children()
            .filter(|part| !part.has_tag_name("comment"))
            .flat_map(|part| part.descendants())
            .filter_map(|part| if part.is_text() { part.text() } else { None })
            .collect();
        if text.contains('*') {
            return Ok(Member {
                name,
                kind: "Array".to_owned(),
                count: None,
                enumeration: None,
                bound: None,
            });
        }
        let (kind, enumeration) = self.kind(of_type)?;
        let count = match text.split_once('[') {
            None => None,
            Some((_, rest)) => {
                let length = rest.split(']').next().unwrap_or_default().trim();
                let known = self.constants.get(length).copied().or_else(|| length.parse().ok());
                Some(known.ok_or_else(|| format!("no such length of an array: {length}"))?)
            }
        };
        Ok(Member { name, kind, count, enumeration, bound: bound(node) })
    }

    /// Returns a type's form in the generated files, and the enumeration with its names.
    fn kind(&self, of_type: &str) -> Result<(String, Option<String>), Failure> {
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
        let node = self.nodes.get(of_type).ok_or_else(|| format!("{of_type} is not known"))?;
        let named = |kind: &str, name: &str| {
            (format!("{kind}({})", Enumerations::constant(name)), Some(name.to_owned()))
        };
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
            Some("struct") => {
                let constant = naming::command(of_type.trim_start_matches("Vk"));
                let known = PLAIN.contains(&of_type);
                known
                    .then_some((format!("Nested({constant})"), None))
                    .ok_or_else(|| format!("{of_type} is not listed").into())
            }
            _ => Err(format!("{of_type} is not a property type").into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::pair;

    #[test]
    fn long_pairs_are_broken_as_rustfmt_does() {
        assert_eq!(pair("a", "b"), "    (\"a\", \"b\"),\n");
        let long = "x".repeat(60);
        assert_eq!(pair(&long, &long).lines().count(), 4);
    }
}
