//! Checks JSON against a JSON Schema: only the words of draft 2020-12 that schemas of this project use. Any other word is a failed
//! test, so none is ignored.
//!
//! The crates for this bring some forty others, for identifiers in other alphabets and fetching over a network.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

/// A schema in a file.
pub(crate) struct Schema {
    /// The whole schema.
    pub(crate) root: Value,
    path: PathBuf,
}

impl Schema {
    /// Reads it from a file of the repository, by its path there.
    pub(crate) fn read(path: &str) -> Self {
        Self::at(Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").join(path))
    }

    fn at(path: PathBuf) -> Self {
        let text = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let root =
            serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self { root, path }
    }

    /// Returns the problem of the value, and its position.
    pub(crate) fn problem(&self, value: &Value) -> Option<String> {
        self.against(&self.root, value, "")
    }

    /// Checks a value, at `pointer` of the whole, against this part of the schema.
    fn against(&self, schema: &Value, value: &Value, pointer: &str) -> Option<String> {
        let schema = schema.as_object().expect("a schema");
        schema.iter().find_map(|(word, says)| match word.as_str() {
            "$schema" | "title" | "description" | "$defs" | "then" => None,
            "$ref" => self.refer(says.as_str().expect("a reference"), value, pointer),
            "oneOf" => self.one_of(says, value, pointer),
            "if" if self.against(says, value, pointer).is_none() => {
                self.against(&schema["then"], value, pointer)
            }
            "if" => None,
            "additionalProperties" if says.is_object() => {
                members(value).find_map(|(key, value)| self.against(says, value, &format!("{pointer}/{key}")))
            }
            "properties" => members(value)
                .find_map(|(key, value)| self.against(says.get(key)?, value, &format!("{pointer}/{key}"))),
            "items" => value
                .as_array()
                .into_iter()
                .flatten()
                .enumerate()
                .find_map(|(number, item)| self.against(says, item, &format!("{pointer}/{number}"))),
            _ => {
                (!is_content(word, says, schema, value)).then(|| format!("{pointer}: {word} {says}: {value}"))
            }
        })
    }

    /// Follows a reference to a part of this file (`#/…`), to another file in the folder, or to a part of one (`FILE#/…`).
    fn refer(&self, reference: &str, value: &Value, pointer: &str) -> Option<String> {
        let (file, inside) = reference.split_once('#').unwrap_or((reference, ""));
        let at = |schema: &Self| schema.against(schema.root.pointer(inside).expect("a part"), value, pointer);
        if file.is_empty() { at(self) } else { at(&Self::at(self.path.with_file_name(file))) }
    }

    fn one_of(&self, says: &Value, value: &Value, pointer: &str) -> Option<String> {
        let all = says.as_array().expect("schemas").iter();
        let problems: Vec<_> = all.map(|schema| self.against(schema, value, pointer)).collect();
        match problems.iter().filter(|problem| problem.is_none()).count() {
            1 => None,
            0 => Some(problems.into_iter().flatten().collect::<Vec<_>>().join("; or ")),
            many => Some(format!("{pointer}: fits {many} of oneOf: {value}")),
        }
    }
}

/// Returns whether a word that looks at the value alone, and at no other schema, is content with it.
fn is_content(word: &str, says: &Value, schema: &Map<String, Value>, value: &Value) -> bool {
    let number = || says.as_u64().expect("a number");
    let count = |length: Option<usize>| length.map(|length| length as u64);
    let text = value.as_str();
    match word {
        "type" if says.is_array() => says.as_array().into_iter().flatten().any(|name| has_type(name, value)),
        "type" => has_type(says, value),
        "const" => value == says,
        "enum" => says.as_array().expect("values").contains(value),
        "required" => {
            let keys = says.as_array().expect("keys").iter().map(|key| key.as_str().expect("a key"));
            value.as_object().is_none_or(|object| keys.into_iter().all(|key| object.contains_key(key)))
        }
        "dependentRequired" => members(says).all(|(key, needs)| {
            let mut needs = needs.as_array().expect("keys").iter().map(|key| key.as_str().expect("a key"));
            value.get(key).is_none() || needs.all(|needed| value.get(needed).is_some())
        }),
        "additionalProperties" => {
            assert_eq!(says, &json!(false));
            members(value).all(|(key, _)| schema.get("properties").is_some_and(|all| all.get(key).is_some()))
        }
        "minItems" => count(value.as_array().map(Vec::len)).is_none_or(|length| length >= number()),
        "maxItems" => count(value.as_array().map(Vec::len)).is_none_or(|length| length <= number()),
        "minLength" => count(text.map(|text| text.chars().count())).is_none_or(|length| length >= number()),
        "minimum" => value.as_i64().is_none_or(|value| Some(value) >= says.as_i64()),
        "maximum" => value.as_i64().is_none_or(|value| Some(value) <= says.as_i64()),
        "pattern" => {
            let pattern = regex_lite::Regex::new(says.as_str().expect("a pattern")).expect("a valid pattern");
            text.is_none_or(|text| pattern.is_match(text))
        }
        other => panic!("the schema uses {other}, which this test does not know"),
    }
}

fn has_type(name: &Value, value: &Value) -> bool {
    match name.as_str().expect("a type") {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "null" => value.is_null(),
        other => panic!("{other}"),
    }
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}
