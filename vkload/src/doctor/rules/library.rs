//! What is wrong with a library that a manifest names.

use super::super::case::{Case, file_name, quoted};
use crate::facts::{Library, LibraryState, Missing, VersionNeed};

/// What is wrong with a library, and what to do.
pub(super) struct Fault {
    pub(super) id: &'static str,
    pub(super) what: String,
    pub(super) steps: Vec<String>,
    /// Whether it is meant for other programs: then nothing is wrong as long as something else works.
    pub(super) is_usual: bool,
}

/// The fault of the library that `manifest` names, a driver's or a layer's (`noun`), if it has one.
pub(super) fn fault(case: &Case, manifest: &str, noun: &str) -> Option<Fault> {
    let library = case.library(manifest)?;
    let path = library.path.as_deref().unwrap_or(&library.library);
    let fault = |id, what: String, steps: Vec<String>| Some(Fault { id, what, steps, is_usual: false });
    let reinstall = || format!("Reinstall the package that brings {}", file_name(path));
    match &library.state {
        LibraryState::Fine if library.is_loader => fault(
            "loader-as-driver",
            format!("names {path}, which is the Vulkan loader itself and not a {noun}"),
            vec![remove(case, manifest)],
        ),
        LibraryState::Fine => library
            .missing
            .first()
            .map(|missing| missing_library(case, library, missing))
            .or_else(|| library.versions.first().map(|need| old_library(need))),
        LibraryState::Absent => fault(
            "library-absent",
            format!("names the library {}, which does not exist", library.library),
            absent_steps(case, manifest, noun),
        ),
        LibraryState::DanglingLink { to } => fault(
            "library-dangling",
            format!("names {path}, a link to {to}, which does not exist"),
            vec![reinstall(), remove(case, manifest)],
        ),
        LibraryState::Denied { mode, owner, of } => {
            let bits = if of == path { "a+r" } else { "a+rx" };
            let what = format!(
                "you have no permission to read {of} (mode {mode:04o}, owner {owner}), which it needs"
            );
            fault("library-denied", what, vec![format!("sudo chmod {bits} {}", quoted(of))])
        }
        LibraryState::NotElf { what } => fault(
            "library-not-elf",
            format!("names {path}, which is not a library ({what})"),
            vec![reinstall()],
        ),
        LibraryState::Truncated { size, needs } => fault(
            "library-truncated",
            format!("names {path}, which is cut short: it has {size} of {needs} bytes"),
            vec![format!("{}: an interrupted installation or a full disk leaves such a file", reinstall())],
        ),
        LibraryState::WrongClass { bits } => Some(Fault {
            id: "library-class",
            what: format!(
                "is for {bits}-bit programs: {path} is a {bits}-bit library, and programs here have {} bits",
                case.target.bits
            ),
            steps: install_class(case, noun),
            is_usual: true,
        }),
        LibraryState::WrongMachine { machine } => fault(
            "library-machine",
            format!(
                "names {path}, which is for {machine} processors, and this one is {}",
                case.facts.system.machine
            ),
            vec![
                format!("Install the {noun}'s build for {}", case.facts.system.machine),
                remove(case, manifest),
            ],
        ),
        LibraryState::NoExecMount { mount } => fault(
            "library-noexec",
            format!("names {path}, and no code can be loaded from {mount}, which is mounted noexec"),
            vec![
                format!("sudo mount -o remount,exec {}", quoted(mount)),
                format!("Or install the {noun} somewhere else"),
            ],
        ),
        LibraryState::IsFolder => {
            fault("library-folder", format!("names {path}, which is a folder"), vec![reinstall()])
        }
    }
}

fn remove(case: &Case, manifest: &str) -> String {
    format!("{}rm {}", case.sudo(manifest), quoted(manifest))
}

fn absent_steps(case: &Case, manifest: &str, noun: &str) -> Vec<String> {
    let library = case.library(manifest).map(|library| library.library.as_str()).unwrap_or_default();
    let is_nvidia = library.contains("nvidia");
    if is_nvidia && case.facts.place.container.is_some() {
        return vec!["Start the container with --gpus all -e NVIDIA_DRIVER_CAPABILITIES=all, which puts NVIDIA's libraries into it".to_owned()];
    }
    vec![
        format!("If the {noun} was removed, remove what it left: {}", remove(case, manifest)),
        "Otherwise reinstall its package".to_owned(),
    ]
}

fn install_class(case: &Case, noun: &str) -> Vec<String> {
    let install = case.facts.packages.manager.filter(|_| noun == "driver").and_then(|manager| {
        let command = manager.vulkan_drivers(None).into_iter().next()?;
        Some(manager.for_bits(&command, case.target.bits))
    });
    match install {
        Some(command) => vec![command],
        None => vec![format!("Install the {}-bit build of the {noun}", case.target.bits)],
    }
}

fn missing_library(case: &Case, library: &Library, missing: &Missing) -> Fault {
    let needs = if library.path.as_deref() == Some(&missing.needed_by) || missing.needed_by.is_empty() {
        String::new()
    } else {
        format!(", through {}", file_name(&missing.needed_by))
    };
    let count = library.missing.len();
    let more = if count > 1 { format!(" (and {} more)", count - 1) } else { String::new() };
    let what = format!("needs {}{needs}, which is not installed{more}", missing.library);
    let mut steps = Vec::new();
    if let Some(elsewhere) = &missing.elsewhere {
        let folder = elsewhere.rsplit_once('/').map_or("/", |(folder, _)| folder);
        steps.push(format!("It is at {elsewhere}, which is not searched: echo {folder} | sudo tee /etc/ld.so.conf.d/vulkan.conf && sudo ldconfig"));
    } else if case.is_sealed() {
        steps.push("Nothing can be installed in here: update the application and its runtime".to_owned());
    } else {
        let manager = case.facts.packages.manager;
        let unknown = || vec![format!("Install the package that has {}", missing.library)];
        steps.extend(
            manager
                .map_or_else(unknown, |manager| manager.install_library(&missing.library, case.target.bits)),
        );
    }
    Fault { id: "library-missing", what, steps, is_usual: false }
}

fn old_library(need: &VersionNeed) -> Fault {
    let has = need.has.as_ref().map(|has| format!(", whose newest is {has}")).unwrap_or_default();
    let found = if need.found.is_empty() { need.library.clone() } else { need.found.clone() };
    let what = format!("needs {} of {}, and programs get {found}{has}", need.version, need.library);
    let steps = if need.because == "LD_LIBRARY_PATH" {
        vec![
            "unset LD_LIBRARY_PATH".to_owned(),
            format!("Or remove {} from that folder: it is found instead of the system's", file_name(&found)),
        ]
    } else {
        vec!["It was built for a newer system: install the build for this distribution, or update the distribution".to_owned()]
    };
    Fault { id: "library-too-old", what, steps, is_usual: false }
}
