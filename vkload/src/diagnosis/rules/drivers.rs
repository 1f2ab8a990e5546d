//! Drivers that were found.

use vkload_core::discovery::{DriverDecision, Origin, SkipReason};
use vkload_core::platform::FileError;

use super::super::case::{Case, file_name};
use super::super::finding::{Evidence, Finding, Id, Severity};
use super::library::{self, LibraryProblem};
use crate::command::{Command, Step};
use crate::facts::{Gpu, LibraryState, Node, may_drive};
use crate::probe::{Cause, Ending, Refused, Stage, Trial};
use crate::view::DriverView;

/// Words of the dynamic linker for a function that no library has.
const NO_SYMBOL: &str = "undefined symbol";

/// Reports the result of each driver that was opened.
pub(super) fn tried(case: &Case) -> Vec<Finding> {
    case.drivers.iter().filter(|driver| driver.used).filter_map(|driver| of(case, driver)).collect()
}

fn of(case: &Case, driver: &DriverView) -> Option<Finding> {
    let trial = case.trial(driver);
    if trial.is_some_and(|trial| trial.ending == Ending::Finished) {
        return None;
    }
    let fault = library::fault(case, &driver.manifest, "driver");
    let is_only = is_only_one(case, driver);
    if fault.as_ref().is_some_and(|fault| fault.is_usual) && has_driver_of_this_width(case) && !is_only {
        return None;
    }
    if let Some(finding) = fault.and_then(|fault| by_library(case, driver, trial, fault)) {
        let severity = finding.severity;
        return Some(finding.with_severity(if is_only { case.blame() } else { severity }));
    }
    let trial = trial?;
    if trial.is_violent() {
        let what = format!("this driver {trial}{}", printed(trial));
        let finding = Finding::new(case, violent_id(&trial.ending), &driver.manifest, what);
        return Some(finding.with_steps(leave_out(case, driver)).with_steps(trial.ending.patience()));
    }
    if is_idle(case, driver, trial) || is_kept_out(case, driver, trial) {
        return None;
    }
    let what = match &trial.ending {
        Ending::Failed { words, .. } if words.contains(NO_SYMBOL) => {
            let library = &driver.library;
            format!("names {library}, which needs a function that the libraries here do not have: {words}")
        }
        Ending::Failed { words, .. } if trial.stage == Stage::Open => {
            let meaning =
                library::linker(words).map(|(meaning, _)| format!("; {meaning}")).unwrap_or_default();
            format!("names {}, which cannot be loaded: {words}{meaning}", driver.library)
        }
        Ending::Failed { words, .. } => format!("names {}, which {words}", driver.library),
        ending if trial.stage.command().is_empty() => format!("this driver {}", ending.tell(trial.stage)),
        ending if !trial.searches().is_empty() => format!("this driver's {}", ending.tell(trial.stage)),
        ending => format!("this driver's {}{}", ending.tell(trial.stage), meaning(ending)),
    };
    let printed = if what.contains(NO_SYMBOL) { String::new() } else { printed(trial) };
    let (id, gpu) = match trial.stage {
        Stage::Start | Stage::Open | Stage::Negotiate => (Id::DriverDoesNotLoad, None),
        _ => (Id::DriverFails, case.facts.gpus.iter().find(|gpu| gpu.is_driven_by(&driver.manifest))),
    };
    let remedy = gpu.and_then(|gpu| super::kernel::remedy(case, gpu));
    let said = gpu.filter(|_| remedy.is_some()).map(|gpu| super::kernel::said(case, gpu)).unwrap_or_default();
    let what = format!("{what}{printed}{}{said}", trial.searches());
    let finding = Finding::new(case, id, &driver.manifest, what);
    Some(finding.with_steps(remedy).with_steps(repair(case, driver, trial)))
}

/// Reports drivers that make every start slow and find no device. Of others, the time is that of using their devices.
pub(super) fn takes_long(case: &Case) -> Vec<Finding> {
    let of = |driver: &DriverView| {
        let is_idle = |trial: &&Trial| trial.ending == Ending::Finished && trial.devices.is_empty();
        let seconds = case.trial(driver).filter(is_idle).and_then(|trial| case.long_wait(trial))?;
        let what = format!("makes each program wait {seconds} seconds when it starts, and finds no device");
        let finding = Finding::new(case, Id::DriverSlow, &driver.manifest, what);
        Some(finding.with_steps(leave_out(case, driver)))
    };
    case.drivers.iter().filter_map(of).collect()
}

