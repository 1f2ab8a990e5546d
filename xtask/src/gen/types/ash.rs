//! The names of the types that `ash` has, read from its sources, which cargo finds.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::Failure;
use crate::workspace::metadata;

pub(super) struct Ash {
    /// Whether the type has a lifetime, by name.
    types: BTreeMap<String, bool>,
}

const BEGINNINGS: [&str; 6] = [
    "pub struct ",
    "pub union ",
    "pub type ",
    "handle_nondispatchable!(",
    "define_handle!(",
    "vk_bitflags_wrapped!(",
];

impl Ash {
    pub(super) fn read() -> Result<Self, Failure> {
        let mut types = BTreeMap::new();
        for entry in fs::read_dir(folder()?)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "rs") {
                add(&fs::read_to_string(path)?, &mut types);
            }
        }
        if types.len() < 1000 {
            return Err(format!("ash has {} types only; were its sources rearranged?", types.len()).into());
        }
        Ok(Self { types })
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.types.contains_key(name)
    }

    pub(super) fn has_lifetime(&self, name: &str) -> bool {
        self.types.get(name).copied().unwrap_or_default()
    }
}

fn add(text: &str, types: &mut BTreeMap<String, bool>) {
    let text = text.replace(" ! (", "!(");
    for beginning in BEGINNINGS {
        for rest in text.split(beginning).skip(1) {
            let rest = rest.trim_start();
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            let (name, rest) = rest.split_at(end);
            *types.entry(name.to_owned()).or_default() |= rest.starts_with("<'");
        }
    }
}

fn folder() -> Result<PathBuf, Failure> {
    let all = metadata(&[])?;
    let mut packages = all["packages"].as_array().into_iter().flatten();
    let ash = packages.find(|package| package["name"] == "ash").ok_or("the workspace does not use ash")?;
    Ok(Path::new(ash["manifest_path"].as_str().unwrap_or_default()).with_file_name("src/vk"))
}
