//! The types of commands that `ash` does not have, and the structures, enumerations and handles that these need.
//!
//! A name of a command that is an alias has the type of any name of the same command that `ash` has.

mod ash;
#[cfg(all(test, target_arch = "x86_64"))]
mod c_tests;
mod declaration;

use std::collections::{BTreeMap, BTreeSet};

use roxmltree::Node;

use super::definitions::Definitions;
use super::enumerations::Value;
use super::generated::{Generated, three, wrapped};
use super::model::{child_text, children, of_this_api};
use super::order::Numbered;
use crate::Failure;
use ash::Ash;
use declaration::{Declared, declared};

pub(super) fn files<'a>(
    definitions: &'a Definitions<'a>,
    registry: &Numbered,
) -> Result<Vec<Generated>, Failure> {
    let mut writer = Writer::new(definitions)?;
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
    let about = "Types of commands that `ash` has not, or not by this name.";
    let mut files = vec![file("pointers", about, &pointers.concat())];
    let mut rows = BTreeMap::<&str, String>::new();
    for (kind, row) in writer.items()? {
        *rows.entry(kind).or_default() += &row;
    }
    let about = "What the types of commands need that `ash` has not.";
    files.extend(rows.iter().map(|(kind, rows)| file(kind, about, rows)));
    Ok(files)
}

fn file(kind: &str, about: &str, rows: &str) -> Generated {
    let content = format!("#[allow(unused_imports)]\nuse super::needed::*;\n\n{kind}! {{\n{rows}}}\n");
    Generated::rust(format!("registry/src/types/{kind}_1_gen.rs"), about, &content)
}