/// Reports a driver that works, and that the loader does not find.
pub(super) fn without_manifest(case: &Case) -> Option<Finding> {
    // Of programs of the other width, nothing is tried.
    let of_gpu = |path: &&String| case.facts.gpus.iter().any(|gpu| gpu.is_driven_by(path));
    let untried = || case.facts.unnamed.iter().find(of_gpu).filter(|_| case.target.bits != usize::BITS);
    let tried = case.trials.unnamed.as_ref().map(|(library, trial)| (library, Some(trial)));
    let (library, trial) = tried.or_else(|| Some((untried()?, None)))?;
    let device = trial.and_then(|trial| trial.usable().next());
    let what = match device {
        Some(device) => format!(
            "is a driver that works on {}, and the loader does not find it: no manifest that it reads names it",
            device.name
        ),
        None => format!(
            "is the library of a driver, and no manifest that the loader reads names it{}",
            trial.map(Trial::searches).unwrap_or_default()
        ),
    };
    let evidence = if device.is_some() { Evidence::Proven } else { Evidence::Likely };
    let finding = Finding::new(case, Id::ManifestMissing, library, what).evidence(evidence);
    let is_only = trial.is_none() && !has_driver_of_this_width(case);
    let finding = if is_only { finding.with_severity(Severity::Error) } else { finding };
    if case.is_sealed() {
        return Some(finding.step(case.reinstall(library)));
    }
    let missing =
        trial.iter().flat_map(|trial| &trial.not_found).flat_map(|missing| case.install_library(missing));
    let finding = finding.with_steps(missing);
    let bare = file_name(library);
    let name = bare.trim_start_matches("libvulkan_").trim_start_matches("libGLX_");
    let name = name.split('.').next().unwrap_or_default().trim_end_matches("_icd");
    let width = if case.target.bits == 32 { ".i686" } else { "" };
    let (file, api) = (
        format!("/etc/vulkan/icd.d/{name}_icd{width}.json"),
        device.map_or("1.3.0", |device| &device.api_version),
    );
    // The dynamic linker finds it by its name, and for programs of the other width another library.
    let named = if case.target.bits == usize::BITS { bare } else { library.as_str() };
    let text = format!(
        r#"{{"file_format_version": "1.0.0", "ICD": {{"library_path": "{named}", "api_version": "{api}"}}}}"#
    );
    let write: Step =
        Command::new("sudo mkdir -p /etc/vulkan/icd.d && echo {} | sudo tee {}", &[&text, &file]).into();
    let is_packaged = case.facts.owners.get(library).is_some_and(|package| !package.is_empty());
    let has_wrong = case.drivers.iter().any(|driver| file_name(&driver.manifest).contains(name));
    let install = match name {
        "nvidia" if is_packaged || case.facts.environment.container.is_none() => case.install_nvidia(),
        _ if is_packaged => vec![case.reinstall(library)],
        _ => Vec::new(),
    };
    // What is installed again may bring the wrong manifest again. NVIDIA's may be in another package.
    Some(match is_packaged && !has_wrong && device.is_some() {
        true => finding.with_steps(install).step(write),
        false => finding.step(write).with_steps(install),
    })
}

/// Returns whether a library of the program's width could be loaded. Manifests for other widths are normal.
fn has_driver_of_this_width(case: &Case) -> bool {
    case.drivers.iter().any(|driver| {
        let library = case.library(&driver.manifest);
        driver.used && library.is_some_and(|library| library.state == LibraryState::Fine)
    })
}

/// Returns whether no other driver of the program's width is there for a GPU that programs do not get.
fn is_only_one(case: &Case, driver: &DriverView) -> bool {
    let fits = |other: &DriverView| {
        case.library(&other.manifest).is_some_and(|library| library.state == LibraryState::Fine)
    };
    case.facts.gpus.iter().any(|gpu| {
        let mut all = case.drivers.iter().filter(|other| other.used && gpu.is_driven_by(&other.manifest));
        gpu.is_driven_by(&driver.manifest) && !case.is_driven(gpu) && !all.any(fits)
    })
}

/// Reports the fault of the library's file, if the driver got no further.
fn by_library(
    case: &Case,
    driver: &DriverView,
    trial: Option<&Trial>,
    fault: LibraryProblem,
) -> Option<Finding> {
    let explains = trial.is_none_or(|trial| {
        // Some parts of a truncated file can be mapped, and using them raises a signal.
        trial.stage <= Stage::Negotiate && (!trial.is_violent() || fault.id == Id::LibraryTruncated)
    });
    if !explains {
        return None;
    }
    Some(Finding::new(case, fault.id, &driver.manifest, fault.what).with_steps(fault.steps))
}

