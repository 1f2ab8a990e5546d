//! The parameters and results of commands, as the processor passes them.

use std::collections::BTreeMap;

use roxmltree::Node;

use super::model::{child_text, children, declaration, declared_commands, of_this_api};
use super::recorded::{Reader, letter};
use crate::Failure;

/// Handles with a dispatch table.
const OBJECTS: [&str; 6] =
    ["VkInstance", "VkPhysicalDevice", "VkDevice", "VkQueue", "VkCommandBuffer", "VkExternalComputeQueueNV"];

/// Types of window systems, which the registry does not define.
const OF_WINDOW_SYSTEMS: [(&str, &str); 3] =
    [("VisualID", "usize"), ("RROutput", "usize"), ("xcb_visualid_t", "u32")];

pub(super) struct Signatures<'a> {
    reader: Reader<'a>,
    declared: BTreeMap<&'a str, Node<'a, 'a>>,
}

impl<'a> Signatures<'a> {
    pub(super) fn read(root: Node<'a, 'a>) -> Result<Self, Failure> {
        Ok(Self { reader: Reader::new(root)?, declared: declared_commands(root) })
    }

    /// `( a Pointer, b u32, ) i32`
    pub(super) fn of(&self, name: &str) -> Result<Vec<String>, Failure> {
        let node = *self.declared.get(name).ok_or_else(|| format!("{name} is not declared"))?;
        let mut words = vec!["(".to_owned()];
        for (index, parameter) in children(node, "param").filter(|node| of_this_api(*node)).enumerate() {
            words.push(format!("{} {},", letter(index), self.passed(parameter)?));
        }
        let proto = children(node, "proto").next().ok_or("a command without prototype")?;
        let is_void = child_text(proto, "type") == Some("void") && !declaration(proto).contains('*');
        words.push(format!(") {}", if is_void { "Nothing" } else { self.passed(proto)? }));
        Ok(words)
    }

    /// Returns the type that the processor passes for a parameter or a result. A handle with a dispatch table is a pointer.
    fn passed(&self, node: Node<'a, 'a>) -> Result<&'static str, Failure> {
        let of_type = child_text(node, "type").ok_or("a parameter without type")?;
        let text = declaration(node);
        if text.contains('*') || text.contains('[') || OBJECTS.contains(&of_type) {
            return Ok("Pointer");
        }
        match OF_WINDOW_SYSTEMS.iter().find(|(name, _)| *name == of_type) {
            Some((_, class)) => Ok(class),
            None => self.reader.class(of_type),
        }
    }
}
