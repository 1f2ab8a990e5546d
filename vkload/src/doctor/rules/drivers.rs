//! Drivers that were found.

use loader_core::discovery::{Decision, Reason};
use loader_core::platform::FileError;

use super::super::case::{Case, Driver, file_name, quoted};
use super::super::finding::{Finding, Severity, weight};
use super::library;
use crate::probe::{Ending, Stage, Trial};

/// What came of each that was opened.
pub(super) fn tried(case: &Case) -> Vec<Finding> {
    case.drivers.iter().filter(|driver| driver.used).filter_map(|driver| of(case, driver)).collect()
}

fn of(case: &Case, driver: &Driver) -> Option<Finding> {
    let trial = case.trial(driver);
    if trial.is_some_and(|trial| trial.ending == Ending::Finished) {
        return None;
    }
    if trial.is_none() || trial.is_some_and(|trial| trial.stage <= Stage::Negotiate && !trial.is_violent()) {
        if let Some(fault) = library::fault(case, &driver.manifest, "driver") {
            let severity = if fault.is_usual { case.mention() } else { case.blame() };
            let severity = match trial.is_none() && !case.trials.probed {
                true if !fault.is_usual => Severity::Warning,
                true if is_first_of_no_use(case, driver) => Severity::Error,
                _ => severity,
            };
            let weight = if fault.is_usual { weight::LIKELY } else { weight::SEEN };
            return Some(
                Finding::new(severity, weight, fault.id, &driver.manifest, fault.what).steps(fault.steps),
            );
        }
    }
    let trial = trial?;
    if trial.is_violent() {
        let what = format!("this driver {trial}{}{}", printed(trial), others(case, driver));
        let finding =
            Finding::new(case.blame(), weight::SEEN + 10, violent_id(&trial.ending), &driver.manifest, what);
        return Some(finding.steps(leave_out(case, driver)));
    }
    if is_idle(case, driver, trial) {
        return None;
    }
    let what = match &trial.ending {
        Ending::Failed { words } if trial.stage == Stage::Open => {
            format!("the library {} does not load: {words}", driver.library)
        }
        Ending::Failed { words } => format!("the library {} {words}", driver.library),
        ending => format!("this driver's {}{}", ending.tell(trial.stage), meaning(ending)),
    };
    let what = format!("{what}{}{}", printed(trial), others(case, driver));
    let id = if trial.stage <= Stage::Negotiate { "driver-does-not-load" } else { "driver-fails" };
    let finding = Finding::new(case.blame(), weight::SEEN, id, &driver.manifest, what);
    Some(finding.steps(repair(case, driver, trial)))
}

/// Whether no driver is for programs of this width, and this is the one with which that is said.
fn is_first_of_no_use(case: &Case, driver: &Driver) -> bool {
    let is_usual = |fault: library::Fault| fault.is_usual;
    let mut used = case.drivers.iter().filter(|driver| driver.used);
    used.next().is_some_and(|first| first.place == driver.place)
        && used.all(|other| library::fault(case, &other.manifest, "driver").is_some_and(is_usual))
}

/// Whether the driver says in its way that there is nothing for it to do.
fn is_idle(case: &Case, driver: &Driver, trial: &Trial) -> bool {
    let refuses =
        matches!(trial.ending, Ending::Result { code: -9 | -3 }) && trial.stage == Stage::CreateInstance;
    refuses && !case.facts.gpus.iter().any(|gpu| gpu.is_driven_by(&driver.manifest)) && !case.fails()
}

fn violent_id(ending: &Ending) -> &'static str {
    match ending {
        Ending::TimedOut { .. } => "driver-hangs",
        Ending::Exited { .. } => "driver-exits",
        _ => "driver-crashes",
    }
}

/// What a result means, where its name does not say it.
fn meaning(ending: &Ending) -> &'static str {
    match ending {
        Ending::Result { code: -1 } => {
            ": the driver could not get memory, or a limit of the system is too low"
        }
        Ending::Result { code: -3 } => {
            ": the driver could not start; often the kernel's part is missing or of another version"
        }
        Ending::Result { code: -9 } => ": the driver finds nothing that it can drive",
        _ => "",
    }
}

/// The last line that it printed.
fn printed(trial: &Trial) -> String {
    trial.printed.last().map(|line| format!("; it printed: {line}")).unwrap_or_default()
}

