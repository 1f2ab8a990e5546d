//! The loaders that are compared.
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::target_folder;

const DISTRIBUTION: &str = "/usr/lib/x86_64-linux-gnu/libvulkan.so.1";
const CHROMIUM: &str = "/usr/lib/chromium/libvulkan.so.1";

/// A loader's file, links resolved.
#[derive(Clone, Debug)]
pub struct Loader {
    pub file: PathBuf,
    /// Its size in bytes, stripped of symbols if `strip` is installed.
    pub size: u64,
}

impl Loader {
    /// Returns the library of this workspace, or the one that `VKLOAD_TEST_LIBRARY` names.
    ///
    /// # Errors
    /// If it does not exist, with the remedy.
    pub fn ours() -> Result<Self, String> {
        let path = env::var_os("VKLOAD_TEST_LIBRARY")
            .map_or_else(|| target_folder().join("release/libvulkan.so.1"), PathBuf::from);
        Self::at(&path).ok_or_else(|| format!("{} is missing: run `cargo xtask build` first", path.display()))
    }

    /// Returns Debian's libvulkan1, if installed.
    pub fn distribution() -> Option<Self> {
        Self::at(Path::new(DISTRIBUTION))
    }

    /// Returns the loader of Debian's package chromium-common, if installed: Khronos' current one.
    pub fn chromium() -> Option<Self> {
        Self::at(Path::new(CHROMIUM))
    }

    fn at(path: &Path) -> Option<Self> {
        let file = fs::canonicalize(path).ok()?;
        let size = stripped_size(&file).or_else(|| Some(fs::metadata(&file).ok()?.len()))?;
        Some(Self { file, size })
    }
}

fn stripped_size(file: &Path) -> Option<u64> {
    let stripped = tempfile::NamedTempFile::new().ok()?;
    let status = Command::new("strip").arg("-o").args([stripped.path(), file]).status().ok()?;
    status.success().then(|| fs::metadata(stripped.path()).ok()).flatten().map(|metadata| metadata.len())
}
