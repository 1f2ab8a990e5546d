//! Enumerations of the registry with their names and values.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use roxmltree::Node;

use super::generated::Generated;
use super::model::{children, minor, of_this_api, providers, required};
use super::naming;
use crate::Failure;

/// Values in one generated file.
const FILE_LENGTH: usize = 420;

/// Every enumeration, with its values in the registry's order.
pub(super) struct Enumerations<'a>(BTreeMap<&'a str, Vec<Value<'a>>>);

pub(super) struct Value<'a> {
    pub(super) name: &'a str,
    pub(super) number: i64,
    pub(super) is_alias: bool,
    /// Whether it is written as the number of a bit.
    pub(super) is_bit: bool,
    /// The minor version that it came with.
    pub(super) core: Option<u8>,
}

impl<'a> Enumerations<'a> {
    pub(super) fn read(root: Node<'a, 'a>) -> Result<Self, Failure> {
        let mut all = Self(BTreeMap::new());
        for list in children(root, "enums").filter(|list| list.attribute("type") != Some("constants")) {
            let name = required(list, "name")?;
            all.0.entry(name).or_default();
            for value in children(list, "enum").filter(|value| of_this_api(*value)) {
                all.add(name, value, None, Some(0))?;
            }
        }
        for owner in providers(root) {
            let core = if owner.has_tag_name("feature") { Some(minor(owner)?) } else { None };
            for block in children(owner, "require").filter(|block| of_this_api(*block)) {
                for value in children(block, "enum").filter(|value| of_this_api(*value)) {
                    if let Some(extended) = value.attribute("extends") {
                        all.add(extended, value, owner.attribute("number"), core)?;
                    }
                }
            }
        }
        Ok(all)
    }

    fn add(
        &mut self,
        to: &'a str,
        value: Node<'a, 'a>,
        owner: Option<&str>,
        core: Option<u8>,
    ) -> Result<(), Failure> {
        let name = required(value, "name")?;
        let list = self.0.entry(to).or_default();
        if list.iter().any(|known| known.name == name) {
            return Ok(());
        }
        let (bit, alias) = (value.attribute("bitpos"), value.attribute("alias"));
        let number = if let Some(number) = value.attribute("value") {
            match number.strip_prefix("0x") {
                Some(digits) => i64::from_str_radix(digits, 16)?,
                None => number.parse()?,
            }
        } else if let Some(bit) = bit {
            1 << bit.parse::<u32>()?
        } else if let Some(of) = alias {
            // An alias may precede its target; such aliases are few and no table needs them.
            let Some(known) = list.iter().find(|known| known.name == of) else { return Ok(()) };
            known.number
        } else {
            // Each extension has a thousand numbers of its own, from a thousand million on.
            let number: i64 =
                value.attribute("extnumber").or(owner).ok_or("a value without extension")?.parse()?;
            let number = 1_000_000_000 + (number - 1) * 1000 + required(value, "offset")?.parse::<i64>()?;
            if value.attribute("dir") == Some("-") { -number } else { number }
        };
        list.push(Value { name, number, is_alias: alias.is_some(), is_bit: bit.is_some(), core });
        Ok(())
    }

    pub(super) fn values(&self, name: &str) -> &[Value<'a>] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }

    pub(super) fn number(&self, enumeration: &str, name: &str) -> Option<i32> {
        let value = self.values(enumeration).iter().find(|value| value.name == name)?;
        value.number.try_into().ok()
    }

    /// Returns the constant of an enumeration: `VkDriverId` is `DRIVER_ID`.
    pub(super) fn constant(name: &str) -> String {
        naming::command(name.trim_start_matches("Vk"))
    }

    pub(super) fn files(&self, folder: &str, names: &BTreeSet<String>) -> Vec<Generated> {
        let (mut constants, mut paths) = (String::new(), String::new());
        let mut files = vec![Vec::new()];
        let mut length = 0;
        for (number, name) in names.iter().enumerate() {
            let values = self.values(name);
            if length > 0 && length + values.len() > FILE_LENGTH {
                files.push(Vec::new());
                length = 0;
            }
            length += values.len();
            let constant = Self::constant(name);
            let _ = writeln!(constants, "pub(super) const {constant}: u8 = {number};");
            let _ = writeln!(paths, "    enumerations_{}_gen::{constant},", files.len());
            let lines = values.iter().map(|value| format!("        \"{}\" {};\n", value.name, value.number));
            let row = format!("    {constant} \"{name}\" {{\n{}    }}\n", lines.collect::<String>());
            files.last_mut().into_iter().for_each(|file| file.push(row.clone()));
        }
        let uses: String =
            (1..=files.len()).map(|part| format!("use super::enumerations_{part}_gen;\n")).collect();
        let text = format!(
            "{uses}\n{constants}\n/// The names and values of each.\n\
             pub(super) static ALL: [&[(&str, i64)]; {}] = [\n{paths}];\n",
            names.len()
        );
        let about = "The enumerations that members of properties have, by number.";
        let mut generated = vec![Generated::rust(format!("{folder}/enumerations_gen.rs"), about, &text)];
        generated.extend(files.iter().enumerate().map(|(part, rows)| {
            let path = format!("{folder}/enumerations_{}_gen.rs", part + 1);
            let about = "Enumerations with their names and values.";
            Generated::rows(path, about, "super::names::enumerations", rows)
        }));
        generated
    }
}
