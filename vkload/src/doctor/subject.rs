//! Whom the doctor judges for: a program with its variables, and the loader and layers that it gets.

use std::fs;
use std::path::{Path, PathBuf};

use loader_core::discovery::{Because, LayerKind, LayerPlan, LayerRequest};
use loader_core::memory::Shown;
use serde::{Deserialize, Serialize};

use crate::facts::{LoaderFile, Variables};
use crate::planned::Planned;
use crate::probe::Subject;

/// A program, known or not.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Target {
    /// The program's file. `None`: any program.
    pub(crate) program: Option<PathBuf>,
    /// The process, where one is looked at.
    pub(crate) process: Option<Process>,
    /// What is opened as Vulkan loader: a path, or the name that the dynamic linker gets.
    pub(crate) loader: String,
    /// 32 or 64.
    pub(crate) bits: u32,
}

/// A running process.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Process {
    pub(crate) id: u32,
    /// Vulkan loaders, drivers and layers that are in its memory.
    pub(crate) libraries: Vec<String>,
    /// Whether its file system is another one, as in a container.
    pub(crate) elsewhere: bool,
}

/// The name by which programs are linked to the loader.
pub(crate) const SONAME: &str = "libvulkan.so.1";

/// Parts of the names of libraries that are worth naming in a process.
const TELLING: &[&str] = &[
    "libvulkan",
    "nvidia",
    "libVkLayer",
    "Vk",
    "vulkan_",
    "MangoHud",
    "renderdoc",
    "vkbasalt",
    "libGLX_nvidia",
];

impl Target {
    /// Any program, or one of this file.
    pub(crate) fn program(program: Option<&Path>, bits: u32) -> Self {
        let program = program.map(|program| find_program(program).unwrap_or_else(|| program.to_owned()));
        Self { program, bits, loader: SONAME.to_owned(), process: None }
    }

    /// A running process, and its variables.
    pub(crate) fn process(id: u32) -> Result<(Self, Variables), String> {
        let folder = PathBuf::from(format!("/proc/{id}"));
        let problem = |what: &str, error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                format!("there is no process {id}; `pgrep NAME` finds the number")
            }
            std::io::ErrorKind::PermissionDenied => {
                format!(
                    "you have no permission to read {what} of process {id}, which is another user's; run `sudo vkload doctor --pid {id}`"
                )
            }
            _ => format!("cannot read {what} of process {id}: {error}"),
        };
        let environment =
            fs::read(folder.join("environ")).map_err(|error| problem("the environment", error))?;
        let maps =
            fs::read_to_string(folder.join("maps")).map_err(|error| problem("the memory map", error))?;
        let program = fs::read_link(folder.join("exe")).ok();
        let root = |of: &Path| {
            fs::metadata(of.join("root/.")).ok().map(|found| {
                use std::os::unix::fs::MetadataExt as _;
                (found.dev(), found.ino())
            })
        };
        let elsewhere = root(&folder) != root(Path::new("/proc/self"));
        let libraries = libraries_in(&maps);
        let loader = libraries.iter().find(|path| path.contains("/libvulkan")).cloned();
        let process = Process { id, libraries, elsewhere };
        let target = Self {
            program,
            process: Some(process),
            loader: loader.unwrap_or_else(|| SONAME.to_owned()),
            bits: 64,
        };
        Ok((target, variables_in(&environment)))
    }

    /// Settles which file is opened, now that the dynamic linker's search is known.
    pub(crate) fn settle(&mut self, loaders: &[LoaderFile]) {
        let first = loaders
            .iter()
            .find(|loader| loader.first && loader.name == SONAME && u32::from(loader.bits) == self.bits);
        // Its own copy is found only by the program itself, so it is opened by its path.
        if let (Some(_), Some(first), true) = (&self.program, first, self.loader == SONAME) {
            self.loader.clone_from(&first.path);
        }
    }
}