/// Returns whether the driver reports that it has no hardware to drive.
fn is_idle(case: &Case, driver: &DriverView, trial: &Trial) -> bool {
    let refuses =
        matches!(trial.ending, Ending::Result { code: -9 | -3 }) && trial.stage == Stage::CreateInstance;
    // A user who names a driver and gets none but the processor's wants to know why.
    let named = driver.found_by.starts_with("VK_") && case.only_software();
    refuses
        && !named
        && (!may_drive(&driver.manifest, &case.facts.gpus) || (case.facts.gpus.is_empty() && !case.fails()))
}

/// Returns whether the driver fails because the user may not use its device files, or because its kernel driver does not have the GPU. Other
/// rules report that.
fn is_kept_out(case: &Case, driver: &DriverView, trial: &Trial) -> bool {
    let nvidia = file_name(&driver.manifest).contains("nvidia");
    let is_refused = |node: &Node| {
        case.trials.files.iter().any(|(path, trial)| *path == node.path && trial.ending != Ending::Finished)
    };
    let closed = |node: &Node| {
        node.is_needed() && (node.is_closed() || is_refused(node)) && (node.kind == "nvidia") == nvidia
    };
    let taken = |gpu: &Gpu| gpu.has_usual_driver() && (!nvidia || gpu.driver.as_deref() == Some("nvidia"));
    let own = |gpu: &&Gpu| gpu.is_driven_by(&driver.manifest);
    let has_none =
        case.facts.gpus.iter().any(|gpu| own(&gpu)) && !case.facts.gpus.iter().filter(own).any(taken);
    let is_silent = matches!(trial.ending, Ending::Result { .. });
    (is_silent || (trial.fails_silently() && !trial.refused.is_empty()))
        && trial.not_found.is_empty()
        && (has_none || case.facts.nodes.iter().any(closed))
}

fn violent_id(ending: &Ending) -> Id {
    match ending {
        Ending::TimedOut { .. } => Id::DriverHangs,
        Ending::Exited { .. } => Id::DriverExits,
        _ => Id::DriverCrashes,
    }
}

/// Returns the meaning of a result if its name does not show it.
fn meaning(ending: &Ending) -> &'static str {
    match ending {
        Ending::Result { code: -1 } => ": it reports a lack of memory",
        Ending::Result { code: -2 } => ": the GPU's memory is used up",
        Ending::Result { code: -3 } => ": it could not start",
        Ending::Result { code: -4 } => ": the GPU stopped working; the kernel's log often says why",
        Ending::Result { code: -7 } => ": it refuses an extension that it lists",
        Ending::Result { code: -9 } => ": it finds nothing that it can drive",
        _ => "",
    }
}

/// Returns the last line that it printed.
pub(super) fn printed(trial: &Trial) -> String {
    trial.printed.last().map(|line| format!("; it printed: {line}")).unwrap_or_default()
}

pub(super) fn leave_out(case: &Case, driver: &DriverView) -> Vec<Step> {
    let variable = driver.found_by.as_str();
    let mut steps: Vec<Step> = Vec::new();
    let works = case.trial(driver).is_some_and(Trial::works);
    if !works && case.is_of_no_package(&driver.manifest) && case.good_drivers().next().is_some() {
        let step = Step::say("If nothing needs this driver, which no package brought: ");
        steps.push(step.run(case.remove(&driver.manifest)));
    }
    if variable.starts_with("VK_") && case.variable(variable).is_some() {
        // Without the variable it may be found elsewhere.
        let elsewhere = case.facts.manifests.contains(&driver.manifest);
        let unset = Command::unset(variable);
        if elsewhere {
            steps.push(unset.and_then("; ", disable(case, driver)).into());
        } else if !case.trials.excluded.iter().any(|name| name == variable) {
            steps.push(unset.into());
        }
    } else if case.drivers.len() > 1 {
        steps.push(disable(case, driver).into());
    }
    if may_drive(&driver.manifest, &case.facts.gpus) || case.good_drivers().next().is_none() {
        steps.push(case.reinstall(&driver.manifest));
    }
    if case.good_drivers().next().is_some() {
        let (from, to) = (&driver.manifest, format!("{}.off", driver.manifest));
        let step = Step::say("To take the driver out of the search: ");
        steps.push(step.run(case.on(from, "sudo mv {} {}", &[from, &to])));
    }
    steps
}

