//! Files below the root of a machine, which is another folder in tests.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the paths in a folder, sorted. Empty if it cannot be read.
pub(super) fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> =
        fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths
}

/// Returns the text of a file, trimmed. Empty if it cannot be read.
pub(super) fn read(path: &Path) -> String {
    fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).trim().to_owned()).unwrap_or_default()
}

/// Returns the last part of a path as text.
pub(super) fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Returns the path as a program on the machine sees it, whose files lie under `root` here.
pub(super) fn seen(root: &Path, path: &Path) -> String {
    path.strip_prefix(root)
        .map_or_else(|_| path.display().to_string(), |rest| Path::new("/").join(rest).display().to_string())
}

/// Returns the location here of the file that a program on the machine knows by `path`.
pub(super) fn below(root: &Path, path: &Path) -> PathBuf {
    root.join(path.strip_prefix("/").unwrap_or(path))
}
