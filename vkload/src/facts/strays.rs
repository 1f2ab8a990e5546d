//! Files in and near the folders of manifests that look as if they were meant to be manifests, and are not read or not understood.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::files::{content, entries, name_of};
use super::user::Database;
use super::variables::Variables;
use crate::lossless;
use crate::rights::changeable;

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Stray {
    pub(crate) path: String,
    pub(crate) why: StrayKind,
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub(crate) enum StrayKind {
    DanglingLink {
        to: String,
    },
    /// Its name ends like this, and not in `.json`.
    Ending {
        of: String,
    },
    /// It is a manifest of another kind, or lies outside the folder (`belongs`) that is searched.
    Misplaced {
        belongs: String,
    },
    /// The file or folder cannot be read.
    Unreadable {
        mode: u32,
        owner: String,
    },
    #[default]
    ByteOrderMark,
}

/// The folders below `vulkan` with the key that their manifests have.
const FOLDERS: [(&str, &str); 3] =
    [("icd.d", "ICD"), ("implicit_layer.d", "layer"), ("explicit_layer.d", "layer")];
/// Suffixes of manifests that were renamed as a backup or by mistake. Suffixes that turn a manifest off on purpose are not listed.
const ENDINGS: &str = ".json.template .json.in .JSON .json.txt .jsonc .json~ .json.dpkg-new .json.rpmnew .json.bak .jso \
    .icd";
/// A manifest is smaller.
const SIZE_LIMIT: u64 = 1 << 20;

pub(super) fn collect(variables: &Variables) -> Vec<Stray> {
    let users = Database::read();
    let mut all = Vec::new();
    for folder in folders(variables) {
        let vulkan = folder.join("vulkan");
        look(&vulkan, None, &users, &mut all);
        for (name, key) in FOLDERS {
            look(&vulkan.join(name), Some(key), &users, &mut all);
        }
    }
    all
}

/// Returns the driver manifests in the usual search folders.
pub(super) fn driver_manifests(variables: &Variables) -> Vec<String> {
    manifests_in(folders(variables).into_iter(), "icd.d").map(lossless::of).collect()
}

/// Folders of data with manifests that no loader searches by itself: those of snapd, a container's host, NixOS and Flatpak.
const APART: &str = "/var/lib/snapd/lib /run/host/usr/share /run/opengl-driver/share \
    /usr/lib/x86_64-linux-gnu/GL /usr/lib/aarch64-linux-gnu/GL";

/// Returns the driver manifests in folders that no loader searches by itself, also below prefixes in `/opt`, as far as nobody but root and
/// this user can change them.
pub(super) fn manifests_apart() -> Vec<String> {
    let prefixes = entries(Path::new("/opt")).into_iter();
    let below = prefixes.flat_map(|folder| [folder.join("share"), folder.join("etc")]);
    let all = manifests_in(APART.split(' ').map(PathBuf::from).chain(below), "icd.d");
    all.filter(|path| changeable(path).is_none()).map(lossless::of).collect()
}

fn manifests_in(folders: impl Iterator<Item = PathBuf>, kind: &str) -> impl Iterator<Item = PathBuf> {
    let files = folders.flat_map(move |folder| entries(&folder.join("vulkan").join(kind)));
    files.filter(|path| name_of(path).ends_with(".json"))
}

/// Returns the names and manifests in the usual folders for explicit layers.
pub(crate) fn explicit_layers(variables: &Variables) -> Vec<(String, String)> {
    let name = |path: PathBuf| {
        let manifest: serde_json::Value = serde_json::from_slice(&content(&path, SIZE_LIMIT).ok()?).ok()?;
        Some((manifest["layer"]["name"].as_str()?.to_owned(), lossless::of(&path)))
    };
    manifests_in(folders(variables).into_iter(), "explicit_layer.d").filter_map(name).collect()
}

/// Returns the folders that are usually searched, whatever the variables say, and those that these say.
fn folders(variables: &Variables) -> Vec<PathBuf> {
    let home = variables.get("HOME").map(lossless::path);
    let list = |name: &str| {
        variables
            .get(name)
            .map(|value| {
                value
                    .split(':')
                    .filter(|folder| folder.starts_with('/'))
                    .map(lossless::path)
                    .collect::<Vec<_>>()
            })
            .unwrap_or_default()
    };
    let usual = ["/etc/xdg", "/usr/local/etc", "/etc", "/usr/local/share", "/usr/share"].map(PathBuf::from);
    let own = home.iter().flat_map(|home| [home.join(".config"), home.join(".local/share")]);
    let named =
        ["XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_HOME", "XDG_DATA_DIRS"].into_iter().flat_map(list);
    let mut all: Vec<PathBuf> = Vec::new();
    for folder in usual.into_iter().chain(own).chain(named) {
        if !all.contains(&folder) {
            all.push(folder);
        }
    }
    all
}

/// Looks into one folder, whose manifests have this key; without one, into a folder that should have none.
fn look(folder: &Path, key: Option<&str>, users: &Database, all: &mut Vec<Stray>) {
    if let Err(error) = fs::read_dir(folder) {
        // Files in another user's home folder, which may not be readable, do not matter.
        if error.kind() == ErrorKind::PermissionDenied && fs::metadata(folder).is_ok() {
            all.push(unreadable(folder, users));
        }
        return;
    }
    for path in entries(folder) {
        if let Some(why) = judge(&path, folder, key, users) {
            all.push(Stray { path: lossless::of(&path), why });
        }
    }
}

fn unreadable(path: &Path, users: &Database) -> Stray {
    let found = fs::metadata(path).ok();
    let owner = found.as_ref().map(|found| users.user_name(found.uid())).unwrap_or_default();
    Stray {
        path: lossless::of(path),
        why: StrayKind::Unreadable { mode: found.map_or(0, |found| found.mode() & 0o7777), owner },
    }
}

fn judge(path: &Path, folder: &Path, key: Option<&str>, users: &Database) -> Option<StrayKind> {
    let name = name_of(path);
    let found = fs::metadata(path);
    if let (Err(_), Ok(to)) = (&found, fs::read_link(path)) {
        return name.contains(".json").then(|| StrayKind::DanglingLink { to: lossless::of(to) });
    }
    found.ok().filter(|found| found.is_file() && found.len() < SIZE_LIMIT)?;
    let is_manifest = name.ends_with(".json");
    let content = match content(path, SIZE_LIMIT) {
        Ok(content) => content,
        Err(error) => {
            return (error.kind() == ErrorKind::PermissionDenied && is_manifest)
                .then(|| unreadable(path, users).why);
        }
    };
    let text = String::from_utf8_lossy(&content);
    let has = |key: &str| text.contains(&format!("\"{key}\""));
    if !is_manifest {
        let of = ENDINGS.split(' ').find(|ending| name.ends_with(ending)).map(str::to_owned);
        // A copy beside the manifest is a backup.
        let is_copy = name
            .split_once(".json")
            .is_some_and(|(name, _)| path.with_file_name(format!("{name}.json")).is_file());
        let of = of.filter(|_| !is_copy).or_else(|| (!name.contains('.')).then(|| name.clone()));
        return of
            .filter(|_| key.is_some() && (has("ICD") || has("layer")))
            .map(|of| StrayKind::Ending { of });
    }
    let Some(key) = key else {
        let belongs = if has("ICD") {
            "icd.d"
        } else if has("layer") || has("layers") {
            "explicit_layer.d"
        } else {
            return None;
        };
        return Some(StrayKind::Misplaced { belongs: lossless::of(folder.join(belongs)) });
    };
    if content.starts_with(&[0xEF, 0xBB, 0xBF]) {
        return Some(StrayKind::ByteOrderMark);
    }
    let vulkan = folder.parent().unwrap_or(folder);
    match key {
        "ICD" if !has("ICD") && has("layer") => {
            Some(StrayKind::Misplaced { belongs: lossless::of(vulkan.join("explicit_layer.d")) })
        }
        "layer" if !has("layer") && !has("layers") && has("ICD") => {
            Some(StrayKind::Misplaced { belongs: lossless::of(vulkan.join("icd.d")) })
        }
        _ => None,
    }
}