/// The file that a shell would start.
fn find_program(program: &Path) -> Option<PathBuf> {
    if program.components().count() > 1 {
        return program.canonicalize().ok();
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

fn variables_in(environment: &[u8]) -> Variables {
    let entries = environment.split(|byte| *byte == 0).map(String::from_utf8_lossy);
    entries
        .filter_map(|entry| entry.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned())))
        .collect()
}

fn libraries_in(maps: &str) -> Vec<String> {
    let mut libraries: Vec<String> = Vec::new();
    for path in maps.lines().filter_map(|line| line.find('/').and_then(|at| line.get(at..))) {
        let telling = path.contains(".so") && TELLING.iter().any(|part| path.contains(part));
        if telling && !libraries.iter().any(|known| known == path) {
            libraries.push(path.to_owned());
        }
    }
    libraries
}

/// A layer that is active in a program that asks for none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layer {
    pub(crate) name: String,
    /// Its place in the plan.
    pub(crate) place: usize,
    pub(crate) manifest: String,
    /// Empty for a meta-layer.
    pub(crate) library: String,
    pub(crate) implicit: bool,
    /// The environment variable whose value makes it active. Empty where none does.
    pub(crate) by_variable: String,
    /// Whether the settings file makes it active.
    pub(crate) by_settings: bool,
    /// The variable and its value that make it active, from its manifest.
    pub(crate) enable: Option<(String, String)>,
    /// The variable and its value that turn it off, from its manifest.
    pub(crate) disable: Option<(String, String)>,
    negotiate: String,
}

impl Layer {
    /// Those layers, in the order of calls.
    pub(crate) fn active(planned: &Planned) -> Vec<Self> {
        let Ok(active) = planned.layers.activate(&LayerRequest::default()) else { return Vec::new() };
        active.layers.iter().filter_map(|one| Self::new(&planned.layers, one.layer, one.because)).collect()
    }

    fn new(plan: &LayerPlan, place: usize, because: Because) -> Option<Self> {
        let candidate = plan.layers.get(place)?;
        let manifest = candidate.manifest.as_ref()?;
        let switch = |switch: &Option<loader_core::manifest::Switch>| {
            switch.as_ref().map(|it| (Shown(it.variable.bytes()).to_string(), Shown(&it.value).to_string()))
        };
        let by_variable = match because {
            Because::Variable(name) => name.to_string_lossy().into_owned(),
            _ => String::new(),
        };
        Some(Self {
            name: Shown(candidate.name()).to_string(),
            place,
            manifest: Shown(&candidate.path).to_string(),
            library: Shown(&candidate.library).to_string(),
            implicit: candidate.kind == LayerKind::Implicit,
            by_variable,
            by_settings: because == Because::Settings,
            enable: switch(&manifest.enable_environment),
            disable: switch(&manifest.disable_environment),
            negotiate: manifest.functions.negotiate.as_ref().map_or_else(
                || "vkNegotiateLoaderLayerInterfaceVersion".to_owned(),
                |name| Shown(name.bytes()).to_string(),
            ),
        })
    }

    /// The layer as something to try.
    pub(crate) fn subject(&self) -> Subject {
        Subject::Layer { library: self.library.clone(), negotiate: self.negotiate.clone() }
    }

    /// The command that turns it off.
    pub(crate) fn off(&self, variables: &Variables) -> String {
        if !self.by_variable.is_empty() {
            return format!("unset {}", self.by_variable);
        }
        match (&self.enable, &self.disable) {
            (Some((name, _)), _) if variables.contains_key(name) => format!("unset {name}"),
            (_, Some((name, value))) => {
                format!("export {name}={}", if value.is_empty() { "1" } else { value })
            }
            _ => {
                let before = variables.get("VK_LOADER_LAYERS_DISABLE").map(String::as_str);
                let list: Vec<_> = before.into_iter().chain([self.name.as_str()]).collect();
                format!("export VK_LOADER_LAYERS_DISABLE={}", list.join(","))
            }
        }
    }
}
