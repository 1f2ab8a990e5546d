//! The machine as `vkload doctor` sees it: everything that it knows without loading a library or starting a driver.
//!
//! [`Facts::gather`] reads them, [`crate::recording`] keeps them, and the rules of the doctor are functions of them. Each file here knows one
//! subject. Nothing here judges.

mod assignments;
mod capabilities;
mod displays;
mod elf;
mod environment;
mod files;
mod gpus;
mod kernel_log;
mod libraries;
mod linker;
mod nodes;
mod nvidia;
mod owners;
mod packages;
mod strays;
mod system;
mod user;
mod variables;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::lossless;
use crate::rights;

pub(crate) use assignments::{Assignment, Setter, service};
pub(crate) use capabilities::{OWN, SETTINGS_FILE, SettingsSupport, not_read};
pub(crate) use environment::Environment;
pub(crate) use files::{may, open};
pub(crate) use gpus::{Gpu, Module, holders, may_drive};
pub(crate) use libraries::{Library, LibraryState, Missing, Named, VersionNeed, elsewhere, refusing};
pub(crate) use linker::LoaderFile;
pub(crate) use nodes::{Node, missing_below};
pub(crate) use nvidia::Nvidia;
pub(crate) use owners::Owners;
pub(crate) use packages::{CPU, Packages};
pub(crate) use strays::{Stray, StrayKind, explicit_layers};
pub(crate) use system::System;
pub(crate) use user::User;
pub(crate) use variables::{Variables, own_variables, pairs};

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Facts {
    /// The distribution, the kernel and the processor.
    pub(crate) system: System,
    /// The program's environment: a container, Flatpak, a virtual machine.
    #[serde(rename = "place")]
    pub(crate) environment: Environment,
    pub(crate) user: User,
    /// The environment variables that concern Vulkan, the dynamic linker and the container.
    pub(crate) variables: Variables,
    pub(crate) gpus: Vec<Gpu>,
    /// The device files through which drivers reach them.
    pub(crate) nodes: Vec<Node>,
    /// The versions of the parts of NVIDIA's driver.
    pub(crate) nvidia: Nvidia,
    /// Every file that a program could get as Vulkan loader, in the order in which the dynamic linker finds them.
    pub(crate) loaders: Vec<LoaderFile>,
    /// The manifests whose libraries 32-bit programs find, if these programs find a loader.
    pub(crate) narrow: Option<Vec<String>>,
    /// Variables, and perhaps the settings file, that vkload reads and the loader that programs get does not.
    pub(crate) not_read: Vec<String>,
    pub(crate) libraries: Vec<Library>,
    /// Files near the folders of manifests that look as if they were meant to be one.
    pub(crate) strays: Vec<Stray>,
    /// The driver manifests in the folders that are searched if no variable and no settings file replaces the search.
    pub(crate) manifests: Vec<String>,
    /// The driver manifests in folders that no loader searches unless a variable names them.
    pub(crate) manifests_apart: Vec<String>,
    /// Libraries of drivers on the dynamic linker's path that none of these names.
    pub(crate) unnamed: Vec<String>,
    /// The layers in the usual folders for explicit layers, whatever variables say: names and manifests.
    pub(crate) explicit_layers: Vec<(String, String)>,
    /// The variables that name a window system which does not answer, with their values.
    pub(crate) dead_displays: Vec<(String, String)>,
    pub(crate) packages: Packages,
    /// The packages of loaders, manifests and libraries, if anything is wrong.
    pub(crate) owners: Owners,
    /// The files that set the variables, if anything is wrong.
    pub(crate) assignments: Vec<Assignment>,
    /// The kernel's complaints about graphics devices, if anything is wrong and its log may be read.
    pub(crate) kernel_log: Vec<String>,
}

impl Facts {
    /// Returns the facts for a program of this width with `variables`, whose file is `program`, if that is known. `named` are the libraries
    /// that manifests name.
    pub(crate) fn gather(variables: &Variables, program: Option<&Path>, bits: u32, named: &[Named]) -> Self {
        let search = linker::Search::new(variables, program);
        let system = system::collect();
        Self {
            environment: environment::collect(variables),
            user: user::collect(variables.get("HOME").filter(|home| !home.is_empty())),
            variables: concerning(variables),
            gpus: gpus::collect(),
            nodes: nodes::collect(),
            nvidia: nvidia::collect(&search, variables, named),
            libraries: libraries::collect(&search, named, bits),
            narrow: libraries::narrow(&search, named),
            loaders: search.loaders(),
            not_read: Vec::new(),
            strays: strays::collect(variables),
            manifests: strays::driver_manifests(variables),
            manifests_apart: strays::manifests_apart(),
            unnamed: libraries::of_drivers(&search, named, bits),
            explicit_layers: explicit_layers(variables),
            dead_displays: displays::dead(variables),
            packages: packages::collect(&system),
            owners: Owners::new(),
            assignments: Vec::new(),
            kernel_log: Vec::new(),
            system,
        }
    }

