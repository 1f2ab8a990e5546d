//! Enumerations of the registry with their names and values.

use std::collections::{BTreeMap, BTreeSet};

use roxmltree::Node;

use super::generated::{Generated, wrapped};
use super::model::{children, minor, of_this_api, providers, required};
use super::naming;
use crate::Failure;

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

    pub(super) fn file(&self, folder: &str, names: &BTreeSet<String>) -> Generated {
        let row = |(number, name): (usize, &String)| {
            let mut words = vec![format!("{number} {} \"{name}\" {{", Self::constant(name))];
            words
                .extend(self.values(name).iter().map(|value| format!("\"{}\" {}", value.name, value.number)));
            words.push("}".to_owned());
            wrapped(&words)
        };
        let rows: Vec<String> = names.iter().enumerate().map(row).collect();
        let about = "The enumerations that members of properties have, with their names and values.";
        Generated::rows(format!("{folder}/enumerations_gen.rs"), about, "super::names::enumerations", &rows)
    }
}
