//! The folders that `dist` writes to, and the version in the names of its files.

use std::fs;
use std::path::PathBuf;

use crate::Failure;
use crate::workspace::{make_empty, root, target_folder};

/// Returns the output folder of `dist`.
pub(super) fn folder() -> PathBuf {
    target_folder().join("dist")
}

/// Returns a folder of this name in it, with nothing inside.
pub(super) fn emptied(name: &str) -> Result<PathBuf, Failure> {
    let folder = folder().join(name);
    make_empty(&folder)?;
    Ok(folder)
}

/// Returns the version of Vulkan that the library has, as in `libvulkan.so.1.4.366`, from the generated tables.
pub(super) fn vulkan_version() -> Result<String, Failure> {
    let file = root().join("registry/src/numbers_gen.rs");
    let text = fs::read_to_string(&file)?;
    let version = text.split("version of the registry, ").nth(1).and_then(|rest| rest.split(',').next());
    Ok(version.ok_or_else(|| format!("{} does not tell the version", file.display()))?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_three_numbers() {
        let version = vulkan_version().unwrap();
        let numbers: Vec<u32> = version.split('.').map(|part| part.parse().unwrap()).collect();
        assert!(matches!(numbers[..], [1, minor, _] if minor >= 4), "{version}");
    }
}
