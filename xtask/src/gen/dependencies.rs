//! The extensions' dependencies, for the null driver: each extension's alternatives, one of which is enough.

use std::collections::BTreeSet;

use roxmltree::Node;

use super::generated::{Generated, wrapped};
use super::model::{grandchildren, is_supported, required};
use super::naming;
use super::order::Numbered;
use crate::Failure;

const FILE: &str = "driver-runtime/null-driver/src/extensions/needs_gen.rs";

/// A version and extensions that are enough together.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Alternative {
    minor: u8,
    extensions: BTreeSet<String>,
}

impl Alternative {
    fn and(&self, other: &Self) -> Self {
        let extensions = self.extensions.union(&other.extensions).cloned().collect();
        Self { minor: self.minor.max(other.minor), extensions }
    }

    fn is_in(&self, other: &Self) -> bool {
        self.minor <= other.minor && self.extensions.is_subset(&other.extensions)
    }
}

pub(super) fn file(root: Node, registry: &Numbered) -> Result<Generated, Failure> {
    let mut rows = Vec::new();
    for node in grandchildren(root, "extensions", "extension").filter(|node| is_supported(*node)) {
        let name = required(node, "name")?;
        let mut words = vec![naming::extension(name)];
        if node.attribute("provisional") == Some("true") {
            words.push("provisional".to_owned());
        }
        for alternative in alternatives(node.attribute("depends").unwrap_or_default())? {
            if alternative.extensions.iter().any(|name| registry.registry.extension(name).is_none()) {
                continue;
            }
            let names = alternative.extensions.iter().map(|name| format!(" {}", naming::extension(name)));
            words.push(format!("[{}{}]", alternative.minor, names.collect::<String>()));
        }
        if words.len() > 1 {
            rows.push(wrapped(&words));
        }
    }
    let about = "What extensions need: one of the alternatives, each a minor version of Vulkan 1 and other extensions.";
    Ok(Generated::rows(FILE, about, "super::rows::needs", &rows))
}

/// Reads `A+(B,C)`: `+` is and, `,` is or; both associate to the left, as in the registry.
fn alternatives(text: &str) -> Result<Vec<Alternative>, Failure> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let mut rest = text;
    let found = expression(&mut rest)?;
    if !rest.is_empty() {
        return Err(format!("`{rest}` is left of `{text}`").into());
    }
    let least = |one: &&Alternative| !found.iter().any(|other| other != *one && other.is_in(one));
    Ok(found.iter().filter(least).cloned().collect())
}

fn expression(rest: &mut &str) -> Result<Vec<Alternative>, Failure> {
    let mut found = operand(rest)?;
    loop {
        if let Some(behind) = rest.strip_prefix('+') {
            *rest = behind;
            let others = operand(rest)?;
            found = found.iter().flat_map(|one| others.iter().map(|other| one.and(other))).collect();
        } else if let Some(behind) = rest.strip_prefix(',') {
            *rest = behind;
            found.extend(operand(rest)?);
        } else {
            return Ok(found);
        }
    }
}

fn operand(rest: &mut &str) -> Result<Vec<Alternative>, Failure> {
    if let Some(behind) = rest.strip_prefix('(') {
        *rest = behind;
        let found = expression(rest)?;
        *rest = rest.strip_prefix(')').ok_or("a parenthesis is not closed")?;
        return Ok(found);
    }
    let (name, behind) = rest.split_at(rest.find(['+', ',', ')']).unwrap_or(rest.len()));
    *rest = behind;
    let mut one = Alternative::default();
    match name.strip_prefix("VK_VERSION_1_") {
        Some(minor) => one.minor = minor.parse()?,
        None => one.extensions.extend([name.to_owned()]),
    }
    Ok(vec![one])
}

#[cfg(test)]
mod tests {
    use super::alternatives;

    fn shown(text: &str) -> Vec<String> {
        let shown = |one: &super::Alternative| {
            let names: Vec<&str> = one.extensions.iter().map(String::as_str).collect();
            format!("{} {}", one.minor, names.join(" "))
        };
        alternatives(text).unwrap().iter().map(shown).collect()
    }

    #[test]
    fn an_expression_is_a_list_of_alternatives() {
        assert_eq!(shown(""), [""; 0]);
        assert_eq!(shown("VK_A+VK_B"), ["0 VK_A VK_B"]);
        assert_eq!(shown("(VK_VERSION_1_1+VK_A),VK_VERSION_1_3"), ["1 VK_A", "3 "]);
        assert_eq!(shown("VK_A+(VK_B,VK_VERSION_1_3)"), ["0 VK_A VK_B", "3 VK_A"]);
        // Leave out an alternative that needs more than another one.
        assert_eq!(shown("VK_A,(VK_A+VK_B)"), ["0 VK_A"]);
        assert!(alternatives("(VK_A").is_err() && alternatives("VK_A)").is_err());
    }
}
