//! The workspace: its folders, and cargo's description of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::{env, fs};

use serde_json::Value;

use crate::Failure;

/// Returns the folder of the workspace: the one that contains the folder for which cargo runs this program, or else the current folder. It
/// is not a compile-time constant, since a copied tree includes the compiled program.
pub(crate) fn root() -> &'static Path {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    ROOT.get_or_init(|| {
        let package = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let starts = [package, env::current_dir().ok()];
        starts.iter().flatten().find_map(|start| workspace_around(start)).unwrap_or_else(|| ".".into())
    })
}

fn workspace_around(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().find(|folder| folder.join("xtask/Cargo.toml").is_file()).map(Path::to_owned)
}

pub(crate) fn target_folder() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |folder| root().join(folder))
}

pub(crate) fn make_empty(folder: &Path) -> Result<(), Failure> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    Ok(fs::create_dir_all(folder)?)
}

/// Returns the files and links in a folder and its subfolders, by their relative names.
pub(crate) fn files(folder: &Path) -> Result<BTreeMap<String, PathBuf>, Failure> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).map_err(|error| format!("{}: {error}", next.display()))? {
            let path = entry?.path();
            if path.is_dir() && !path.is_symlink() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder)?.to_str().ok_or("a name that is not UTF-8")?;
                files.insert(name.to_owned(), path);
            }
        }
    }
    Ok(files)
}

/// Reads a file, and names it in an error.
pub(crate) fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(file).map_err(|error| format!("{}: {error}", file.display()).into())
}

/// Returns the lines of a file, whose path begins at the root of the repository.
pub(crate) fn lines(file: &str) -> Result<BTreeSet<String>, Failure> {
    let text = fs::read_to_string(root().join(file)).map_err(|error| format!("{file}: {error}"))?;
    Ok(text.lines().map(str::to_owned).collect())
}

/// Returns cargo's description of the workspace, with these further arguments.
pub(crate) fn metadata(arguments: &[&str]) -> Result<Value, Failure> {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root()).args(["metadata", "--format-version=1", "--locked"]).args(arguments);
    Ok(serde_json::from_slice(&cargo.stderr(Stdio::inherit()).output()?.stdout)?)
}

/// Returns the files that git knows or could add, by patterns, in order.
pub(crate) fn tracked(patterns: &[&str]) -> Result<Vec<String>, Failure> {
    let arguments = ["ls-files", "--cached", "--others", "--exclude-standard"];
    let output = Command::new("git").current_dir(root()).args(arguments).args(patterns).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    let files = String::from_utf8(output.stdout)?;
    let mut files: Vec<_> =
        files.lines().map(str::to_owned).filter(|file| root().join(file).exists()).collect();
    files.sort();
    Ok(files)
}
