//! The registry's types, constants and enumerations, by name, and the structures that extend others.

use std::collections::{BTreeMap, BTreeSet};

use roxmltree::Node;

use super::enumerations::Enumerations;
use super::layout::Types;
use super::model::{
    child_text, children, declared_commands, grandchildren, minor, of_this_api, providers, required,
};
use super::naming;
use super::order::Numbered;
use crate::Failure;

pub(super) struct Definitions<'a> {
    /// The types by their first names.
    pub(super) types: BTreeMap<&'a str, Node<'a, 'a>>,
    /// The other names of each type.
    pub(super) aliases: BTreeMap<&'a str, Vec<&'a str>>,
    firsts: BTreeMap<&'a str, &'a str>,
    pub(super) constants: BTreeMap<&'a str, &'a str>,
    pub(super) enumerations: Enumerations<'a>,
    pub(super) layouts: Types<'a>,
    /// The commands that are declared in full.
    pub(super) commands: BTreeMap<&'a str, Node<'a, 'a>>,
    extending: BTreeMap<&'a str, Vec<&'a str>>,
    /// The first minor version with each type, and the extensions with it.
    core: BTreeMap<&'a str, u8>,
    extensions: BTreeMap<&'a str, BTreeSet<&'a str>>,
}

/// A structure with the versions and extensions that provide it, and its members except `sType` and `pNext`.
pub(super) struct Structure<'a> {
    pub(super) name: &'a str,
    pub(super) s_type: i32,
    core: Option<u8>,
    extensions: BTreeSet<&'a str>,
    pub(super) members: Vec<(&'a str, Node<'a, 'a>)>,
}

impl<'a> Definitions<'a> {
    pub(super) fn read(root: Node<'a, 'a>) -> Result<Self, Failure> {
        let (mut types, mut aliases) = (BTreeMap::new(), BTreeMap::<_, Vec<_>>::new());
        let (mut firsts, mut extending) = (BTreeMap::new(), BTreeMap::<_, Vec<_>>::new());
        for node in grandchildren(root, "types", "type").filter(|node| of_this_api(*node)) {
            let proto = children(node, "proto").next().unwrap_or(node);
            let Some(name) = node.attribute("name").or_else(|| child_text(proto, "name")) else { continue };
            match node.attribute("alias") {
                Some(first) => {
                    aliases.entry(first).or_default().push(name);
                    firsts.insert(name, first);
                }
                None => _ = types.insert(name, node),
            }
            for extended in node.attribute("structextends").into_iter().flat_map(|list| list.split(',')) {
                extending.entry(extended).or_default().push(name);
            }
        }
        let (mut core, mut extensions) = (BTreeMap::new(), BTreeMap::<_, BTreeSet<_>>::new());
        for provider in providers(root) {
            let blocks = children(provider, "require").filter(|block| of_this_api(*block));
            for name in blocks.flat_map(|it| children(it, "type")).filter_map(|it| it.attribute("name")) {
                if provider.has_tag_name("extension") {
                    extensions.entry(name).or_default().insert(required(provider, "name")?);
                } else {
                    let (minor, known) = (minor(provider)?, core.entry(name).or_insert(u8::MAX));
                    *known = minor.min(*known);
                }
            }
        }
        let lists = children(root, "enums").filter(|list| list.attribute("type") == Some("constants"));
        let values = lists.flat_map(|list| children(list, "enum"));
        let constants =
            values.filter_map(|value| Some((value.attribute("name")?, value.attribute("value")?))).collect();
        let (enumerations, commands) = (Enumerations::read(root)?, declared_commands(root));
        let layouts = Types::read(root)?;
        Ok(Self {
            types,
            aliases,
            firsts,
            constants,
            enumerations,
            layouts,
            commands,
            extending,
            core,
            extensions,
        })
    }

    /// Returns the type's name at its declaration.
    pub(super) fn first<'b>(&self, name: &'b str) -> &'b str
    where
        'a: 'b,
    {
        self.firsts.get(name).copied().unwrap_or(name)
    }

    pub(super) fn extending(&self, name: &str) -> &[&'a str] {
        self.extending.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the structures that extend another one and that a core version or a supported extension has, by their numbers.
    pub(super) fn chained(&self, to: &str) -> Result<Vec<Structure<'a>>, Failure> {
        let extending = self.extending(to).iter().filter(|name| self.types.contains_key(*name));
        let mut found = extending.map(|name| self.structure(name)).collect::<Result<Vec<_>, Failure>>()?;
        found.retain(|structure| structure.core.is_some() || !structure.extensions.is_empty());
        found.sort_by_key(|structure| structure.s_type);
        Ok(found)
    }

    /// Returns the number of a structure's `sType`, if it has one in this API.
    pub(super) fn number_of(&self, name: &str) -> Option<i32> {
        self.enumerations.number("VkStructureType", self.layouts.structure_type(name)?)
    }

    pub(super) fn structure(&self, name: &str) -> Result<Structure<'a>, Failure> {
        let (name, node) = self.types.get_key_value(name).ok_or_else(|| format!("no structure {name}"))?;
        let names = || self.aliases.get(name).into_iter().flatten().chain([name]);
        let mut structure = Structure {
            name,
            s_type: 0,
            core: names().filter_map(|name| self.core.get(name).copied()).min(),
            extensions: names().filter_map(|name| self.extensions.get(name)).flatten().copied().collect(),
            members: Vec::new(),
        };
        for member in children(*node, "member").filter(|node| of_this_api(*node)) {
            match child_text(member, "name").ok_or_else(|| format!("{name}: a member without name"))? {
                "sType" => structure.s_type = self.number_of(name).unwrap_or_default(),
                "pNext" => {}
                own => structure.members.push((own, member)),
            }
        }
        Ok(structure)
    }
}

impl Structure<'_> {
    /// Returns the first words of its row: `56 "VkName" core 4 by KHR_NAME has`, with `more` before `has`.
    pub(super) fn words(&self, registry: &Numbered, more: Option<String>) -> Vec<String> {
        let mut words = vec![format!("{} \"{}\"", self.s_type, self.name)];
        words.extend(self.core.map(|minor| format!("core {minor}")));
        let known = self.extensions.iter().filter(|name| registry.registry.extension(name).is_some());
        words.extend(known.map(|name| format!("by {}", naming::extension(name))));
        words.extend(more);
        words.push("has".to_owned());
        words
    }
}
