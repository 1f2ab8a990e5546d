//! A copy of the settings file in which some layers are left to the variables.
//!
//! No variable overrides a settings file that turns a layer on or off, and none names another file. So a process gets a separate
//! configuration folder (`XDG_CONFIG_HOME`), which is searched first: it has links to everything in the user's folder, and the copy.

use std::collections::BTreeSet;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::{fs, io};

use loader_core::discovery::{Answer, Question};
use loader_core::memory::Shown;
use serde_json::{Value, json};

use crate::exec::{make_private, private_folder};
use crate::facts::Variables;
use crate::planned::Planned;

/// The settings file and its folder, below a configuration folder.
const FOLDER: &str = "loader_settings.d";
const FILE: &str = "vk_loader_settings.json";
/// Destinations of messages that are no files.
const NO_FILES: &[&str] = &["stdout", "stderr"];

/// Makes the folder, with `auto` for these layers. Each content has one folder, so that a program may use it as long as it likes.
pub(super) fn make(
    planned: &Planned,
    variables: &Variables,
    layers: &BTreeSet<String>,
) -> Result<PathBuf, String> {
    let path = Shown(&planned.settings.plan.path).to_string();
    let text = text(planned)
        .and_then(|text| {
            let folder = Path::new(&path).parent().unwrap_or(Path::new("/"));
            rewritten(&text, folder, layers)
        })
        .ok_or_else(|| {
            format!("the settings file {path} decides about {}, and is not plain JSON that could be copied with a change; correct it (`vkload settings` shows where) or move it away", layers.iter().cloned().collect::<Vec<_>>().join(", "))
        })?;
    let users = user_folder(variables);
    let mut hasher = DefaultHasher::new();
    (&users, &text).hash(&mut hasher);
    let copy = private_folder()?.join(format!("settings-{:016x}", hasher.finish()));
    fill(&copy, users.as_deref(), &text)
        .map_err(|error| format!("cannot make a copy of {path} in {}: {error}", copy.display()))?;
    Ok(copy)
}

/// Returns the settings file's text, as it was read for the plan.
fn text(planned: &Planned) -> Option<Vec<u8>> {
    let path = &planned.settings.plan.path;
    planned.settings.snapshot.records().iter().find_map(|record| match (&record.question, &record.answer) {
        (Question::File(file), Answer::Content(Ok(content), _)) if file == path => Some(content.to_vec()),
        _ => None,
    })
}

/// Returns the folder of this user's configuration.
fn user_folder(variables: &Variables) -> Option<PathBuf> {
    let set = |name: &str| variables.get(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("XDG_CONFIG_HOME").or_else(|| Some(set("HOME")?.join(".config")))
}

/// Returns the settings with `auto` for these layers, and with whole paths, since the copy lies elsewhere.
fn rewritten(text: &[u8], folder: &Path, layers: &BTreeSet<String>) -> Option<String> {
    let mut settings: Value = serde_json::from_slice(text).ok()?;
    let mut objects = Vec::new();
    for (key, value) in settings.as_object_mut()? {
        match key.to_ascii_lowercase().as_str() {
            "settings" => objects.push(value),
            "settings_array" => objects.extend(value.as_array_mut()?),
            _ => {}
        }
    }
    for object in objects {
        for layer in list(object, "layers") {
            let is_named = field(layer, "name")
                .is_some_and(|name| name.as_str().is_some_and(|name| layers.contains(name)));
            if let (true, Some(control)) = (is_named, field(layer, "control")) {
                *control = json!("auto");
            }
            whole(field(layer, "path"), folder);
        }
        for driver in list(object, "additional_drivers") {
            whole(field(driver, "path"), folder);
        }
        for location in list(object, "log_locations") {
            list(location, "destinations").for_each(|destination| whole(Some(destination), folder));
        }
    }
    Some(format!("{settings:#}\n"))
}

/// Returns a field by its name, in whatever case.
fn field<'a>(object: &'a mut Value, name: &str) -> Option<&'a mut Value> {
    object.as_object_mut()?.iter_mut().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

fn list<'a>(object: &'a mut Value, name: &str) -> impl Iterator<Item = &'a mut Value> {
    field(object, name).and_then(Value::as_array_mut).into_iter().flatten()
}

fn whole(path: Option<&mut Value>, folder: &Path) {
    let Some(Value::String(path)) = path else { return };
    if !path.is_empty() && !NO_FILES.contains(&path.to_ascii_lowercase().as_str()) {
        *path = folder.join(&*path).display().to_string();
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
    // In one step, since a program may read it at any time.
    let new = file.with_extension(format!("new-{}", std::process::id()));
    fs::write(&new, text)?;
    fs::rename(&new, file)
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
        let copy = rewritten(text.to_string().as_bytes(), Path::new("/s"), &layers).unwrap();
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
        assert!(rewritten(b"{", Path::new("/s"), &layers).is_none());
    }

    #[test]
    fn the_users_configuration_is_still_there() {
        let tree = tempfile::tempdir().unwrap();
        let (users, copy) = (tree.path().join("users"), tree.path().join("copy"));
        fs::create_dir_all(users.join("vulkan/icd.d")).unwrap();
        fs::create_dir_all(users.join("vulkan").join(FOLDER)).unwrap();
        fs::write(users.join("game.conf"), "x").unwrap();
        for text in ["first", "second"] {
            fill(&copy, Some(&users), text).unwrap();
            assert_eq!(fs::read_to_string(copy.join("vulkan").join(FOLDER).join(FILE)).unwrap(), text);
        }
        assert_eq!(fs::read_to_string(copy.join("game.conf")).unwrap(), "x");
        assert!(copy.join("vulkan/icd.d").is_dir());
        assert_eq!(fs::read_dir(users.join("vulkan").join(FOLDER)).unwrap().count(), 0);
    }
}
