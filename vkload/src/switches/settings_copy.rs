//! A copy of the settings file with some changes.
//!
//! No variable overrides a settings file that turns a layer on or off, and none names another file. So a process gets a separate
//! configuration folder (`XDG_CONFIG_HOME`), which is searched first: it has links to everything in the user's folder, and the copy.

use std::collections::BTreeSet;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::facts::Variables;
use crate::lossless;
use crate::own_files;
use crate::own_library::{make_private, private_folder};
use crate::planned::{Planned, content};
use crate::settings_edit::{self, Json};

/// The settings file and its folder, below a configuration folder.
const FOLDER: &str = "loader_settings.d";
const FILE: &str = "vk_loader_settings.json";

/// Makes the folder, with this change of each object of settings, for the sake of `what`. Each content has one folder, so that a program may
/// use it as long as it likes.
pub(super) fn make(
    planned: &Planned,
    variables: &Variables,
    what: &str,
    change: &dyn Fn(&mut Json),
) -> Result<PathBuf, String> {
    let path = lossless::text(&planned.settings.plan.path);
    let text = match content(&planned.settings.snapshot, &planned.settings.plan.path) {
        Some(text) => rewritten(text, lossless::path(&path).parent().unwrap_or(Path::new("/")), change),
        None => rewritten(b"{\"file_format_version\": \"1.0.0\", \"settings\": {}}", Path::new("/"), change),
    }
    .filter(|text| *lossless::bytes(text) == *text.as_bytes())
    .ok_or_else(|| {
        format!("the settings file {path} decides about {what}, and is not plain JSON that could be copied with a change; correct it (`vkload settings` shows where) or move it away")
    })?;
    let users = user_folder(variables);
    let mut hasher = DefaultHasher::new();
    (&users, &text).hash(&mut hasher);
    let copy = private_folder()?.join(format!("settings-{:016x}", hasher.finish()));
    fill(&copy, users.as_deref(), &text)
        .map_err(|error| format!("cannot make a copy of {path} in {}: {error}", copy.display()))?;
    Ok(copy)
}

/// Returns the folder of this user's configuration.
fn user_folder(variables: &Variables) -> Option<PathBuf> {
    let set = |name: &str| variables.get(name).filter(|value| !value.is_empty()).map(lossless::path);
    set("XDG_CONFIG_HOME").or_else(|| Some(set("HOME")?.join(".config")))
}

/// Returns the settings with this change, and with whole paths, since the copy lies elsewhere.
fn rewritten(text: &[u8], folder: &Path, change: &dyn Fn(&mut Json)) -> Option<String> {
    let mut file = Json::parse(std::str::from_utf8(text).ok()?).ok()?;
    settings_edit::objects_mut(&mut file).into_iter().for_each(change);
    settings_edit::make_paths_absolute(&mut file, folder);
    Some(file.render())
}

pub(super) fn leave_to_variables(settings: &mut Json, layers: &BTreeSet<String>) {
    for entry in settings.list_mut("layers") {
        let name = entry.field("name").and_then(Json::text);
        if name.is_some_and(|name| layers.contains(&name)) && entry.field("control").is_some() {
            entry.set("control", Json::string("auto"));
        }
    }
}

/// Links everything of the user's folder, and writes the copy.
fn fill(copy: &Path, users: Option<&Path>, text: &str) -> io::Result<()> {
    let vulkan = copy.join("vulkan");
    for folder in [copy, &vulkan, &vulkan.join(FOLDER)] {
        make_private(folder)?;
    }
    if let Some(users) = users {
        link_all(users, copy, "vulkan")?;
        link_all(&users.join("vulkan"), &vulkan, FOLDER)?;
    }
    let file = vulkan.join(FOLDER).join(FILE);
    if fs::read(&file).is_ok_and(|there| there == text.as_bytes()) {
        return Ok(());
    }
    own_files::replace(&file, text)
}

/// Links to everything in `from` but one thing.
fn link_all(from: &Path, to: &Path, but: &str) -> io::Result<()> {
    for entry in fs::read_dir(from).into_iter().flatten().flatten() {
        if entry.file_name() == but {
            continue;
        }
        match symlink(entry.path(), to.join(entry.file_name())) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn named_layers_are_left_to_the_variables_and_paths_are_unchanged() {
        let text = json!({
            "file_format_version": "1.0.0",
            "Settings": {
                "layers": [
                    { "name": "VK_LAYER_a", "Control": "on", "path": "a.json" },
                    { "name": "VK_LAYER_b", "control": "on", "path": "/b.json" },
                ],
                "additional_drivers": [{ "path": "../icd.json" }],
                "log_locations": [{ "destinations": ["stderr", "log.txt"] }],
            },
        });
        let layers = BTreeSet::from(["VK_LAYER_a".to_owned()]);
        let copy = rewritten(text.to_string().as_bytes(), Path::new("/s"), &|settings| {
            leave_to_variables(settings, &layers)
        })
        .unwrap();
        let expected = json!({
            "file_format_version": "1.0.0",
            "Settings": {
                "layers": [
                    { "name": "VK_LAYER_a", "Control": "auto", "path": "/s/a.json" },
                    { "name": "VK_LAYER_b", "control": "on", "path": "/b.json" },
                ],
                "additional_drivers": [{ "path": "/s/../icd.json" }],
                "log_locations": [{ "destinations": ["stderr", "/s/log.txt"] }],
            },
        });
        assert_eq!(serde_json::from_str::<Value>(&copy).unwrap(), expected);
        assert!(rewritten(b"{", Path::new("/s"), &|_| {}).is_none());
    }
}
