//! The program's requests that fail.

use vkload_core::discovery::{LayerReason, SearchLimit};

use super::super::asked::{Asked, Kind, Missing};
use super::super::case::{Case, file_name};
use super::super::finding::{Evidence, Finding, Id, Severity};
use super::super::subject::OVERRIDE;
use super::library;
use super::variables::VALIDATION;
use crate::command::{Command, Step};
use crate::view::{Device, LayerView};

/// Returns the result of starting the program, if Vulkan works without it and trials do not explain its failure.
fn asked(case: &Case) -> Option<&Asked> {
    let is_open = case.works() == Some(true) && super::tried::cause_of_program(case).is_none();
    case.trials.asked.as_ref().filter(|_| is_open)
}

/// A program that continues does not need the missing part.
fn severity(asked: &Asked) -> Severity {
    if asked.failure.is_some() { Severity::Error } else { Severity::Note }
}

/// Reports layers and extensions that are missing.
pub(super) fn missing(case: &Case) -> Vec<Finding> {
    let Some(asked) = asked(case) else { return Vec::new() };
    asked.missing.iter().map(|missing| one(case, asked, missing)).collect()
}

fn one(case: &Case, asked: &Asked, missing: &Missing) -> Finding {
    let name = missing.name.as_str();
    let finding = |id, what: String| Finding::new(case, id, "", what).with_severity(severity(asked));
    let update = case.update_driver();
    match missing.kind {
        Kind::Layer => layer(case, name, finding),
        _ if of_layer(case, name).is_some() => {
            let layer = of_layer(case, name).unwrap_or_default();
            let what = format!(
                "the program asks for the extension {name}, which the layer {layer} has, and that is not active"
            );
            finding(Id::ProgramExtension, what).step(Command::export("VK_INSTANCE_LAYERS", &layer))
        }
        Kind::InstanceExtension => {
            let what =
                format!("the program asks for the instance extension {name}, which no driver here has");
            finding(Id::ProgramExtension, what).step(update)
        }
        Kind::DeviceExtension if !missing.had_by.is_empty() => {
            let what = format!(
                "the program asks for the device extension {name}, which the device that it chose lacks; {} has it",
                missing.had_by.join(" and ")
            );
            finding(Id::ProgramExtension, what).step("Choose that device: vkload devices says how")
        }
        Kind::DeviceExtension => {
            let devices: Vec<_> = case.devices().iter().map(|device| device.name.as_str()).collect();
            let what = format!(
                "the program asks for the device extension {name}, which no device here has ({})",
                devices.join(", ")
            );
            // AMD's own driver has fewer extensions than Mesa's.
            let mut drivers = case.good_drivers().map(|driver| file_name(&driver.manifest)).peekable();
            let is_amds = drivers.peek().is_some() && drivers.all(|name| name.starts_with("amd"));
            let finding = finding(Id::ProgramExtension, what);
            if !is_amds {
                return finding.step(update).step(NEWER);
            }
            let choose = Step::say("Then choose it: ").run(Command::export("AMD_VULKAN_ICD", &"RADV"));
            finding.step(case.install_driver("radeon")).step(choose)
        }
    }
}

/// Returns the layer that is installed, is not active, and has this extension.
fn of_layer(case: &Case, extension: &str) -> Option<String> {
    let layers = LayerView::all(&case.planned.layers).unwrap_or_default();
    layers.into_iter().filter(|view| !view.is_active()).find_map(|view| {
        let manifest = case.planned.layers.layers.get(view.index)?.manifest.as_ref()?;
        let mut all = manifest.instance_extensions.iter().chain(manifest.device_extensions.iter());
        all.any(|it| *it.name == *extension.as_bytes()).then_some(view.name)
    })
}

