//! The parameters and results of commands, with the types of `registry::types` and of `registry::parameter`.

use std::collections::BTreeMap;

use roxmltree::Node;

use super::definitions::Definitions;
use super::model::{child_text, children, of_this_api};
use super::types::Writer;
use crate::Failure;

pub(super) struct Signatures<'a>(Writer<'a>);

impl<'a> Signatures<'a> {
    pub(super) fn read(definitions: &'a Definitions<'a>) -> Result<Self, Failure> {
        Ok(Self(Writer::new(definitions)?))
    }

    /// `( device: vk::Device, count: u32, writes: Array<'a, vk::X<'a>> [count], ) -> vk::Result,`
    pub(super) fn of(&mut self, name: &str) -> Result<Vec<String>, Failure> {
        let node = *self.0.definitions.commands.get(name).ok_or_else(|| format!("{name} is not declared"))?;
        let nodes: Vec<_> = children(node, "param").filter(|node| of_this_api(*node)).collect();
        let mut counts = BTreeMap::new();
        for node in &nodes {
            let declared = self.0.declared(*node)?;
            if !declared.is_pointer() {
                counts.insert(child_text(*node, "name").unwrap_or_default(), short(&declared.name));
            }
        }
        let mut words = vec!["(".to_owned()];
        for node in nodes {
            words.push(format!("{},", self.parameter(node, &counts)?));
        }
        let result = self.0.declared(children(node, "proto").next().ok_or("a command without prototype")?)?;
        let element = self.0.element(&result, "'a")?.replace("super::", "vk::");
        words.push(match element.as_str() {
            "c_void" if !result.is_pointer() => ") -> (),".to_owned(),
            _ => format!(") -> {},", result.member(&element)),
        });
        Ok(words)
    }

    fn parameter(&mut self, node: Node<'a, 'a>, counts: &BTreeMap<&str, String>) -> Result<String, Failure> {
        let declared = self.0.declared(node)?;
        let element = self.0.element(&declared, "'a")?.replace("super::", "vk::");
        let name = short(&declared.name);
        let is_optional = node.attribute("optional").is_some_and(|optional| optional.starts_with("true"));
        // What the registry does not define can only be passed on.
        let is_opaque = element == "c_void" || !is_defined(declared.of_type);
        let of_type = match (declared.only_pointer(), node.attribute("len")) {
            (Some(_), _) if is_opaque => declared.parameter(&element),
            (Some("*const "), Some(count)) => match counts.get(count) {
                Some(count) => format!("Array<'a, {element}> [{count}]"),
                None => declared.parameter(&element),
            },
            (Some("*const "), None) if is_optional => format!("InOptional<'a, {element}>"),
            (Some("*const "), None) => format!("In<'a, {element}>"),
            (Some("*mut "), None) if !is_optional => format!("Out<'a, {element}>"),
            _ => declared.parameter(&element),
        };
        Ok(format!("{name}: {of_type}"))
    }
}

fn is_defined(of_type: &str) -> bool {
    of_type.starts_with("Vk")
        || of_type.ends_with("_t") && !of_type.contains("xcb")
        || ["float", "double", "int"].contains(&of_type)
}

/// Returns a parameter's name without its prefix for pointers.
fn short(name: &str) -> String {
    let short = name.trim_start_matches("pp_").trim_start_matches("p_");
    if ["type", "final", "ref", "virtual", "fn"].contains(&short) {
        format!("r#{short}")
    } else {
        short.to_owned()
    }
}
