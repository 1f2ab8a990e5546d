//! The folders that `dist` writes to, and the version in the names of its files.

use std::path::PathBuf;
use std::{env, fs};

use crate::Failure;
use crate::command::{Run, command};
use crate::workspace::{make_empty, root, target_folder};

pub(super) fn folder() -> PathBuf {
    target_folder().join("dist")
}

/// Returns cargo's output folder for installed files, which are built with other flags.
pub(super) fn build_folder() -> PathBuf {
    folder().join("build")
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

/// Returns the time of everything in packages and archives: `SOURCE_DATE_EPOCH`, or the time of the last change.
pub(crate) fn source_date() -> Result<u64, Failure> {
    let given = env::var("SOURCE_DATE_EPOCH").map_or_else(|_| command("git log -1 --format=%ct").read(), Ok);
    let given =
        given.map_err(|error| format!("set SOURCE_DATE_EPOCH, since git does not tell the time: {error}"))?;
    given.parse().map_err(|_| format!("SOURCE_DATE_EPOCH is not a number: {given}").into())
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

    /// Returns the lines of a recipe that begin with `start`, with the rest of each.
    fn values<'a>(text: &'a str, start: &str) -> Vec<&'a str> {
        text.lines().filter_map(|line| line.strip_prefix(start)).map(str::trim).collect()
    }

    #[test]
    fn every_recipe_builds_this_version() {
        let vulkan = vulkan_version().unwrap();
        for (file, version, of_vulkan) in [
            ("rpm/vkload.spec", "Version:", "%global vulkan "),
            ("arch/PKGBUILD", "pkgver=", "_vulkan="),
            ("alpine/APKBUILD", "pkgver=", "_vulkan="),
            ("buildroot/package/vkload/vkload.mk", "VKLOAD_VERSION = ", "VKLOAD_VULKAN_VERSION = "),
            ("buildroot/package/vkload-tool/vkload-tool.mk", "VKLOAD_TOOL_VERSION = ", ""),
        ] {
            let text = fs::read_to_string(root().join("packaging").join(file)).unwrap();
            assert_eq!(values(&text, version), [env!("CARGO_PKG_VERSION")], "{file}");
            assert!(of_vulkan.is_empty() || values(&text, of_vulkan) == [vulkan.as_str()], "{file}");
        }
    }

    #[test]
    fn recipes_require_the_compiler_that_xtask_needs() {
        let oldest = concat!(">=", env!("CARGO_PKG_RUST_VERSION"));
        for file in ["rpm/vkload.spec", "arch/PKGBUILD", "alpine/APKBUILD"] {
            let text = fs::read_to_string(root().join("packaging").join(file)).unwrap().replace(' ', "");
            assert!(text.contains(&format!("cargo{oldest}")), "{file}: {oldest}");
        }
    }
}