/// Returns the variable that leaves it out, with those that are at fault together with it. Older loaders only know the one that lists the
/// others.
pub(super) fn disable(case: &Case, driver: &DriverView) -> Command {
    let of_causes = || case.trials.causes.iter().flat_map(|cause| &cause.drivers).map(String::as_str);
    let own = driver.manifest.as_str();
    let off: Vec<&str> = if of_causes().any(|of| of == own) { of_causes().collect() } else { vec![own] };
    if case.loader_reads("VK_LOADER_DRIVERS_DISABLE") {
        let names: Vec<_> = off.iter().map(|manifest| file_name(manifest)).collect();
        return Command::export("VK_LOADER_DRIVERS_DISABLE", &names.join(","));
    }
    let others = case.drivers.iter().filter(|other| other.used && !off.contains(&other.manifest.as_str()));
    let list = others.map(|other| other.manifest.as_str()).collect::<Vec<_>>().join(":");
    Command::export("VK_ICD_FILENAMES", &list)
}

/// Returns the file of the driver's library, or its name.
fn library_file<'a>(case: &'a Case, driver: &'a DriverView) -> &'a str {
    let library = case.library(&driver.manifest).and_then(|library| library.path.as_deref());
    library.unwrap_or(&driver.library)
}

pub(super) fn repair(case: &Case, driver: &DriverView, trial: &Trial) -> Vec<Step> {
    if let Some((_, name, folder)) = case.trials.helping.iter().find(|(of, ..)| *of == driver.manifest) {
        if folder.starts_with("/run/host/") && case.facts.environment.steam_runtime.is_some() {
            let step = "It is on the host, and was not brought in here. On the host: ";
            return vec![
                Step::say(step).run(Command::new("sudo ldconfig", &[])).and_say(", then start this again"),
            ];
        }
        let first = folder.split(':').next().unwrap_or_default();
        let for_all =
            Command::new("echo {} | sudo tee /etc/ld.so.conf.d/vulkan.conf && sudo ldconfig", &[&first]);
        let for_all = Some(Step::say("Or for all programs: ").run(for_all))
            .filter(|_| name == "LD_LIBRARY_PATH" && library::is_of_vulkan(first));
        return [Command::export(name, folder).into()].into_iter().chain(for_all).collect();
    }
    if let Some(missing) = trial.not_found.first() {
        let install = if missing.contains("nvidia") && case.facts.environment.container.is_none() {
            vec![case.reinstall(library_file(case, driver))]
        } else {
            case.install_library(missing)
        };
        return [install, leave_out(case, driver)].concat();
    }
    let words = match &trial.ending {
        Ending::Failed { words, .. } => words.as_str(),
        _ => "",
    };
    if let Some((_, step)) = library::linker(words) {
        return [vec![step], leave_out(case, driver)].concat();
    }
    if words.contains(NO_SYMBOL) {
        return vec![
            case.reinstall(&driver.manifest),
            "If that does not help, update the whole system: the driver and the libraries are of different versions"
                .into(),
        ];
    }
    let first: Option<Step> = match trial.ending {
        Ending::Result { code: -1 } if may_drive(&driver.manifest, &case.facts.gpus) => {
            Some("Look at the limits and the free memory: ulimit -a; free -h".into())
        }
        Ending::Result { code: -2 } => {
            Some("Close programs that use the GPU's memory (nvtop lists them)".into())
        }
        Ending::Result { code: -4 } => Some(Command::new("sudo dmesg | tail -n 50", &[]).into()),
        _ => None,
    };
    if let Some(first) = first {
        return [vec![first], leave_out(case, driver)].concat();
    }
    if matches!(trial.ending, Ending::Failed { cause: Cause::WrongKind, .. }) {
        return vec![case.remove(&driver.manifest).into()];
    }
    let given = trial.refused.last().and_then(|file| give(case, file));
    given.into_iter().chain(leave_out(case, driver)).collect()
}

/// Returns how a driver gets a file that it did not get.
pub(super) fn give(case: &Case, file: &Refused) -> Option<Step> {
    let path = file.path.as_str();
    match (file.is_absent, &case.facts.environment.container) {
        (true, Some(_)) => Some(case.give_device(&[path])),
        (true, None) if path == "/dev/nvidia-modeset" => Some(Command::new("sudo nvidia-modprobe -m", &[]).into()),
        (true, None) => None,
        (false, _) if file.by_ioctl => Some(format!("Let the sandbox that the program runs in allow ioctl on {path} (LANDLOCK_ACCESS_FS_IOCTL_DEV if it uses Landlock), or start the program outside of it").into()),
        (false, _) => Some(case.allow(path)),
    }
}

