//! The earlier contents of a settings file, in a file next to it that loaders do not read.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::{lossless, own_files, rights};

/// More changes cannot be taken back.
const CHANGE_LIMIT: usize = 64;

#[derive(Debug, Default, Deserialize, Serialize)]
struct History {
    changes: Vec<Change>,
}

#[derive(Debug, Deserialize, Serialize)]
struct Change {
    /// `None`: the file did not exist.
    before: Option<String>,
    after: String,
    /// Folders that were made for the file, the innermost first.
    #[serde(default)]
    folders: Vec<PathBuf>,
}

/// Replaces the file's content, and records how it was.
pub(super) fn write(path: &Path, before: Option<&str>, after: &str) -> Result<(), String> {
    let mut history = History::read(path)?;
    let folders = missing_folders(path);
    fs::create_dir_all(path.parent().unwrap_or(Path::new("/")))
        .map_err(|error| format!("cannot make the folder of {}: {error}", path.display()))?;
    history.changes.push(Change { before: before.map(str::to_owned), after: after.to_owned(), folders });
    let surplus = history.changes.len().saturating_sub(CHANGE_LIMIT);
    history.changes.drain(..surplus);
    // First, so that a change without a record cannot exist.
    history.write(path)?;
    replace(path, after)
}

/// Restores the file as it was before the latest change. Returns whether it exists then.
pub(super) fn undo(path: &Path) -> Result<bool, String> {
    let mut history = History::read(path)?;
    let Some(change) = history.changes.pop() else {
        return Err(format!("no change of {} by vkload is recorded", path.display()));
    };
    let now = fs::read(path).unwrap_or_default();
    if now != change.after.as_bytes() {
        return Err(format!(
            "{} has changed since vkload wrote it; its earlier content is in {}",
            path.display(),
            record_of(path).display()
        ));
    }
    match &change.before {
        Some(before) => replace(path, before)?,
        None => {
            fs::remove_file(path).map_err(|error| format!("cannot remove {}: {error}", path.display()))?
        }
    }
    history.write(path)?;
    for folder in change.folders.iter().filter(|folder| path.starts_with(folder)) {
        // A folder that holds something else by now stays.
        let _ = fs::remove_dir(folder);
    }
    Ok(change.before.is_some())
}

impl History {
    fn read(path: &Path) -> Result<Self, String> {
        let record = record_of(path);
        if fs::symlink_metadata(&record).is_err() {
            return Ok(Self::default());
        }
        if let Some(culprit) = rights::changeable(&record) {
            let (record, culprit) = (record.display(), culprit.display());
            return Err(format!(
                "{record} is not used: another user can change {culprit}; correct owner and mode"
            ));
        }
        let bytes = fs::read(&record).map_err(|error| format!("{}: {error}", record.display()))?;
        serde_json::from_slice(&bytes)
            .map_err(|error| format!("{} is damaged ({error}); move it away", record.display()))
    }

    fn write(&self, path: &Path) -> Result<(), String> {
        let record = record_of(path);
        if self.changes.is_empty() {
            return fs::remove_file(&record).map_err(|error| format!("{}: {error}", record.display()));
        }
        let text = serde_json::to_string_pretty(self).map_err(|error| error.to_string())?;
        replace(&record, &format!("{text}\n"))
    }
}

fn record_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".undo");
    PathBuf::from(name)
}

fn missing_folders(path: &Path) -> Vec<PathBuf> {
    path.ancestors().skip(1).take_while(|folder| !folder.exists()).map(Path::to_owned).collect()
}

fn replace(path: &Path, text: &str) -> Result<(), String> {
    if *lossless::bytes(text) != *text.as_bytes() {
        return Err("a settings file names paths in UTF-8 only".to_owned());
    }
    own_files::replace(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}
