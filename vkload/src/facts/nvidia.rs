//! The versions of the parts of NVIDIA's driver: the kernel's and the libraries'.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::files::{below, entries, name_of, read};
use super::libraries::Named;
use super::linker::Search;
use super::variables::Variables;
use crate::lossless;

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Nvidia {
    /// The version of the kernel module. `None`: it is not loaded.
    pub(crate) module: Option<String>,
    /// Whether the loaded module is NVIDIA's open one.
    pub(crate) is_open: bool,
    /// The versions in the names of the libraries that are installed.
    pub(crate) libraries: Vec<String>,
    /// Whether the module nouveau is loaded.
    pub(crate) nouveau: bool,
    /// The request to NVIDIA's container toolkit.
    pub(crate) visible_devices: Option<String>,
}

/// Libraries with the driver's version at the end of their names. Any of them shows it.
const TELLING: &[&str] =
    &["libGLX_nvidia.so.", "libnvidia-glcore.so.", "libnvidia-glvkspirv.so.", "libnvidia-eglcore.so."];

pub(super) fn collect(root: &Path, search: &Search, variables: &Variables, named: &[Named]) -> Nvidia {
    let named =
        named.iter().filter(|named| named.library.starts_with('/') && named.library.contains("nvidia"));
    let files = named.filter_map(|named| fs::canonicalize(below(root, &lossless::path(&named.library))).ok());
    let of_named = files.filter_map(|file| file.parent().map(Path::to_owned));
    let mut libraries: Vec<String> = search
        .folders()
        .into_iter()
        .chain(of_named)
        .flat_map(|folder| entries(&folder))
        .filter_map(|path| version_in(&name_of(&path)))
        .collect();
    libraries.sort();
    libraries.dedup();
    Nvidia {
        module: module(root),
        is_open: read(&root.join("proc/driver/nvidia/version")).contains("Open Kernel Module"),
        libraries,
        nouveau: root.join("sys/module/nouveau").exists(),
        visible_devices: variables.get("NVIDIA_VISIBLE_DEVICES").cloned(),
    }
}

/// Returns the version in a library's name: three digits or more, then a dot.
fn version_in(name: &str) -> Option<String> {
    let version = TELLING.iter().find_map(|start| name.strip_prefix(start))?;
    is_version(version).then(|| version.to_owned())
}

fn is_version(text: &str) -> bool {
    let mut parts = text.split('.');
    parts.next().is_some_and(|first| first.len() >= 3)
        && text.contains('.')
        && text.split('.').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

fn module(root: &Path) -> Option<String> {
    let text =
        [read(&root.join("sys/module/nvidia/version")), read(&root.join("proc/driver/nvidia/version"))]
            .join(" ");
    text.split_whitespace().find(|word| is_version(word)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_version_and_that_of_the_libraries_are_read() {
        let root = tempfile::tempdir().unwrap();
        for folder in ["proc/driver/nvidia", "usr/lib64"] {
            fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        let text = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14  Thu Feb 22 01:44:30 UTC 2024\nGCC version:  gcc version 12.2.0\n";
        fs::write(root.path().join("proc/driver/nvidia/version"), text).unwrap();
        for name in ["libGLX_nvidia.so.0", "libGLX_nvidia.so.535.104.05", "libnvidia-glcore.so.535.104.05"] {
            fs::write(root.path().join("usr/lib64").join(name), "").unwrap();
        }
        let found =
            collect(root.path(), &Search::new(root.path(), &Variables::new(), None), &Variables::new(), &[]);
        assert_eq!(
            (found.module.as_deref(), found.libraries),
            (Some("550.54.14"), vec!["535.104.05".to_owned()])
        );
    }
}
