//! Enumerations of the registry with their names and values, as far as the tables of `driver-runtime` need them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use roxmltree::Node;

use super::generated::{Generated, header};
use super::model::{children, grandchildren, is_supported, of_this_api, required};
use super::naming;
use crate::Failure;

/// Values in one generated file.
const FILE_LENGTH: usize = 420;

/// Every enumeration, with the names of its values in the registry's order.
pub(super) struct Enumerations<'a>(BTreeMap<&'a str, Vec<(&'a str, i64)>>);

impl<'a> Enumerations<'a> {
    pub(super) fn read(root: Node<'a, 'a>) -> Result<Self, Failure> {
        let mut all = Self(BTreeMap::new());
        for list in children(root, "enums").filter(|list| list.attribute("type") != Some("constants")) {
            let name = required(list, "name")?;
            all.0.entry(name).or_default();
            for value in children(list, "enum").filter(|value| of_this_api(*value)) {
                all.add(name, value, None)?;
            }
        }
        let features = children(root, "feature").filter(|node| of_this_api(*node));
        let extensions = grandchildren(root, "extensions", "extension").filter(|node| is_supported(*node));
        for owner in features.chain(extensions) {
            for block in children(owner, "require").filter(|block| of_this_api(*block)) {
                for value in children(block, "enum").filter(|value| of_this_api(*value)) {
                    if let Some(extended) = value.attribute("extends") {
                        all.add(extended, value, owner.attribute("number"))?;
                    }
                }
            }
        }
        Ok(all)
    }

    fn add(&mut self, to: &'a str, value: Node<'a, 'a>, owner: Option<&str>) -> Result<(), Failure> {
        let name = required(value, "name")?;
        let list = self.0.entry(to).or_default();
        if list.iter().any(|(known, _)| *known == name) {
            return Ok(());
        }
        let number = if let Some(number) = value.attribute("value") {
            match number.strip_prefix("0x") {
                Some(digits) => i64::from_str_radix(digits, 16)?,
                None => number.parse()?,
            }
        } else if let Some(bit) = value.attribute("bitpos") {
            1 << bit.parse::<u32>()?
        } else if let Some(of) = value.attribute("alias") {
            // An alias may precede its target; such aliases are few and no table needs them.
            let Some((_, number)) = list.iter().find(|(known, _)| *known == of) else { return Ok(()) };
            *number
        } else {
            let number: i64 =
                value.attribute("extnumber").or(owner).ok_or("a value without extension")?.parse()?;
            let number = 1_000_000_000 + (number - 1) * 1000 + required(value, "offset")?.parse::<i64>()?;
            if value.attribute("dir") == Some("-") { -number } else { number }
        };
        list.push((name, number));
        Ok(())
    }

    pub(super) fn values(&self, name: &str) -> &[(&'a str, i64)] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the constant of an enumeration: `VkDriverId` is `DRIVER_ID`.
    pub(super) fn constant(name: &str) -> String {
        naming::command(name.trim_start_matches("Vk"))
    }

    /// Returns the files with these enumerations.
    pub(super) fn files(&self, folder: &str, names: &BTreeSet<String>) -> Vec<Generated> {
        let mut constants = String::from(header());
        constants.push_str("//! The enumerations that members of properties have, by number.\n\n");
        let mut files = vec![String::new()];
        let mut paths = Vec::new();
        let mut length = 0;
        for (number, name) in names.iter().enumerate() {
            let values = self.values(name);
            if length > 0 && length + values.len() > FILE_LENGTH {
                files.push(String::new());
                length = 0;
            }
            length += values.len();
            let constant = Self::constant(name);
            let _ = writeln!(constants, "pub(super) const {constant}: u8 = {number};");
            paths.push(format!("enumerations_{}_gen::{constant}", files.len()));
            let lines: String =
                values.iter().map(|(name, value)| format!("        \"{name}\" {value};\n")).collect();
            let row = format!("    {constant} \"{name}\" {{\n{lines}    }}\n");
            if let Some(file) = files.last_mut() {
                file.push_str(&row);
            }
        }
        let uses: String =
            (1..=files.len()).map(|part| format!("use super::enumerations_{part}_gen;\n")).collect();
        let all: String = paths.iter().map(|path| format!("    {path},\n")).collect();
        let text = format!(
            "{constants}\n/// The names and values of each.\npub(super) static ALL: [&[(&str, i64)]; {}] = [\n{all}];\n",
            paths.len()
        );
        let text = text.replacen("\npub(super) const", &format!("\n{uses}\npub(super) const"), 1);
        let path = |name: String| Path::new(folder).join(name);
        let mut generated = vec![Generated { path: path("enumerations_gen.rs".to_owned()), text }];
        for (part, text) in files.into_iter().enumerate() {
            let text = format!(
                "{}//! Enumerations with their names and values.\n\nuse super::names::enumerations;\n\nenumerations! {{\n{text}}}\n",
                header()
            );
            generated.push(Generated { path: path(format!("enumerations_{}_gen.rs", part + 1)), text });
        }
        generated
    }
}