/// What the others do, where that is good to know.
fn others(case: &Case, driver: &Driver) -> String {
    let good: Vec<_> = case
        .good_drivers()
        .filter(|other| other.manifest != driver.manifest)
        .map(|other| file_name(&other.manifest))
        .collect();
    match (&good[..], case.fails()) {
        ([], _) | (_, false) => String::new(),
        (good, true) => format!("; without it {} would work", good.join(", ")),
    }
}

/// How to do without a driver.
fn leave_out(case: &Case, driver: &Driver) -> Vec<String> {
    let variable = driver.found_by.as_str();
    let mut steps = Vec::new();
    if variable.starts_with("VK_") && case.variable(variable).is_some() {
        steps.push(format!("unset {variable}"));
    } else if case.drivers.len() > 1 {
        steps.push(format!("export VK_LOADER_DRIVERS_DISABLE={}", quoted(file_name(&driver.manifest))));
    }
    steps.push(format!(
        "Update or reinstall the driver; to remove it from the search: {}mv {} {}",
        case.sudo(&driver.manifest),
        quoted(&driver.manifest),
        quoted(&format!("{}.off", driver.manifest))
    ));
    steps
}

fn repair(case: &Case, driver: &Driver, trial: &Trial) -> Vec<String> {
    let words = match &trial.ending {
        Ending::Failed { words } => words.as_str(),
        _ => "",
    };
    let by_path = case
        .variable("LD_LIBRARY_PATH")
        .is_some_and(|folders| folders.split(':').any(|folder| folder.len() > 1 && words.contains(folder)));
    if by_path {
        return vec!["unset LD_LIBRARY_PATH".to_owned()];
    }
    if words.contains("undefined symbol") {
        return vec![
            "It does not fit the libraries that are installed: update the driver and the system together"
                .to_owned(),
        ];
    }
    if words.contains("not a driver") || words.contains("not a Vulkan driver") {
        return vec![format!("{}rm {}", case.sudo(&driver.manifest), quoted(&driver.manifest))];
    }
    leave_out(case, driver)
}

/// Those that the loader does not open, and why.
pub(super) fn not_opened(case: &Case) -> Vec<Finding> {
    let skipped = |driver: &Driver| {
        let Decision::Skip(reason) = case.candidate(driver)?.decision else { return None };
        let named = driver.found_by.starts_with("VK_");
        let (severity, weight) = match reason {
            // The rules about variables say these.
            Reason::Unreadable(FileError::NotFound) if named => return None,
            Reason::ManifestRepeated { .. } | Reason::NotSelected { .. } | Reason::Disabled { .. } => {
                return None;
            }
            Reason::Duplicate { .. } | Reason::PortabilityNotAsked => (Severity::Note, weight::REST),
            Reason::LibraryArch { .. } => {
                (if case.fails() && named { Severity::Error } else { Severity::Note }, weight::LIKELY)
            }
            _ => (case.blame(), weight::SEEN),
        };
        let finding = Finding::new(severity, weight, reason.id(), &driver.manifest, reason.to_string());
        Some(match reason {
            Reason::Unreadable(FileError::Denied) => {
                finding.step(format!("sudo chmod a+r {}", quoted(&driver.manifest)))
            }
            Reason::LibraryArch { .. } if named => finding.step(format!("unset {}", driver.found_by)),
            Reason::Duplicate { .. } | Reason::PortabilityNotAsked | Reason::LibraryArch { .. } => finding,
            Reason::Unreadable(FileError::NotFound) => finding,
            _ => finding.step(format!("Reinstall the driver's package, or correct {}", driver.manifest)),
        })
    };
    case.drivers.iter().filter_map(skipped).collect()
}

/// Devices that are found and cannot be used.
pub(super) fn devices_that_fail(case: &Case) -> Vec<Finding> {
    let mut all = Vec::new();
    for driver in case.drivers.iter().filter(|driver| driver.used) {
        let Some(trial) = case.trial(driver).filter(|trial| !trial.is_violent()) else { continue };
        for tried in &trial.devices {
            let Some((stage, ending)) = &tried.failure else { continue };
            let what = format!(
                "{} of {}: {}{}",
                if tried.device.name.is_empty() { "the device" } else { &tried.device.name },
                file_name(&driver.manifest),
                ending.tell(*stage),
                printed(trial)
            );
            let finding =
                Finding::new(case.blame(), weight::SEEN + 2, "device-fails", &driver.manifest, what);
            all.push(finding.steps(leave_out(case, driver)));
        }
    }
    all
}
