//! Problems of a library that a manifest names.

use super::super::case::{Case, file_name};
use super::super::finding::Id;
use crate::command::{Command, Step};
use crate::facts::{CPU, Library, LibraryState, Missing, VersionNeed};

pub(super) struct LibraryProblem {
    pub(super) id: Id,
    pub(super) what: String,
    pub(super) steps: Vec<Step>,
    /// Whether it is meant for other programs: then nothing is wrong as long as something else works.
    pub(super) is_usual: bool,
}

/// Returns the fault of the library that `manifest` names, a driver's or a layer's (`noun`), if it has one.
pub(super) fn fault(case: &Case, manifest: &str, noun: &str) -> Option<LibraryProblem> {
    let library = case.library(manifest)?;
    let path = library.path.as_deref().unwrap_or(&library.library);
    let fault =
        |id, what: String, steps: Vec<Step>| Some(LibraryProblem { id, what, steps, is_usual: false });
    match &library.state {
        LibraryState::Fine if library.is_loader => fault(
            Id::LoaderAsDriver,
            format!("names {path}, which is the Vulkan loader itself and not a {noun}"),
            vec![case.remove(manifest).into()],
        ),
        LibraryState::Fine => library
            .missing
            .first()
            .map(|missing| missing_library(case, library, missing))
            .or_else(|| library.versions.first().map(|need| old_library(path, need))),
        LibraryState::Absent => fault(
            Id::LibraryAbsent,
            match &library.library {
                name if name.trim_end() != name => {
                    format!("names the library \"{name}\", whose name ends in a blank: it does not exist")
                }
                path if path.contains('/') => format!("names the library {path}, which does not exist"),
                name => format!("names the library {name}, which the dynamic linker does not find"),
            },
            absent_steps(case, manifest, noun),
        ),
        LibraryState::DanglingLink { to } => fault(
            Id::LibraryDangling,
            format!("names {path}, a link to {to}, which does not exist"),
            if library.library.contains("nvidia") {
                absent_steps(case, manifest, noun)
            } else {
                vec![case.reinstall(path), case.remove(manifest).into()]
            },
        ),
        LibraryState::Denied { mode, owner, of } => {
            let what = format!(
                "names {path}, and you have no permission to read {of} (mode {mode:04o}, owner {owner})"
            );
            fault(Id::LibraryDenied, what, vec![permit(case, of)])
        }
        LibraryState::NotElf { what } => fault(
            Id::LibraryNotElf,
            format!("names {path}, which is not a library: {what}"),
            vec![case.reinstall(path)],
        ),
        LibraryState::Truncated { size, needs } => fault(
            Id::LibraryTruncated,
            format!("names {path}, which is cut short: it has {size} of {needs} bytes"),
            vec![
                case.reinstall(path),
                "Check the disk: an interrupted installation or a full disk leaves such a file".into(),
            ],
        ),
        LibraryState::WrongClass { bits } => Some(LibraryProblem {
            id: Id::LibraryClass,
            what: format!(
                "names {path}, a {bits}-bit library, which {}-bit programs cannot load",
                case.target.bits
            ),
            steps: install_class(case, noun, path),
            is_usual: true,
        }),
        LibraryState::WrongMachine { machine } => fault(
            Id::LibraryMachine,
            format!(
                "names {path}, which was built for {machine} processors, and this one is {}",
                case.facts.system.machine
            ),
            vec![
                format!("Install the {noun}'s build for {}", case.facts.system.machine).into(),
                case.remove(manifest).into(),
            ],
        ),
        LibraryState::NoExecMount { mount } => fault(
            Id::LibraryNoexec,
            format!("names {path}, and no code can be loaded from {mount}, which is mounted noexec"),
            vec![format!("Install the {noun} in a folder from which programs may run, such as /opt").into()],
        ),
        LibraryState::IsFolder => fault(
            Id::LibraryFolder,
            format!("names {path}, which is a folder"),
            vec![case.reinstall(manifest)],
        ),
    }
}

/// Returns the command that makes the dynamic linker find this file.
fn find(case: &Case, file: &str) -> Command {
    let folder = file.rsplit_once('/').map_or("/", |(folder, _)| folder);
    let before = case.variable("LD_LIBRARY_PATH").map(|value| format!(":{value}")).unwrap_or_default();
    Command::export("LD_LIBRARY_PATH", &format!("{folder}{before}"))
}

fn absent_steps(case: &Case, manifest: &str, noun: &str) -> Vec<Step> {
    if let Some(file) = case.library(manifest).and_then(|library| library.elsewhere.as_ref()) {
        let step = Step::say(format!("It is at {file}, where programs do not search: "));
        return vec![step.run(find(case, file)), case.reinstall(manifest)];
    }
    let library = case.library(manifest).map(|library| library.library.as_str()).unwrap_or_default();
    let has_double =
        library.contains("nvidia") && case.devices().iter().any(|device| device.vendor == 0x10de);
    // A manifest that no package brought is a leftover, unless it may be the only way to the GPU.
    let can_go = noun != "driver" || case.good_drivers().next().is_some();
    match case.facts.owners.get(manifest) {
        _ if has_double => return vec![case.remove(manifest).into()],
        _ if library.contains("nvidia") => {}
        Some(package) if package.is_empty() && can_go => return vec![case.remove(manifest).into()],
        Some(package) if !package.is_empty() => return vec![case.reinstall(manifest)],
        _ => {}
    }
    if library.contains("nvidia")
        && (case.facts.environment.container.is_some() || case.facts.nvidia.module.is_some())
    {
        return case.install_nvidia();
    }
    vec![
        Step::say(format!("If the {noun} was uninstalled, remove its leftover manifest: "))
            .run(case.remove(manifest)),
        case.reinstall(manifest),
    ]
}

