//! The types of commands that `ash` does not have, and the structures, enumerations and handles that these need.
//!
//! A name of a command that is an alias has the type of any name of the same command that `ash` has.

mod ash;
#[cfg(all(test, target_arch = "x86_64"))]
mod c_tests;
mod declaration;

use std::collections::{BTreeMap, BTreeSet};

use roxmltree::Node;

use super::commands::header;
use super::layout::{ABIS, Types};
use super::model::{child_text, children, grandchildren, is_supported, of_this_api};
use super::order::Numbered;
use super::structures::{extension_value, structure_types};
use super::{Generated, naming};
use crate::Failure;
use ash::Ash;
use declaration::{Declared, declared};

const FOLDER: &str = "driver-runtime/src/types";
/// The most lines of items in one generated file.
const FILE_LENGTH: usize = 450;

pub(super) fn files(root: Node, registry: &Numbered) -> Result<Vec<Generated>, Failure> {
    let mut writer = Writer::new(root)?;
    let mut pointers = Vec::new();
    let mut names = BTreeMap::<&str, Vec<&str>>::new();
    for command in registry.commands() {
        let first = command.alias_of.as_deref().unwrap_or(&command.name);
        names.entry(first).or_default().push(&command.name);
    }
    for command in registry.commands() {
        let first = command.alias_of.as_deref().unwrap_or(&command.name);
        if !writer.ash.has(&format!("PFN_{}", command.name)) {
            pointers.push(writer.pointer(&command.name, first, &names[first])?);
        }
    }
    let mut files =
        chunks("pointers", "Types of commands that `ash` has not, or not by this name.", &pointers);
    let items = writer.items()?;
    files.extend(chunks("items", "What the types of commands need that `ash` has not.", &items));
    let all: Vec<String> = registry
        .commands()
        .iter()
        .map(|command| format!("    {}: PFN_{},\n", naming::command(&command.name), command.name))
        .collect();
    for (part, rows) in all.chunks(FILE_LENGTH).enumerate() {
        let text = format!(
            "{}//! Every command with its type.\n\nuse super::tests::typed;\n\ntyped! {{\n{}}}\n",
            header(),
            rows.concat()
        );
        files.push(generated(&format!("all_{}_gen.rs", part + 1), text));
    }
    Ok(files)
}

fn generated(name: &str, text: String) -> Generated {
    Generated { path: std::path::Path::new(FOLDER).join(name), text }
}

/// Files of whole items.
fn chunks(name: &str, title: &str, items: &[String]) -> Vec<Generated> {
    let mut texts = vec![String::new()];
    for item in items {
        let length = |text: &str| text.lines().count();
        let last = texts.last_mut().filter(|text| length(text) + length(item) <= FILE_LENGTH);
        match last {
            Some(text) => text.push_str(item),
            None => texts.push(item.clone()),
        }
    }
    let file = |(part, text): (usize, &String)| {
        let text =
            format!("{}//! {title}\n\n#[allow(unused_imports)]\nuse super::needed::*;\n{text}", header());
        generated(&format!("{name}_{}_gen.rs", part + 1), text)
    };
    texts.iter().enumerate().map(file).collect()
}

struct Writer<'a> {
    ash: Ash,
    types: Types<'a>,
    root: Node<'a, 'a>,
    nodes: BTreeMap<&'a str, Node<'a, 'a>>,
    commands: BTreeMap<&'a str, Node<'a, 'a>>,
    structure_types: BTreeMap<&'a str, i32>,
    constants: BTreeMap<&'a str, &'a str>,
    /// All names of each type, by its first.
    aliases: BTreeMap<&'a str, Vec<&'a str>>,
    wanted: BTreeSet<&'a str>,
}