    /// Adds facts that only matter if something is wrong: the packages that files belong to, and where variables are set. `process` is the
    /// number and the program of the process that is looked at.
    pub(crate) fn add_origins(&mut self, process: Option<(u32, &Path)>) {
        let loaders = self.loaders.iter().map(|loader| loader.path.as_str());
        let named = self
            .libraries
            .iter()
            .flat_map(|library| [library.manifest.as_str()].into_iter().chain(library.path.as_deref()));
        let strays = self.strays.iter().map(|stray| stray.path.as_str());
        let others = self.manifests.iter().map(String::as_str);
        let others = others.chain(self.unnamed.iter().map(String::as_str));
        let mut paths: Vec<&str> = loaders.chain(named).chain(strays).chain(others).collect();
        paths.sort_unstable();
        paths.dedup();
        self.owners = owners::collect(Path::new("/"), self.packages.manager, &paths);
        self.assignments = assignments::collect(&self.variables, &self.user.home, process);
        self.kernel_log = kernel_log::complaints();
    }
}

/// Returns the libraries in the program's own folders that these libraries get there, each with the system's.
pub(crate) fn brought(variables: &Variables, program: &Path, libraries: &[&OsStr]) -> Vec<(String, String)> {
    let bits = u8::try_from(usize::BITS).unwrap_or(64);
    let own = linker::Search::new(variables, Some(program));
    let system = linker::Search::new(variables, None);
    let pair = |file: &PathBuf| {
        let name = file.file_name()?.to_str()?;
        let found = own.find(name, bits).filter(|found| found.because.contains("PATH of "))?;
        Some((lossless::of(found.path), lossless::of(system.find(name, bits)?.path)))
    };
    let libraries: Vec<&Path> = libraries.iter().map(Path::new).collect();
    let pairs: BTreeSet<_> = libraries::files(&own, &libraries).iter().filter_map(pair).collect();
    pairs.into_iter().collect()
}

/// Checks that only root can change these libraries and those that they need, if this process acts as root.
pub(crate) fn check_rights(variables: &Variables, libraries: &[&Path]) -> Result<(), String> {
    if !rights::is_root() {
        return Ok(());
    }
    libraries.iter().try_for_each(|library| rights::check(library))?;
    libraries::files(&linker::Search::new(variables, None), libraries)
        .iter()
        .try_for_each(|file| rights::check(file))
}

/// Returns the Vulkan loader that a program of this tool's width gets. `program` is the program's file, if it is known.
pub(crate) fn loader_of(variables: &Variables, program: Option<&Path>) -> Option<LoaderFile> {
    let loaders = linker::Search::new(variables, program).loaders();
    loaders.into_iter().find(|loader| loader.first && u32::from(loader.bits) == usize::BITS)
}

/// Returns the graphics devices of this machine, and whether each sleeps, in the kernel's words.
pub(crate) fn gpus_with_power() -> Vec<(Gpu, String)> {
    let power = |gpu: Gpu| {
        let power = gpus::power(Path::new("/"), &gpu.address);
        (gpu, power)
    };
    gpus::collect().into_iter().map(power).collect()
}

/// Returns the width of a program or library, 32 or 64. `None` if it is neither.
pub(crate) fn bits_of(file: &Path) -> Option<u32> {
    elf::read(file).ok().map(|elf| u32::from(elf.bits))
}

/// Beginnings of the names of variables that loaders, drivers, Mesa or the dynamic linker read, separated by blanks.
pub(crate) const READ: &str = "AMD_ ANV_ CUDA_VISIBLE DISABLE_ DRI_PRIME DXVK_ ENABLE_ GALLIUM_ GLIBC_TUNABLES INTEL_ LD_ LIBGL_ \
    LVP_ MESA_ NVK_ PAN_ RADV_ TU_ VKLOAD_NULL VK_ ZINK_ __EGL __GLX __NV __VK";
/// Beginnings of the names of other variables that concern the doctor.
const CONCERNING: &str = "APPDIR APPIMAGE CONTAINER DISPLAY FLATPAK_ GIO_LAUNCHED_DESKTOP_FILE HOME IN_NIX_SHELL LANG \
    MANGOHUD NVIDIA_ OBS_VKCAPTURE PATH PRESSURE_VESSEL SDL_ SNAP STEAM_ VKBASALT WAYLAND_DISPLAY \
    WGPU_ADAPTER WSL_ XDG_ container";

/// Returns whether the name begins with one of these words, which blanks separate.
pub(crate) fn begins(name: &str, words: &str) -> bool {
    words.split(' ').any(|start| name.starts_with(start))
}

/// Returns the variables among these that concern the doctor, or that look as if they were meant to (another case, a missing letter).
fn concerning(variables: &Variables) -> Variables {
    let concerns = |name: &str| {
        let upper = name.to_ascii_uppercase();
        begins(name, READ)
            || begins(name, CONCERNING)
            || ["VK", "ICD", "VULK", "LAYER"].iter().any(|part| upper.contains(part))
    };
    variables
        .iter()
        .filter(|(name, _)| concerns(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}