pub(super) struct Writer<'a> {
    ash: Ash,
    pub(super) definitions: &'a Definitions<'a>,
    wanted: BTreeSet<&'a str>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(definitions: &'a Definitions<'a>) -> Result<Self, Failure> {
        Ok(Self { ash: Ash::read()?, definitions, wanted: BTreeSet::new() })
    }

    pub(super) fn declared(&self, node: Node<'a, 'a>) -> Result<Declared<'a>, Failure> {
        declared(node, &self.definitions.constants)
    }

    /// Returns the type of a command that `ash` has not by this name.
    fn pointer(&mut self, name: &str, first: &str, names: &[&str]) -> Result<String, Failure> {
        if let Some(known) = names.iter().find(|name| self.ash.has(&format!("PFN_{name}"))) {
            return Ok(wrapped(&[format!("PFN_{name} = vk::PFN_{known}")]));
        }
        if name != first && names.contains(&first) {
            return Ok(wrapped(&[format!("PFN_{name} = super::PFN_{first}")]));
        }
        let node = *self.definitions.commands.get(first).ok_or_else(|| format!("{first} is not declared"))?;
        let mut words = vec![format!("PFN_{name}")];
        words.extend(self.function(node)?);
        Ok(wrapped(&words))
    }

    /// `( name: Type, name: Type, ) -> Type`
    fn function(&mut self, node: Node<'a, 'a>) -> Result<Vec<String>, Failure> {
        let proto = children(node, "proto").next().ok_or("a command without prototype")?;
        let mut words = vec!["(".to_owned()];
        for parameter in children(node, "param").filter(|node| of_this_api(*node)) {
            let declared = declared(parameter, &self.definitions.constants)?;
            let element = self.element(&declared, "'_")?;
            words.push(format!("{}: {},", declared.name, declared.parameter(&element)));
        }
        let result = declared(proto, &self.definitions.constants)?;
        words.push(match self.element(&result, "'_")? {
            nothing if nothing == "c_void" && !result.is_pointer() => ")".to_owned(),
            element => format!(") -> {}", result.member(&element)),
        });
        Ok(words)
    }

    /// Returns the declared type, without pointers and arrays.
    pub(super) fn element(&mut self, declared: &Declared<'a>, lifetime: &str) -> Result<String, Failure> {
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
        let first = self.definitions.first(name);
        let others = self.definitions.aliases.get(first).into_iter().flatten().copied();
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
        let set = self.definitions.types.get_key_value(set.as_str()).map(|(name, _)| *name);
        let first = self.definitions.types.get_key_value(first).map(|(name, _)| *name);
        let wanted = set.or(first).ok_or_else(|| format!("{name} is not declared"))?;
        self.wanted.insert(wanted);
        Ok(format!("super::{}", rust_name(wanted)))
    }

    /// Returns everything that is needed, and what that needs: rows, each for the macro of its kind.
    fn items(&mut self) -> Result<Vec<(&'static str, String)>, Failure> {
        let mut items = BTreeMap::new();
        while let Some(name) = self.wanted.iter().find(|name| !items.contains_key(*name)).copied() {
            let (kind, words) = self.item(name)?;
            items.insert(name, (kind, wrapped(&words)));
        }
        Ok(items.into_values().collect())
    }

    fn item(&mut self, name: &'a str) -> Result<(&'static str, Vec<String>), Failure> {
        let node = self.definitions.types[name];
        let rust = rust_name(name);
        Ok(match node.attribute("category") {
            Some("struct") => ("structures", self.structure(name, &rust, node)?),
            Some("union") => {
                let mut words = vec![format!("{rust} ({}) {{", self.sizes(name)?)];
                words.extend(self.members(node)?.iter().map(|(name, of_type)| format!("{name}: {of_type},")));
                words.push("}".to_owned());
                ("unions", words)
            }
            Some("handle") if child_text(node, "type") == Some("VK_DEFINE_HANDLE") => ("handles", vec![rust]),
            Some("handle") => ("numbers", number(&rust, "u64", Vec::new())),
            Some("enum") => ("numbers", number(&rust, "i32", self.values(name))),
            Some("bitmask") => {
                let of_type = if self.definitions.layouts.sizes(name)?[0] == 8 { "u64" } else { "u32" };
                ("numbers", number(&rust, of_type, self.values(&name.replace("Flags", "FlagBits"))))
            }
            other => return Err(format!("{name}: no type of Rust for {other:?}").into()),
        })
    }

    /// `Name tagged 1000318015 const (48 40 36) { member: Type [16 8 8], }`: `sType` and `pNext` are not among the members.
    fn structure(&mut self, name: &str, rust: &str, node: Node<'a, 'a>) -> Result<Vec<String>, Failure> {
        let members = self.members(node)?;
        let tag = self.definitions.number_of(name);
        let mut words = vec![rust.to_owned()];
        if let Some(number) = tag {
            let of_chain = if members[1].1.starts_with("*const") { "const" } else { "mut" };
            words.push(format!("tagged {number} {of_chain}"));
        }
        words.push(format!("({}) {{", self.sizes(name)?));
        let header = if tag.is_some() { 2 } else { 0 };
        let offsets = self.definitions.layouts.offsets(name)?;
        for (index, (member, of_type)) in members.iter().enumerate().skip(header) {
            let at = three(&offsets[self.c_member(node, index)?]);
            words.push(format!("{member}: {of_type} [{at}],"));
        }
        words.push("}".to_owned());
        Ok(words)
    }

    /// Returns the C member at the start of a Rust member: each bit field is a C member.
    fn c_member(&self, node: Node<'a, 'a>, index: usize) -> Result<usize, Failure> {
        let mut members = 0usize;
        let mut bits = 32usize;
        for (of_c, member) in children(node, "member").filter(|node| of_this_api(*node)).enumerate() {
            let width = declared(member, &self.definitions.constants)?.bits;
            let continues = width.is_some_and(|width| bits + width <= 32);
            bits = width.map_or(32, |width| if continues { bits + width } else { width });
            if !continues {
                if members == index {
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
            let declared = declared(member, &self.definitions.constants)?;
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
        Ok(three(&self.definitions.layouts.sizes(name)?))
    }

    /// Returns a sorted line for each constant of an enumeration, or for each bit of a set.
    fn values(&self, name: &str) -> Vec<String> {
        let values = self.definitions.enumerations.values(name).iter().filter(|value| !value.is_alias);
        let constant = |value: &Value| {
            let short = value.name.trim_start_matches("VK_");
            match value.is_bit {
                true => format!("{short} = 1 << {},", value.number.trailing_zeros()),
                false => format!("{short} = {},", value.number),
            }
        };
        let mut values: Vec<String> = values.map(constant).collect();
        values.sort();
        values
    }
}

/// `Name(u32) { CONSTANT = 1 << 3, }`
fn number(rust: &str, of_type: &str, values: Vec<String>) -> Vec<String> {
    let mut words = vec![format!("{rust}({of_type}) {{")];
    words.extend(values);
    words.push("}".to_owned());
    words
}

/// Flag sets also have the `ash` type of their bits.
fn rust_name(name: &str) -> String {
    name.strip_prefix("Vk").unwrap_or(name).replace("FlagBits", "Flags")
}
