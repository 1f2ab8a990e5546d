//! Whom the doctor judges for: a program with its variables, and the loader and layers that it gets.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::program::Program;
use crate::command::Command;
use crate::facts::{self, LoaderFile, Variables};
use crate::lossless;
use crate::probe::Subject;
use crate::rights::{self, Rights};
use crate::switches::Changes;
use crate::view::LayerView;

/// A program, known or not.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Target {
    /// The program's file. `None`: any program.
    pub(crate) program: Option<PathBuf>,
    /// The file that runs then: a script's interpreter.
    pub(crate) executable: Option<PathBuf>,
    pub(crate) app_image: bool,
    /// Whether the program has more rights than its user, and so ignores variables.
    pub(crate) elevated: bool,
    /// The process, where one is looked at.
    pub(crate) process: Option<Process>,
    /// The Vulkan loader to open: a path, or the name to pass to the dynamic linker.
    pub(crate) loader: String,
    /// Whether the program's RPATH or RUNPATH leads to it.
    #[serde(skip)]
    pub(crate) brings_loader: bool,
    /// Whether that is the loader in this program, which is not a file of its own.
    #[serde(skip)]
    pub(crate) built_in: bool,
    /// 32 or 64.
    pub(crate) bits: u32,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Process {
    pub(crate) id: u32,
    /// Vulkan loaders, drivers and layers that are in its memory.
    pub(crate) libraries: Vec<String>,
    /// Whether its file system is another one, as in a container.
    pub(crate) elsewhere: bool,
    /// The device files of GPUs that are here, if the process's `/dev` has none of them.
    pub(crate) lacks: Vec<String>,
    /// Its systemd service, unless that is one of its user's.
    pub(crate) service: Option<String>,
    /// Whether it has fewer rights than this process, so that nothing may be tried for it.
    #[serde(skip)]
    pub(crate) confined: bool,
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
    /// Returns the target for any program of this width, or for the program with this name.
    pub(crate) fn program(name: Option<&Path>, bits: u32) -> Result<Self, String> {
        let mut target = Self { bits, loader: SONAME.to_owned(), ..Self::default() };
        if let Some(name) = name {
            let program = Program::find(name)?;
            target.bits = facts::bits_of(&program.executable).unwrap_or(bits);
            (target.program, target.executable) = (Some(program.file), Some(program.executable));
            target.app_image = program.is_app_image;
            target.elevated = target.executable.as_deref().is_some_and(rights::gives_rights);
        }
        Ok(target)
    }

    pub(crate) fn this_program() -> Self {
        let program = env::current_exe().ok();
        Self {
            executable: program.clone(),
            program,
            loader: "the Vulkan loader in this program".to_owned(),
            built_in: true,
            bits: usize::BITS,
            ..Self::default()
        }
    }

    /// Returns any program, if it got the loader that is built into vkload.
    pub(crate) fn own_loader() -> Self {
        let loader = "the loader that is built into vkload".to_owned();
        Self { loader, built_in: true, bits: usize::BITS, ..Self::default() }
    }

    pub(super) fn subject(&self) -> Subject {
        if self.built_in { Subject::Own } else { Subject::Loader { library: self.loader.clone() } }
    }

    /// Returns a running process, and its variables. From then on, this process has no more rights than that one.
    pub(crate) fn process(id: u32) -> Result<(Self, Variables), String> {
        let folder = PathBuf::from(format!("/proc/{id}"));
        let problem = |what: &str, error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                format!("no process {id}; `pgrep NAME` finds the number")
            }
            std::io::ErrorKind::PermissionDenied => {
                format!(
                    "you have no permission to read {what} of process {id}, which is another user's; run `sudo vkload doctor --pid {id}`, which tries things with that user's rights"
                )
            }
            _ => format!("cannot read {what} of process {id}: {error}"),
        };
        let rights = Rights::read(&folder);
        let environment =
            fs::read(folder.join("environ")).map_err(|error| problem("the environment", error))?;
        let maps = fs::read(folder.join("maps")).map_err(|error| problem("the memory map", error))?;
        let maps = lossless::text(&maps);
        let program = fs::read_link(folder.join("exe")).ok();
        let elsewhere = rights::root(&folder) != rights::root(Path::new("/proc/self"));
        let lacks = if elsewhere { Vec::new() } else { facts::missing_below(&folder.join("root")) };
        let service = facts::service(id).filter(|(_, of_user)| !of_user).map(|(name, _)| name);
        // The rest comes from its user.
        let confined = rights::take_on(&folder, rights)
            .map_err(|error| format!("process {id} is not judged: {error}"))?;
        let mut variables = variables_in(&environment);
        for name in rights::unsafe_variables(facts::pairs(&variables)) {
            variables.remove(&lossless::of(name));
        }
        let bits = facts::bits_of(&folder.join("exe")).unwrap_or(usize::BITS);
        let libraries = libraries_in(&maps);
        let loader = loaders_in(&libraries).next().cloned();
        let process = Process { id, libraries, elsewhere, lacks, service, confined };
        let target = Self {
            executable: program.clone(),
            program,
            process: Some(process),
            loader: loader.unwrap_or_else(|| SONAME.to_owned()),
            bits,
            ..Self::default()
        };
        Ok((target, variables))
    }

    /// Returns the other loaders of this machine that programs of this width could get.
    pub(crate) fn others(&self, loaders: &[LoaderFile]) -> Vec<String> {
        let fits = |loader: &&LoaderFile| loader.name == SONAME && u32::from(loader.bits) == self.bits;
        let first =
            loaders.iter().find(|loader| loader.first && fits(loader)).map(|loader| &loader.real_path);
        let others = loaders.iter().filter(fits).filter(|loader| Some(&loader.real_path) != first);
        others.map(|loader| loader.path.clone()).collect()
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
        self.brings_loader = first.is_some_and(|first| first.because.contains("PATH of "));
    }
}