/// Reports why the program does not get a layer.
fn layer(case: &Case, name: &str, finding: impl Fn(Id, String) -> Finding) -> Finding {
    let asks = |why: String| {
        finding(Id::ProgramLayer, format!("the program asks for the layer {name}, which {why}"))
    };
    let views = LayerView::all(&case.planned.layers).unwrap_or_default();
    let mut named = views.iter().filter(|view| view.name == name);
    if let Some(view) =
        named.clone().find(|view| matches!(view.reason, None | Some(LayerReason::NotAskedFor)))
    {
        if let Some(fault) = library::fault(case, &view.manifest, "layer") {
            let asks = asks(format!("cannot be loaded: {} {}", view.manifest, fault.what));
            return asks.with_steps(fault.steps);
        }
        let trial = case.trials.layer(name).filter(|trial| trial.is_unusable() || trial.is_violent());
        let why = trial.map_or_else(
            || "its loader does not accept".to_owned(),
            |trial| format!("cannot be used: {trial}"),
        );
        return asks(format!("{why} ({})", view.manifest)).step(case.reinstall(&view.manifest));
    }
    if let Some((view, reason)) = named.find_map(|view| Some((view, view.reason?))) {
        let asks = asks(format!("is installed and not found: {}", view.remark));
        return match reason {
            LayerReason::Disabled { by } => asks.step(Command::unset(&by.to_string_lossy())),
            LayerReason::DisableEnvironmentSet => {
                asks.with_steps(view.disable.as_ref().map(|it| Command::unset(&it.0)))
            }
            LayerReason::SettingsOff | LayerReason::SettingsElsewhere => {
                asks.step(super::settings::remove(case))
            }
            _ => asks.step(case.reinstall(&view.manifest)),
        };
    }
    let hidden =
        case.facts.explicit_layers.iter().find(|(known, _)| known == name).map(|(_, manifest)| manifest);
    if let (Some(manifest), Some(limit)) = (hidden, case.planned.layers.limit()) {
        let asks = asks(format!("is installed ({manifest}) and not found, since {limit}"));
        return match limit {
            SearchLimit::Variable(by) => asks.step(Command::unset(&by.to_string_lossy())),
            SearchLimit::Settings => asks.step(super::settings::remove(case)),
            SearchLimit::OverrideLayer => {
                let by =
                    views.iter().find(|view| view.name == OVERRIDE).map(|view| case.remove(&view.manifest));
                asks.with_steps(by)
            }
        };
    }
    let install = (name == VALIDATION).then(|| case.facts.packages.validation()).flatten();
    let step = install.map_or_else(|| Step::say(format!("Install what brings {name}")), Step::from);
    asks("is not installed".to_owned()).step(step)
}

/// What helps if there is no newer driver.
const NEWER: &str = "If this is the newest one here: a newer release of the distribution, its backports or a PPA may have a newer one, or the GPU lacks it and the program needs another renderer";

/// Reports that the program asks for a newer version than the default device has, and fails.
pub(super) fn version(case: &Case) -> Option<Finding> {
    let by_driver = super::tried::cause_of_program(case).map(|cause| !cause.drivers.is_empty());
    let may_be = case.works() == Some(true) && by_driver != Some(false);
    let asked = case.trials.asked.as_ref().filter(|_| may_be)?;
    let [major, minor] = asked.version?;
    let numbers = |device: &&&Device| {
        let mut all = device.api_version.split('.').map(|number| number.parse().unwrap_or(0));
        std::array::from_fn::<u32, 3, _>(|_| all.next().unwrap_or(0))
    };
    let (devices, wanted) = (case.devices(), [major, minor, 0]);
    let newest = devices.iter().rev().max_by_key(numbers)?;
    let first = devices.first().filter(|first| asked.failure.is_some() && numbers(first) < wanted)?;
    let has = |device: &Device| format!("{} ({})", device.api_version, device.name);
    let finding = |what: String| {
        let what = format!("the program asks for Vulkan {major}.{minor}, and {what}");
        Finding::new(case, Id::ProgramVersion, "", what)
    };
    if numbers(&newest) < wanted {
        let what = format!("the newest that a device here has is {}", has(newest));
        return Some(finding(what).step(case.update_driver()).step(NEWER));
    }
    // The trial without the driver leads the program to the newer device.
    let evidence = if by_driver.is_some() { Evidence::Proven } else { Evidence::Likely };
    let what = format!("the default device has {}; the newest here is {}", has(first), has(newest));
    Some(finding(what).evidence(evidence).step("Choose the newer device: vkload devices says how"))
}

/// Reports that the program fails, though it gets all that it asks for.
pub(super) fn fails(case: &Case) -> Option<Finding> {
    let asked = asked(case).filter(|asked| asked.missing.is_empty())?;
    let failure = asked.words().filter(|_| version(case).is_none_or(|it| it.evidence == Evidence::Likely))?;
    let said = match (asked.telling(), asked.printed.last()) {
        (Some(line), _) => format!("; it printed: {line}"),
        (None, Some(line)) => format!("; its last line: {line}"),
        (None, None) => String::new(),
    };
    let what = match &asked.refused {
        _ if !asked.uses_vulkan => {
            format!("the program {failure}, probably before it uses Vulkan: no loader printed anything{said}")
        }
        Some((command, result)) => format!("the program {failure} after {command} returned {result}{said}"),
        _ => format!(
            "the program {failure}, also without layers and without variables that concern Vulkan{said}"
        ),
    };
    // The dynamic linker names the library of which a function needs another library's.
    let line = asked.printed.last().filter(|line| line.contains("symbol lookup error"));
    let is_named = |path: &&str| line.is_some_and(|line| line.contains(file_name(path)));
    let library = case.facts.libraries.iter().filter_map(|library| library.path.as_deref()).find(is_named);
    let reinstall = library.map(|path| case.reinstall(path));
    Some(Finding::new(case, Id::ProgramFails, "", what).with_steps(reinstall))
}