/// Messages of the dynamic linker by a part, with their meaning and the remedy.
const OF_LINKER: &[(&str, &str, &str)] = &[
    (
        "CPU ISA level",
        "it was built for newer processors than this one",
        "Install the build for all processors of this kind (x86-64 instead of x86-64-v3 or v4)",
    ),
    (
        "aligned",
        "it was built for other memory pages than this kernel's",
        "Install the build for this kernel's memory pages, or start a kernel with pages of 4 KiB",
    ),
    (
        "executable stack",
        "it wants an executable stack, which this system does not give",
        "Update it, or clear the mark with execstack or patchelf: patchelf --clear-execstack LIBRARY",
    ),
    (
        "static TLS block",
        "libraries that were loaded before it have taken the memory that it needs in each thread",
        "",
    ),
    (
        "cannot restore segment prot",
        "SELinux does not let it change its code",
        "See what SELinux forbids: sudo ausearch -m avc -ts recent",
    ),
];

/// Returns the meaning of the dynamic linker's message about a library, and the remedy.
pub(super) fn linker(words: &str) -> Option<(&'static str, Step)> {
    let (_, meaning, step) = OF_LINKER.iter().find(|(part, ..)| words.contains(part))?;
    let tunable = || Command::export("GLIBC_TUNABLES", &"glibc.rtld.optional_static_tls=8192").into();
    Some((meaning, if step.is_empty() { tunable() } else { Step::from(*step) }))
}

/// Folders of libraries and manifests into which only root writes.
const OF_VULKAN: &[&str] =
    &["/etc/vulkan/", "/lib/", "/opt/", "/usr/lib/", "/usr/lib64/", "/usr/local/", "/usr/share/vulkan/"];

pub(super) fn is_of_vulkan(path: &str) -> bool {
    let leaves = path.split('/').any(|part| part == "..");
    !leaves && OF_VULKAN.iter().any(|folder| path.starts_with(folder))
}

/// Returns the step that lets everybody read a file or folder. What is not Vulkan's may be a secret, and the file's name may be a trap.
pub(super) fn permit(case: &Case, path: &str) -> Step {
    if case.variable("container") == Some("firejail") {
        return case.allow(path);
    }
    if is_of_vulkan(path) {
        return Command::new("sudo chmod a+rX {}", &[&path]).into();
    }
    "If it is meant for Vulkan, move it to a folder that every user can read".into()
}

fn install_class(case: &Case, noun: &str, path: &str) -> Vec<Step> {
    if path.contains("nvidia") && case.facts.environment.container.is_some() {
        return vec![format!("Put the host's {}-bit library of this name in its place, and update what brings the host's libraries into this container", case.target.bits).into()];
    }
    vec![match noun {
        "driver" => case.install_driver(CPU),
        _ => format!("Install the {}-bit build of the {noun}", case.target.bits).into(),
    }]
}

fn missing_library(case: &Case, library: &Library, missing: &Missing) -> LibraryProblem {
    let path = library.path.as_deref().unwrap_or(&library.library);
    let through = if path == missing.needed_by || missing.needed_by.is_empty() {
        String::new()
    } else {
        format!(" (through {})", file_name(&missing.needed_by))
    };
    let count = library.missing.len();
    let more = if count > 1 { format!(", as {} more are", count - 1) } else { String::new() };
    if missing.library.starts_with("libc.musl") || missing.library.starts_with("ld-musl") {
        let what = format!("names {path}, which was built for musl, and the C library here is glibc");
        let steps = vec!["Install the build for this distribution".into()];
        return LibraryProblem { id: Id::LibraryMusl, what, steps, is_usual: false };
    }
    if let Some(of) = &missing.denied {
        let needed = &missing.library;
        let what = format!(
            "names {path}, which needs {needed}{through}, and you have no permission for {of}, where that library lies"
        );
        return LibraryProblem {
            id: Id::LibraryDenied,
            what,
            steps: vec![permit(case, of)],
            is_usual: false,
        };
    }
    let what =
        format!("names {path}, which needs {}{through}: that library is missing{more}", missing.library);
    let mut steps: Vec<Step> = Vec::new();
    if let Some(elsewhere) = missing.elsewhere.as_deref().filter(|path| is_of_vulkan(path)) {
        let folder = elsewhere.rsplit_once('/').map_or("/", |(folder, _)| folder);
        let syntax = "echo {} | sudo tee /etc/ld.so.conf.d/vulkan.conf && sudo ldconfig";
        steps.push(Command::new(syntax, &[&folder]).into());
        steps.push(format!("It is at {elsewhere}, where programs do not search without that").into());
    } else {
        steps.extend(case.install_library(&missing.library));
    }
    LibraryProblem { id: Id::LibraryMissing, what, steps, is_usual: false }
}

fn old_library(path: &str, need: &VersionNeed) -> LibraryProblem {
    let has = need.has.as_ref().map(|has| format!(" (newest: {has})")).unwrap_or_default();
    let found = if need.found.is_empty() { &need.library } else { &need.found };
    let what =
        format!("names {path}, which needs {} of {}; programs get {found}{has}", need.version, need.library);
    let step = "The driver was built for a newer system: install the build for this distribution, or update the distribution";
    LibraryProblem { id: Id::LibraryTooOld, what, steps: vec![step.into()], is_usual: false }
}
