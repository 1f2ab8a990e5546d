//! Parameters and members: from C to Rust.

use std::collections::BTreeMap;

use roxmltree::Node;

use crate::Failure;
use crate::r#gen::model::child_text;
use crate::r#gen::naming;

pub(in crate::r#gen) struct Declared<'a> {
    /// In Rust's spelling.
    pub(in crate::r#gen) name: String,
    /// In C, without pointers.
    pub(in crate::r#gen) of_type: &'a str,
    /// `*const` or `*mut`, the outermost first.
    pointers: Vec<&'static str>,
    /// The lengths of an array, the outermost first.
    lengths: Vec<String>,
    is_constant: bool,
    /// For a field of bits, their number.
    pub(super) bits: Option<usize>,
}

impl Declared<'_> {
    pub(in crate::r#gen) fn is_pointer(&self) -> bool {
        !self.pointers.is_empty()
    }

    /// Returns the type as a member or a result.
    pub(in crate::r#gen) fn member(&self, element: &str) -> String {
        let pointer = format!("{}{element}", self.pointers.concat());
        self.lengths.iter().rev().fold(pointer, |inner, length| format!("[{inner}; {length}]"))
    }

    /// Returns `*const` or `*mut` for a pointer to something that is no pointer.
    pub(in crate::r#gen) fn only_pointer(&self) -> Option<&'static str> {
        match *self.pointers {
            [pointer] if self.lengths.is_empty() => Some(pointer),
            _ => None,
        }
    }

    /// Returns the type as a parameter, for which an array is a pointer to one.
    pub(in crate::r#gen) fn parameter(&self, element: &str) -> String {
        let of_array = if self.is_constant { "*const " } else { "*mut " };
        let array = self.member(element);
        if self.lengths.is_empty() { array } else { format!("{of_array}{array}") }
    }
}

pub(super) fn declared<'a>(
    node: Node<'a, 'a>,
    constants: &BTreeMap<&str, &str>,
) -> Result<Declared<'a>, Failure> {
    let of_type = child_text(node, "type").ok_or("a declaration without type")?;
    let name = child_text(node, "name").ok_or("a declaration without name")?;
    let (mut before, mut between, mut behind) = (String::new(), String::new(), String::new());
    let mut part = &mut before;
    for child in node.children() {
        match child.tag_name().name() {
            "type" => part = &mut between,
            "name" => part = &mut behind,
            "comment" => {}
            _ => part.push_str(child.text().unwrap_or_default()),
        }
    }
    let mut is_constant = before.contains("const");
    let constant = is_constant;
    let mut pointers = Vec::new();
    let words = between.replace('*', " * ");
    for word in words.split_whitespace() {
        match word {
            "*" => {
                pointers.insert(0, if is_constant { "*const " } else { "*mut " });
                is_constant = false;
            }
            "const" => is_constant = true,
            other => return Err(format!("{name}: `{other}` in a declaration").into()),
        }
    }
    let lengths = behind
        .split('[')
        .skip(1)
        .map(|length| length.trim_end().trim_end_matches(']').trim())
        .map(|length| constants.get(length).copied().unwrap_or(length).trim_end_matches('U').to_owned())
        .collect();
    let bits = behind.split_once(':').map(|(_, bits)| bits.trim().parse()).transpose()?;
    let name = rust_name(name);
    Ok(Declared { name, of_type, pointers, lengths, is_constant: constant, bits })
}

/// Converts `sType` to `s_type`.
fn rust_name(name: &str) -> String {
    let name = naming::command(name).to_lowercase();
    if ["type", "final", "ref", "virtual"].contains(&name.as_str()) { format!("r#{name}") } else { name }
}