/// Reports the drivers that the loader does not open, and why.
pub(super) fn not_opened(case: &Case) -> Vec<Finding> {
    let skipped = |driver: &DriverView| {
        let DriverDecision::Skip(reason) = case.candidate(driver)?.decision else { return None };
        if case.facts.strays.iter().any(|stray| stray.path == driver.manifest) {
            return None;
        }
        let named = driver.found_by.starts_with("VK_");
        let by_settings = case.candidate(driver).is_some_and(|it| is_by_settings(case, it.found_in));
        let (severity, evidence) = match reason {
            // The rules about variables and settings say these.
            SkipReason::Unreadable(FileError::NotFound)
                if driver.found_by.starts_with("VK_ADD_") || (named && case.works() == Some(true)) =>
            {
                let what = format!("names {}, which does not exist", driver.manifest);
                let finding = Finding::new(case, Id::DriversReplaced, &driver.found_by, what);
                return Some(finding.with_severity(Severity::Warning).step(Command::unset(&driver.found_by)));
            }
            SkipReason::Unreadable(FileError::NotFound)
                if (named || by_settings) && case.works() != Some(true) =>
            {
                return None;
            }
            SkipReason::ManifestRepeated { .. }
            | SkipReason::NotSelected { .. }
            | SkipReason::Disabled { .. } => {
                return None;
            }
            SkipReason::Duplicate { .. } | SkipReason::PortabilityNotAsked => {
                (Severity::Note, Evidence::Rest)
            }
            SkipReason::LibraryArch { .. } if !named && has_driver_of_this_width(case) => return None,
            SkipReason::LibraryArch { .. } => {
                (if named { case.mention() } else { Severity::Note }, Evidence::Likely)
            }
            _ => (case.blame(), Evidence::Seen),
        };
        let finding = Finding::new(case, Id::Reason(reason.id()), &driver.manifest, reason.to_string())
            .with_severity(severity)
            .evidence(evidence);
        Some(match reason {
            SkipReason::Unreadable(FileError::Denied) => {
                finding.step(library::permit(case, &driver.manifest))
            }
            SkipReason::LibraryArch { .. } if named => finding.step(Command::unset(&driver.found_by)),
            SkipReason::Duplicate { .. }
            | SkipReason::PortabilityNotAsked
            | SkipReason::LibraryArch { .. } => finding,
            SkipReason::Unreadable(FileError::NotFound) => finding,
            SkipReason::Unreadable(FileError::NotAFile) => {
                let to = format!("{}.off", driver.manifest);
                finding.step(case.on(&driver.manifest, "sudo mv {} {}", &[&driver.manifest, &to]))
            }
            _ if case.is_of_no_package(&driver.manifest) => finding.step(case.remove(&driver.manifest)),
            _ => finding.step(case.reinstall(&driver.manifest)),
        })
    };
    case.drivers.iter().filter_map(skipped).collect()
}

/// Returns whether the search path came from the settings file.
fn is_by_settings(case: &Case, index: usize) -> bool {
    let searched = case.planned.drivers.searched.get(index);
    searched.is_some_and(|searched| matches!(searched.origin, Origin::Settings))
}

/// Devices that are found and cannot be used.
pub(super) fn devices_that_fail(case: &Case) -> Vec<Finding> {
    let mut all = Vec::new();
    for driver in case.drivers.iter().filter(|driver| driver.used) {
        let Some(trial) = case.trial(driver).filter(|trial| !trial.is_violent()) else { continue };
        for tried in &trial.devices {
            let Some((stage, ending)) = &tried.failure else { continue };
            let name = tried.device.name_among(trial.devices.iter().map(|other| &other.device));
            let name = if name.is_empty() { "its device" } else { &name };
            let searches = trial.searches();
            let meaning = if searches.is_empty() { meaning(ending) } else { "" };
            let what = format!("on {name}, {}{meaning}{}{searches}", ending.tell(*stage), printed(trial));
            let finding = Finding::new(case, Id::DeviceFails, &driver.manifest, what);
            all.push(finding.with_steps(repair(
                case,
                driver,
                &Trial { ending: ending.clone(), ..trial.clone() },
            )));
        }
    }
    all
}