impl<'a> Writer<'a> {
    fn new(root: Node<'a, 'a>) -> Result<Self, Failure> {
        let (mut nodes, mut aliases) = (BTreeMap::new(), BTreeMap::<_, Vec<_>>::new());
        for node in grandchildren(root, "types", "type").filter(|node| of_this_api(*node)) {
            let proto = children(node, "proto").next().unwrap_or(node);
            let Some(name) = node.attribute("name").or_else(|| child_text(proto, "name")) else { continue };
            match node.attribute("alias") {
                Some(first) => aliases.entry(first).or_default().push(name),
                None => _ = nodes.insert(name, node),
            }
        }
        let mut commands = BTreeMap::new();
        for node in grandchildren(root, "commands", "command").filter(|node| of_this_api(*node)) {
            if let Some(name) = children(node, "proto").next().and_then(|proto| child_text(proto, "name")) {
                commands.insert(name, node);
            }
        }
        let lists = children(root, "enums").filter(|list| list.attribute("type") == Some("constants"));
        let values = lists.flat_map(|list| children(list, "enum"));
        let constants =
            values.filter_map(|value| Some((value.attribute("name")?, value.attribute("value")?))).collect();
        Ok(Self {
            ash: Ash::read()?,
            types: Types::read(root)?,
            root,
            nodes,
            commands,
            structure_types: structure_types(root)?,
            constants,
            aliases,
            wanted: BTreeSet::new(),
        })
    }

    /// Returns the type of a command that `ash` has not by this name.
    fn pointer(&mut self, name: &str, first: &str, names: &[&str]) -> Result<String, Failure> {
        let doc = format!("\n/// `{name}`\n");
        if let Some(known) = names.iter().find(|name| self.ash.has(&format!("PFN_{name}"))) {
            return Ok(format!("{doc}pub type PFN_{name} = vk::PFN_{known};\n"));
        }
        if name != first && names.contains(&first) {
            return Ok(format!("{doc}pub type PFN_{name} = super::PFN_{first};\n"));
        }
        let node = *self.commands.get(first).ok_or_else(|| format!("{first} is not declared"))?;
        Ok(format!("{doc}pub type PFN_{name} = {};\n", self.function(node)?))
    }

    fn function(&mut self, node: Node<'a, 'a>) -> Result<String, Failure> {
        let proto = children(node, "proto").next().ok_or("a command without prototype")?;
        let mut parameters = Vec::new();
        for parameter in children(node, "param").filter(|node| of_this_api(*node)) {
            let declared = declared(parameter, &self.constants)?;
            let element = self.element(&declared, "'_")?;
            parameters.push(format!("{}: {}", declared.name, declared.parameter(&element)));
        }
        let result = declared(proto, &self.constants)?;
        let result = match self.element(&result, "'_")? {
            nothing if nothing == "c_void" && !result.is_pointer() => String::new(),
            element => format!(" -> {}", result.member(&element)),
        };
        Ok(format!("unsafe extern \"system\" fn(\n    {},\n){result}", parameters.join(",\n    ")))
    }

    /// Returns the declared type, without pointers and arrays.
    fn element(&mut self, declared: &Declared<'a>, lifetime: &str) -> Result<String, Failure> {
        let plain = match declared.of_type {
            "void" => "c_void",
            "char" => "c_char",
            "int" => "c_int",
            "int8_t" => "i8",
            "uint8_t" => "u8",
            "int16_t" => "i16",
            "uint16_t" => "u16",
            "int32_t" => "i32",
            "uint32_t" => "u32",
            "int64_t" => "i64",
            "uint64_t" => "u64",
            "size_t" => "usize",
            "float" => "f32",
            "double" => "f64",
            _ => return self.named(declared, lifetime),
        };
        Ok(plain.to_owned())
    }

