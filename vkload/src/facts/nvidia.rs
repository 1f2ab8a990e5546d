//! The versions of the parts of NVIDIA's driver: the kernel's and the libraries'.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::files::{entries, name_of, read};
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
    /// The version in the name of the library that a manifest leads to.
    pub(crate) used: Option<String>,
    /// The versions in the names of the libraries that are installed.
    pub(crate) libraries: Vec<String>,
    /// The request to NVIDIA's container toolkit.
    pub(crate) visible_devices: Option<String>,
}

impl Nvidia {
    /// Returns the end of the name of the Flatpak extensions for the kernel's version: `nvidia-550-54-14`.
    pub(crate) fn flatpak_extension(&self) -> Option<String> {
        self.module.as_ref().map(|module| format!("nvidia-{}", module.replace('.', "-")))
    }
}

/// Libraries with the driver's version at the end of their names. Any of them shows it.
const TELLING: &[&str] =
    &["libGLX_nvidia.so.", "libnvidia-glcore.so.", "libnvidia-glvkspirv.so.", "libnvidia-eglcore.so."];

pub(super) fn collect(search: &Search, variables: &Variables, named: &[Named]) -> Nvidia {
    let named = named.iter().map(|named| named.library.as_str()).filter(|library| library.contains("nvidia"));
    let path = |library: &str| match library.starts_with('/') {
        true => Some(lossless::path(library)),
        false => search.find(library, u8::try_from(usize::BITS).unwrap_or(64)).map(|found| found.path),
    };
    let files = named.filter_map(path).filter_map(|path| fs::canonicalize(path).ok());
    let files: Vec<PathBuf> = files.collect();
    let of_named = files.iter().filter_map(|file| file.parent().map(Path::to_owned));
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
        used: files.iter().find_map(|file| version_in(&name_of(file))),
        module: module(),
        is_open: read(Path::new("/proc/driver/nvidia/version")).contains("Open Kernel Module"),
        libraries,
        visible_devices: variables.get("NVIDIA_VISIBLE_DEVICES").cloned(),
    }
}

/// Returns the version in a library's name: three digits or more, then a dot.
fn version_in(name: &str) -> Option<String> {
    let version = TELLING.iter().find_map(|start| name.strip_prefix(start))?;
    is_version(version).then(|| version.to_owned())
}

fn is_version(text: &str) -> bool {
    text.find('.').is_some_and(|at| at >= 3)
        && text.split('.').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

fn module() -> Option<String> {
    let text =
        [read(Path::new("/sys/module/nvidia/version")), read(Path::new("/proc/driver/nvidia/version"))]
            .join(" ");
    text.split_whitespace().find(|word| is_version(word)).map(str::to_owned)
}
