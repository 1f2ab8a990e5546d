//! The loader that programs get.

use super::super::case::Case;
use super::super::finding::{Finding, Id, Severity};
use super::super::gather::is_ignored;
use super::super::subject::{SONAME, loaders_in};
use crate::command::{Command, Step};
use crate::facts::{LibraryState, LoaderFile};
use crate::probe::{Cause, Ending, Stage, Trial};

/// Returns the loaders that a program of this width could get.
fn fitting(case: &Case) -> impl Iterator<Item = &LoaderFile> {
    case.facts.loaders.iter().filter(|loader| u32::from(loader.bits) == case.target.bits)
}

fn first<'a>(case: &'a Case, name: &str) -> Option<&'a LoaderFile> {
    fitting(case).find(|loader| loader.first && loader.name == name)
}

/// Reports that nothing was tried, because the process for the trial failed earlier.
pub(super) fn not_begun(case: &Case) -> Option<Finding> {
    let program = case.trials.program.as_ref().filter(|trial| !trial.has_begun())?;
    let finding =
        |severity, about, what: String| Finding::new(case, Id::NotTried, about, what).with_severity(severity);
    let loaded = ["LD_PRELOAD", "LD_AUDIT"].into_iter().find_map(|name| Some((name, case.variable(name)?)));
    Some(match loaded {
        Some((name, value)) if program.is_violent() => {
            let what = format!("is \"{value}\", and a program with that {program}");
            finding(Severity::Error, name, what).step(Command::unset(name))
        }
        _ => finding(Severity::Warning, "", format!("nothing could be tried: the process for it {program}"))
            .step("To judge by files and variables alone: vkload doctor --no-probe"),
    })
}

/// Reports variables that are set, and that this loader does not read.
pub(super) fn not_read(case: &Case) -> Vec<Finding> {
    let is_set = |name: &&String| case.facts.variables.get(*name).is_some_and(|value| !value.is_empty());
    let version = case.trials.program.as_ref().map(|trial| trial.version.as_str()).unwrap_or_default();
    let of = |name: &String| {
        let is_elevated = case.target.elevated && is_ignored(name);
        if let (true, Some(program)) = (is_elevated, &case.target.executable) {
            let what =
                "is set, and the program ignores it, since its file gives it more rights than you have";
            let finding = Finding::new(case, Id::NotRead, name, what).with_severity(Severity::Warning);
            return finding.step(Command::new("ls -l {}; getcap {}", &[program, program]));
        }
        let what =
            format!("is set, and the Vulkan loader here ({version}) does not read it: it has no effect");
        let finding =
            Finding::new(case, Id::NotRead, name, what.replace(" ()", "")).with_severity(Severity::Warning);
        finding.step("Update the Vulkan loader").step(Step::say("Or ").run(Command::unset(name)))
    };
    let is_usual =
        |name: &str| name.starts_with("VK_LOADER_X_") || (case.target.elevated && name.starts_with("XDG_"));
    let of_loaders = case.facts.not_read.iter().filter(|name| !is_usual(name));
    of_loaders.filter(is_set).map(of).collect()
}

pub(super) fn old(case: &Case) -> Option<Finding> {
    let program = case.trials.program.as_ref().filter(|_| case.has_old_loader())?;
    let what = "is a Vulkan loader of version 1.0: programs that ask for 1.1 or newer, which most do, fail with VK_ERROR_INCOMPATIBLE_DRIVER";
    let finding = Finding::new(case, Id::LoaderOld, &program.file, what);
    let step =
        first(case, SONAME).map_or_else(|| "Update the Vulkan loader".into(), |found| repair(case, found));
    Some(finding.step(step))
}

/// Returns the file at which the dynamic linker stops: it skips libraries for other processors, but not damaged files.
fn stopping(case: &Case) -> Option<&LoaderFile> {
    let is_broken = |loader: &&LoaderFile| {
        matches!(loader.state, LibraryState::Truncated { .. } | LibraryState::NotElf { .. })
    };
    let named = case.facts.loaders.iter().filter(|loader| loader.name == SONAME);
    named.take_while(|loader| !loader.first).find(is_broken)
}