    fn named(&mut self, declared: &Declared<'a>, lifetime: &str) -> Result<String, Failure> {
        let name = declared.of_type;
        let first = self.first(name);
        let others = self.aliases.get(first).into_iter().flatten().copied();
        for known in [name, first].into_iter().chain(others) {
            let known = rust_name(known);
            if self.ash.has(&known) {
                let lifetime =
                    if self.ash.has_lifetime(&known) { format!("<{lifetime}>") } else { String::new() };
                return Ok(format!("vk::{known}{lifetime}"));
            }
        }
        if !name.starts_with("Vk") && !name.starts_with("PFN_vk") {
            // Platform types that `ash` does not know are used only through pointers.
            return if declared.is_pointer() {
                Ok("c_void".to_owned())
            } else {
                Err(format!("{name} is of a platform, and what it is must be stated").into())
            };
        }
        // The bits of a set have the type of the set.
        let set = first.replace("FlagBits", "Flags");
        let set = self.nodes.get_key_value(set.as_str()).map(|(name, _)| *name);
        let first = self.nodes.get_key_value(first).map(|(name, _)| *name);
        let wanted = set.or(first).ok_or_else(|| format!("{name} is not declared"))?;
        self.wanted.insert(wanted);
        Ok(format!("super::{}", rust_name(wanted)))
    }

