//! The `depends` expressions of the registry: names joined by `+` (all) and `,` (any), with parentheses.

use std::collections::BTreeSet;

use crate::Failure;
use crate::r#gen::naming;

/// What must be there besides an extension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    /// Version 1.x of Vulkan, or newer.
    Core(u8),
    /// The extension of this name is enabled.
    Extension(String),
    All(Vec<Condition>),
    Any(Vec<Condition>),
}

impl Condition {
    /// Reads an expression, operators from left to right. `a,b+c` is an error: readers of the registry disagree on
    /// which of the two operators binds closer, and it makes a difference only in this order.
    pub(super) fn parse(text: &str) -> Result<Self, Failure> {
        let mut rest = text;
        let condition = expression(&mut rest).map_err(|error| format!("depends=\"{text}\": {error}"))?;
        if rest.is_empty() {
            Ok(condition)
        } else {
            Err(format!("depends=\"{text}\": `{rest}` is left over").into())
        }
    }

    /// The condition as an expression of the tables; an extension that is not in `known` can never be enabled.
    pub(super) fn rust(&self, known: &BTreeSet<&str>) -> String {
        match self {
            Self::Core(minor) => format!("Core({minor})"),
            Self::Extension(name) if !known.contains(name.as_str()) => "Any(&[])".to_owned(),
            Self::Extension(name) => format!("Has({})", naming::extension(name)),
            Self::All(parts) => format!("All(&[{}])", list(parts, known)),
            Self::Any(parts) => format!("Any(&[{}])", list(parts, known)),
        }
    }
}

fn list(parts: &[Condition], known: &BTreeSet<&str>) -> String {
    let parts: Vec<String> = parts.iter().map(|part| part.rust(known)).collect();
    parts.join(", ")
}

fn expression(rest: &mut &str) -> Result<Condition, String> {
    let mut left = term(rest)?;
    let mut before = None;
    while let Some(operator) = rest.chars().next().filter(|next| matches!(next, '+' | ',')) {
        *rest = &rest[1..];
        let right = term(rest)?;
        left = match (before, operator, left) {
            (Some(','), '+', _) => return Err("`,` before `+` without parentheses".to_owned()),
            (Some('+'), '+', Condition::All(parts)) => Condition::All(extended(parts, right)),
            (Some(','), ',', Condition::Any(parts)) => Condition::Any(extended(parts, right)),
            (_, '+', left) => Condition::All(vec![left, right]),
            (_, _, left) => Condition::Any(vec![left, right]),
        };
        before = Some(operator);
    }
    Ok(left)
}

fn extended(mut parts: Vec<Condition>, last: Condition) -> Vec<Condition> {
    parts.push(last);
    parts
}

fn term(rest: &mut &str) -> Result<Condition, String> {
    if let Some(inner) = rest.strip_prefix('(') {
        *rest = inner;
        let condition = expression(rest)?;
        *rest = rest.strip_prefix(')').ok_or("a parenthesis is not closed")?;
        return Ok(condition);
    }
    let end = rest.find(['+', ',', '(', ')']).unwrap_or(rest.len());
    let (name, after) = rest.split_at(end);
    *rest = after;
    if let Some(minor) = name.strip_prefix("VK_VERSION_1_") {
        return minor.parse().map(Condition::Core).map_err(|_| format!("`{name}` is no version"));
    }
    if name.starts_with("VK_") && !name.contains(':') && !name.contains("_VERSION_1_") {
        return Ok(Condition::Extension(name.to_owned()));
    }
    Err(format!("`{name}` is neither a version nor an extension"))
}

#[cfg(test)]
mod tests {
    use super::Condition::{self, All, Any, Core};

    fn has(name: &str) -> Condition {
        Condition::Extension(name.to_owned())
    }

    #[test]
    fn nested_expression() {
        let read = Condition::parse("(VK_KHR_a+VK_VERSION_1_1),VK_VERSION_1_3").unwrap();
        assert_eq!(read, Any(vec![All(vec![has("VK_KHR_a"), Core(1)]), Core(3)]));
    }

    #[test]
    fn all_before_any() {
        let read = Condition::parse("VK_KHR_a+VK_KHR_b,VK_KHR_c,VK_KHR_d").unwrap();
        assert_eq!(
            read,
            Any(vec![All(vec![has("VK_KHR_a"), has("VK_KHR_b")]), has("VK_KHR_c"), has("VK_KHR_d")])
        );
    }

    #[test]
    fn what_is_not_understood_is_an_error() {
        for text in
            ["", "VK_KHR_a,VK_KHR_b+VK_KHR_c", "(VK_KHR_a", "VK_KHR_a)", "VkFeatures::x", "VKSC_VERSION_1_0"]
        {
            assert!(Condition::parse(text).is_err(), "{text}");
        }
    }
}
