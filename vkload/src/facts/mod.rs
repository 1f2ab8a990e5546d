//! The machine as `vkload doctor` sees it: everything that it knows without loading a library or starting a driver.
//!
//! [`Facts::gather`] reads them, [`crate::recording`] keeps them, and the rules of the doctor are functions of them. Each file here knows one
//! subject. Nothing here judges.

mod elf;
mod gpus;
mod libraries;
mod linker;
mod nodes;
mod nvidia;
mod packages;
mod place;
mod strays;
mod system;
mod user;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{env, fs};

use serde::{Deserialize, Serialize};

pub(crate) use gpus::Gpu;
pub(crate) use libraries::{Library, LibraryState, Missing, Named, VersionNeed};
pub(crate) use linker::LoaderFile;
pub(crate) use nodes::Node;
pub(crate) use nvidia::Nvidia;
pub(crate) use packages::Packages;
pub(crate) use place::Place;
pub(crate) use strays::{Stray, StrayKind};
pub(crate) use system::System;
pub(crate) use user::User;

/// Environment variables, as a program gets them.
pub(crate) type Variables = BTreeMap<String, String>;

/// This process's variables, as far as they are text.
pub(crate) fn own_variables() -> Variables {
    let text = |text: OsString| text.to_string_lossy().into_owned();
    env::vars_os().map(|(name, value)| (text(name), text(value))).collect()
}

/// What is known about a machine.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Facts {
    /// The distribution, the kernel and the processor.
    pub(crate) system: System,
    /// What the program runs inside: a container, Flatpak, a virtual machine.
    pub(crate) place: Place,
    /// Who runs it.
    pub(crate) user: User,
    /// The environment variables that concern Vulkan, the dynamic linker and the place.
    pub(crate) variables: Variables,
    /// The graphics devices on the bus.
    pub(crate) gpus: Vec<Gpu>,
    /// The device files through which drivers reach them.
    pub(crate) nodes: Vec<Node>,
    /// The versions of the parts of NVIDIA's driver.
    pub(crate) nvidia: Nvidia,
    /// Every file that a program could get as Vulkan loader, in the order in which the dynamic linker finds them.
    pub(crate) loaders: Vec<LoaderFile>,
    /// The libraries that manifests name.
    pub(crate) libraries: Vec<Library>,
    /// Files near the folders of manifests that look as if they were meant to be one.
    pub(crate) strays: Vec<Stray>,
    /// How packages are installed here.
    pub(crate) packages: Packages,
}

impl Facts {
    /// The facts of the machine whose file system begins at `root` (`/` but in tests), for a program of this width with `variables`, whose
    /// file is `program`, if that is known. `named` are the libraries that manifests name.
    pub(crate) fn gather(
        root: &Path,
        variables: &Variables,
        program: Option<&Path>,
        bits: u32,
        named: &[Named],
    ) -> Self {
        let search = linker::Search::new(root, variables, program);
        let system = system::collect(root);
        Self {
            place: place::collect(root, variables),
            user: user::collect(root, variables.get("HOME")),
            variables: concerning(variables),
            gpus: gpus::collect(root),
            nodes: nodes::collect(root),
            nvidia: nvidia::collect(root, &search, variables),
            libraries: libraries::collect(root, &search, named, bits),
            loaders: search.loaders(),
            strays: strays::collect(root, variables),
            packages: packages::collect(root, &system),
            system,
        }
    }
}

/// Beginnings of the names of variables that concern the doctor.
const CONCERNING: &[&str] = &[
    "VK_",
    "VULKAN_",
    "LD_",
    "XDG_",
    "MESA_",
    "NVIDIA_",
    "__NV",
    "__GLX",
    "DRI_PRIME",
    "ENABLE_",
    "DISABLE_",
    "LIBGL_",
    "STEAM_",
    "PRESSURE_VESSEL",
    "FLATPAK_",
    "SNAP",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "CUDA_VISIBLE",
    "RADV_",
    "ANV_",
    "AMD_",
    "LVP_",
    "GALLIUM_",
    "MANGOHUD",
    "CONTAINER",
    "container",
    "APPIMAGE",
    "APPDIR",
    "WSL_",
    "HOME",
    "PATH",
    "SDL_",
    "DXVK_",
    "INTEL_",
    "OBS_VKCAPTURE",
    "VKBASALT",
    "LANG",
];

/// The variables among these that concern the doctor, or that look as if they were meant to (another case, a missing letter).
fn concerning(variables: &Variables) -> Variables {
    let concerns = |name: &str| {
        let upper = name.to_ascii_uppercase();
        CONCERNING.iter().any(|start| name.starts_with(start))
            || ["VK", "ICD", "VULK", "LAYER"].iter().any(|part| upper.contains(part))
    };
    variables
        .iter()
        .filter(|(name, _)| concerns(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// The paths in a folder, sorted. None where it cannot be read.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> =
        fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths
}

/// The text of a file, trimmed. Empty where it cannot be read.
fn read(path: &Path) -> String {
    fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).trim().to_owned()).unwrap_or_default()
}

/// The last part of a path as text.
fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The path as a program on the machine sees it, whose files lie under `root` here.
fn seen(root: &Path, path: &Path) -> String {
    path.strip_prefix(root)
        .map_or_else(|_| path.display().to_string(), |rest| Path::new("/").join(rest).display().to_string())
}

/// Where the file lies here that a program on the machine knows by `path`.
fn below(root: &Path, path: &Path) -> PathBuf {
    root.join(path.strip_prefix("/").unwrap_or(path))
}