    /// Returns the type's name at its declaration.
    fn first<'b>(&self, name: &'b str) -> &'b str
    where
        'a: 'b,
    {
        let of = self.aliases.iter().find(|(_, names)| names.contains(&name));
        of.map_or(name, |(first, _)| first)
    }

    /// Returns everything that is needed, and what that needs.
    fn items(&mut self) -> Result<Vec<String>, Failure> {
        let mut items = BTreeMap::new();
        while let Some(name) = self.wanted.iter().find(|name| !items.contains_key(*name)).copied() {
            let item = self.item(name)?;
            items.insert(name, item);
        }
        Ok(items.into_values().collect())
    }

    fn item(&mut self, name: &'a str) -> Result<String, Failure> {
        let node = self.nodes[name];
        let rust = rust_name(name);
        let doc = format!("\n/// `{name}`\n");
        Ok(match node.attribute("category") {
            Some("struct") => format!("{doc}{}", self.structure(name, &rust, node)?),
            Some("union") => {
                let members = self.members(node)?;
                let sizes = self.sizes(name)?;
                format!(
                    "{doc}#[derive(Clone, Copy)]\n#[repr(C)]\npub union {rust} {{\n{}}}\nlayouts!({rust} ({sizes}));\n",
                    listed(&members)
                )
            }
            Some("handle") if child_text(node, "type") == Some("VK_DEFINE_HANDLE") => {
                format!(
                    "{doc}#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]\n#[repr(transparent)]\npub struct {rust}(pub *mut c_void);\n"
                )
            }
            Some("handle") => number(&doc, &rust, "u64"),
            Some("funcpointer") => format!("{doc}pub type {rust} = Option<{}>;\n", self.function(node)?),
            Some("enum") => format!("{}{}", number(&doc, &rust, "i32"), self.values(name, &rust)?),
            Some("bitmask") => {
                let is_wide = self.types.size(name, &ABIS[0])? == 8;
                let bits = name.replace("Flags", "FlagBits");
                let of_type = if is_wide { "u64" } else { "u32" };
                format!("{}{}", number(&doc, &rust, of_type), self.values(&bits, &rust)?)
            }
            other => return Err(format!("{name}: no type of Rust for {other:?}").into()),
        })
    }

    fn structure(&mut self, name: &str, rust: &str, node: Node<'a, 'a>) -> Result<String, Failure> {
        let members = self.members(node)?;
        let mut text = format!(
            "#[derive(Clone, Copy)]\n#[repr(C)]\npub struct {rust} {{\n{}}}\nlayouts!({rust} ({})",
            listed(&members),
            self.sizes(name)?
        );
        for (place, (member, _)) in members.iter().enumerate() {
            let mut at = Vec::new();
            for abi in &ABIS {
                at.push(self.types.offsets(name, abi)?[self.place(node, place)?].to_string());
            }
            text.push_str(&format!("\n    {member} ({})", at.join(" ")));
        }
        text.push_str(");\n");
        if let Some(number) = self.types.structure_type(name).and_then(|name| self.structure_types.get(name))
        {
            text.push_str(&format!("tagged!({rust} {number});\n"));
        }
        Ok(text)
    }

    /// Returns the C member at the start of a Rust member: each bit field is a C member.
    fn place(&self, node: Node<'a, 'a>, place: usize) -> Result<usize, Failure> {
        let mut members = 0usize;
        let mut bits = 32usize;
        for (of_c, member) in children(node, "member").filter(|node| of_this_api(*node)).enumerate() {
            let width = declared(member, &self.constants)?.bits;
            let continues = width.is_some_and(|width| bits + width <= 32);
            bits = width.map_or(32, |width| if continues { bits + width } else { width });
            if !continues {
                if members == place {
                    return Ok(of_c);
                }
                members += 1;
            }
        }
        Err("a structure without this member".into())
    }

    /// Names and types of members. Fields of bits that share a word are one member, with the names of all.
    fn members(&mut self, node: Node<'a, 'a>) -> Result<Vec<(String, String)>, Failure> {
        let mut members: Vec<(String, String)> = Vec::new();
        let mut bits = 32usize;
        for member in children(node, "member").filter(|node| of_this_api(*node)) {
            let declared = declared(member, &self.constants)?;
            if let Some(width) = declared.bits {
                bits += width;
                if let Some((name, _)) = members.last_mut().filter(|_| bits <= 32) {
                    name.push_str(&format!("_and_{}", declared.name.trim_start_matches("r#")));
                } else {
                    bits = width;
                    members.push((declared.name.clone(), "u32".to_owned()));
                }
                continue;
            }
            bits = 32;
            let element = self.element(&declared, "'static")?;
            members.push((declared.name.clone(), declared.member(&element)));
        }
        Ok(members)
    }

    fn sizes(&self, name: &str) -> Result<String, Failure> {
        let mut sizes = Vec::new();
        for abi in &ABIS {
            sizes.push(self.types.size(name, abi)?.to_string());
        }
        Ok(sizes.join(" "))
    }

    /// Returns the constants of an enumeration, or of the bits of a set.
    fn values(&self, name: &str, rust: &str) -> Result<String, Failure> {
        let mut values = Vec::new();
        for list in children(self.root, "enums").filter(|list| list.attribute("name") == Some(name)) {
            for value in children(list, "enum").filter(|value| of_this_api(*value)) {
                values.extend(constant(value, value.attribute("value").map(str::to_owned))?);
            }
        }
        let features = children(self.root, "feature").filter(|node| of_this_api(*node));
        let extensions =
            grandchildren(self.root, "extensions", "extension").filter(|node| is_supported(*node));
        for provider in features.chain(extensions) {
            for value in grandchildren(provider, "require", "enum").filter(|value| of_this_api(*value)) {
                if value.attribute("extends") == Some(name) && value.attribute("alias").is_none() {
                    let number = match value.attribute("bitpos") {
                        Some(_) => None,
                        None => Some(extension_value(provider, value)?.to_string()),
                    };
                    values.extend(constant(value, number)?);
                }
            }
        }
        values.sort();
        values.dedup();
        if values.is_empty() {
            return Ok(String::new());
        }
        Ok(format!("impl {rust} {{\n{}}}\n", values.concat()))
    }
}

/// Returns a constant with its number, or with the number of its bit.
fn constant(value: Node, number: Option<String>) -> Result<Option<String>, Failure> {
    let (Some(name), None) = (value.attribute("name"), value.attribute("alias")) else { return Ok(None) };
    let number = match value.attribute("bitpos") {
        Some(bit) => format!("1 << {bit}"),
        None => number.ok_or_else(|| format!("{name} has no number"))?,
    };
    let short = name.trim_start_matches("VK_");
    Ok(Some(format!("    pub const {short}: Self = Self({number});\n")))
}

fn number(doc: &str, rust: &str, of_type: &str) -> String {
    format!(
        "{doc}#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]\n#[repr(transparent)]\npub struct {rust}(pub {of_type});\n"
    )
}

fn listed(members: &[(String, String)]) -> String {
    members.iter().map(|(name, of_type)| format!("    pub {name}: {of_type},\n")).collect()
}

/// Flag sets also have the `ash` type of their bits.
fn rust_name(name: &str) -> String {
    name.strip_prefix("Vk").unwrap_or(name).replace("FlagBits", "Flags")
}