/// Returns the libraries with a loader's name. Drivers have names such as `libvulkan_intel.so`.
pub(super) fn loaders_in(libraries: &[String]) -> impl Iterator<Item = &String> {
    libraries
        .iter()
        .filter(|path| path.rsplit('/').next().is_some_and(|name| name.starts_with("libvulkan.so")))
}

fn variables_in(environment: &[u8]) -> Variables {
    let entries = environment.split(|byte| *byte == 0).map(lossless::text);
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

/// The name of the meta-layer by which Vulkan Configurator turned layers on before there was a settings file.
pub(super) const OVERRIDE: &str = "VK_LAYER_LUNARG_override";

/// The variable that names the layers to enable.
const NAMES: &str = "VK_INSTANCE_LAYERS";

impl LayerView {
    /// Returns the changes to variables with which it is active behind all other layers, if variables make it active.
    pub(crate) fn last(&self, variables: &Variables) -> Option<Changes> {
        let mut changes = Changes::new();
        match self.variable() {
            None => {
                let (name, _) = self.enable.as_ref().filter(|(name, _)| variables.contains_key(name))?;
                changes.insert(name.clone(), None);
            }
            Some(name) if name != NAMES => return None,
            Some(_) => {}
        }
        let before = variables.get(NAMES).map(String::as_str).unwrap_or_default();
        let others = before.split(':').filter(|name| !name.is_empty() && *name != self.name);
        let list: Vec<_> = others.chain([self.name.as_str()]).collect();
        changes.insert(NAMES.to_owned(), Some(list.join(":")));
        Some(changes).filter(|_| !self.is_by_settings() && self.part_of.is_none())
    }

    pub(crate) fn off(&self, variables: &Variables) -> Command {
        if let Some(name) = self.variable() {
            return Command::unset(name);
        }
        // No variable overrides the settings file.
        if self.is_by_settings() {
            return Command::new("vkload layers --disable {} -- PROGRAM", &[&self.name]);
        }
        if let Some((_, manifest)) = self.part_of.as_ref().filter(|meta| meta.0 == OVERRIDE) {
            return Command::new("rm {}", &[manifest]);
        }
        match (&self.enable, &self.disable) {
            (Some((name, _)), _) if variables.contains_key(name) => Command::unset(name),
            (_, Some((name, _))) => Command::export(name, &"1"),
            _ => {
                let before = variables.get("VK_LOADER_LAYERS_DISABLE").map(String::as_str);
                let list: Vec<_> = before.into_iter().chain([self.name.as_str()]).collect();
                Command::export("VK_LOADER_LAYERS_DISABLE", &list.join(","))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_driver_in_a_process_is_not_taken_for_its_loader() {
        let maps = "\
7f00-7f10 r-xp 00000000 08:01 1 /usr/lib/x86_64-linux-gnu/libvulkan_intel_hasvk.so
7f20-7f30 r-xp 00000000 08:01 2 /usr/lib/x86_64-linux-gnu/libvulkan.so.1.3.239
";
        let libraries = libraries_in(maps);
        assert_eq!(libraries.len(), 2);
        let loaders: Vec<_> = loaders_in(&libraries).collect();
        assert_eq!(loaders, ["/usr/lib/x86_64-linux-gnu/libvulkan.so.1.3.239"]);
    }
}