/// Reports that no loader is installed, or that the installed one cannot be loaded.
pub(super) fn absent(case: &Case) -> Option<Finding> {
    if case.target.built_in {
        return None;
    }
    let open = case
        .trials
        .program
        .as_ref()
        .filter(|trial| trial.stage == Stage::Open && trial.ending != Ending::Finished);
    let found = open.and_then(|_| stopping(case)).or_else(|| first(case, SONAME));
    if case.works() == Some(true) || (open.is_none() && (found.is_some() || case.target.process.is_some())) {
        return None;
    }
    let process = case.target.process.as_ref();
    if process.is_some_and(|process| process.libraries.iter().any(|it| it.contains("/libvulkan"))) {
        return None;
    }
    let wrong = case.facts.loaders.iter().find(|loader| loader.name == SONAME);
    let is_nix = case.facts.system.is("nixos") || case.variable("IN_NIX_SHELL").is_some();
    let install = || {
        if is_nix {
            let folder = "export LD_LIBRARY_PATH=$(nix-build '<nixpkgs>' -A vulkan-loader --no-out-link)/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}";
            return Command::new(folder, &[]).into();
        }
        if case.is_sealed() {
            return case.install_in_sandbox();
        }
        let command = case.facts.packages.loader(case.target.bits);
        command.map_or_else(|| "Install your distribution's Vulkan loader".into(), Step::from)
    };
    let Some(found) = found.or(wrong) else {
        let what = match is_nix {
            true => {
                "is not on the dynamic linker's path: only programs that bring a Vulkan loader can use Vulkan"
            }
            false => "no program can load Vulkan: the Vulkan loader is not installed",
        };
        return Some(Finding::new(case, Id::NoLoader, SONAME, what).step(install()));
    };
    let (what, step) = match &found.state {
        LibraryState::DanglingLink { to } => (format!("is a link to {to}, which does not exist"), install()),
        LibraryState::Truncated { size, needs } => {
            (format!("is cut short: it has {size} of {needs} bytes"), repair(case, found))
        }
        LibraryState::NotElf { what } => (format!("is not a library: {what}"), repair(case, found)),
        LibraryState::Denied { mode, owner, of } => {
            let what =
                format!("cannot be read: {of} gives you no permission (mode {mode:04o}, owner {owner})");
            (what, super::library::permit(case, of))
        }
        LibraryState::WrongMachine { machine } => {
            let own = &case.facts.system.machine;
            let what = format!("was built for {machine} processors, and this one is {own}");
            (what, repair(case, found))
        }
        _ if u32::from(found.bits) != case.target.bits => {
            let what = format!(
                "no Vulkan loader for {}-bit programs is installed; this one is for {}-bit programs",
                case.target.bits, found.bits
            );
            return Some(Finding::new(case, Id::NoLoader, &found.path, what).step(install()));
        }
        _ => match &open?.ending {
            Ending::Failed { words, cause } => return Some(unopened(case, found, words, *cause)),
            ending if ending.is_violent() => (ending.tell(Stage::Open), repair(case, found)),
            _ => return None,
        },
    };
    Some(Finding::new(case, Id::LoaderBroken, &found.path, format!("the Vulkan loader {what}")).step(step))
}

/// Returns the steps to get another file than this one.
fn repair(case: &Case, found: &LoaderFile) -> Step {
    if found.because.starts_with("LD_") {
        return Command::unset(&found.because).into();
    }
    let beside = system_loader(case).filter(|_| is_by_hand(found)).map(|_| remove(found));
    beside.map_or_else(|| case.reinstall(&found.path), Step::from)
}

/// Reports that the dynamic linker refuses the file, or that it is not a loader.
fn unopened(case: &Case, found: &LoaderFile, words: &str, cause: Cause) -> Finding {
    let what = match cause {
        Cause::WrongKind => format!("is what programs get as the Vulkan loader, and it {words}"),
        _ => format!("this Vulkan loader cannot be loaded: {words}"),
    };
    Finding::new(case, Id::LoaderBroken, &found.path, what).step(repair(case, found))
}

/// Folders for loaders installed by hand or by an SDK.
const BY_HAND: &[&str] = &["/usr/local/", "/opt/", "/home/"];

fn is_by_hand(loader: &LoaderFile) -> bool {
    BY_HAND.iter().any(|start| loader.real_path.starts_with(start))
}

/// Returns the loader that a package installed.
fn system_loader(case: &Case) -> Option<&LoaderFile> {
    fitting(case).find(|loader| loader.name == SONAME && !is_by_hand(loader))
}

fn remove(loader: &LoaderFile) -> Command {
    let folder = loader.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    Command::new("sudo rm {}/libvulkan.so* && sudo ldconfig", &[&folder])
}

/// Reports that another loader of this machine works, and the one that programs get does not.
pub(super) fn other_works(case: &Case) -> Option<Finding> {
    let (found, (path, trial)) = (first(case, SONAME)?, case.trials.other.as_ref()?);
    let with = super::layers::outcome(trial);
    let program = case.target.program.as_ref().filter(|_| found.because.contains("PATH of "));
    let whose = if program.is_some() { "the program brings" } else { "programs get" };
    let without = case.trials.program.as_ref().filter(|_| case.target.loader == found.path);
    let without = without.map(|trial| format!(": with it {}", super::layers::outcome(trial)));
    let what = format!(
        "is the Vulkan loader that {whose}{}; with {path} instead, {with}",
        without.unwrap_or_default()
    );
    let finding = Finding::new(case, Id::LoaderBesideSystem, &found.path, what);
    Some(match program {
        Some(program) => {
            let finding = finding.step(Command::new("LD_PRELOAD={} {}", &[path, program]));
            finding.with_steps(case.take_away(&found.path))
        }
        None => finding.step(repair(case, found)),
    })
}

/// Reports that a process has two loaders in memory. A loader may refer to its own functions by name, which the dynamic linker then takes from
/// the other one.
pub(super) fn mixed(case: &Case) -> Option<Finding> {
    let process = case.target.process.as_ref()?;
    let loaders: Vec<_> = loaders_in(&process.libraries).map(String::as_str).collect();
    let what = format!(
        "two Vulkan loaders are in its memory: {}; where the functions of one lead to the other, it may abort or crash",
        loaders.join(" and ")
    );
    let finding = Finding::new(case, Id::LoadersMixed, &format!("process {}", process.id), what);
    (loaders.len() > 1).then(|| finding.with_steps(ONE_LOADER.iter().copied()))
}

/// How a program gets by with one loader, or keeps two apart.
const ONE_LOADER: &[&str] = &[
    "Let the program open libvulkan.so.1 by this name instead of a path: it then gets the loader that it is linked with",
    "Or link it with no Vulkan loader, and let it open one with RTLD_LOCAL",
    "Or let it open the second one with RTLD_DEEPBIND, and never give one loader the other's handles",
];

/// Reports that the loader fails, and vkload's does not.
pub(super) fn broken(case: &Case) -> Option<Finding> {
    let fails = |trial: &&Trial| !trial.works() && trial.stage > Stage::Open && !trial.is_violent();
    let program = case.trials.program.as_ref().filter(fails)?;
    case.trials.own.as_ref().filter(|own| own.works())?;
    let about = if program.file.is_empty() { &case.target.loader } else { &program.file };
    let version = if program.version.is_empty() { "of unknown version" } else { &program.version };
    let what = format!("this Vulkan loader ({version}) finds no usable device, and vkload's does");
    let finding = Finding::new(case, Id::LoaderDiffers, about, what);
    Some(finding.step(Command::new("vkload exec PROGRAM", &[])).step("Or update the Vulkan loader"))
}
