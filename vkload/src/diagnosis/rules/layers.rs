//! Layers: the one that breaks programs, and those that do not work.

use vkload_core::discovery::{LayerNote, LayerReason};
use vkload_core::log::Level;
use vkload_core::memory::Escaped;
use vkload_core::platform::FileError;

use super::super::case::{Case, file_name};
use super::super::finding::{Evidence, Finding, Id, Severity};
use super::super::subject::OVERRIDE;
use super::super::suspects::{Lost, SWAPCHAIN};
use super::library;
use crate::command::Step;
use crate::facts::LibraryState;
use crate::lossless;
use crate::probe::{Ending, Stage, Trial};
use crate::view::LayerView;

/// Returns the extensions and features that a layer hides.
pub(super) fn parts(lost: &Lost) -> String {
    let swapchain = lost.extensions.iter().any(|name| name == SWAPCHAIN);
    let shown = if swapchain { Some(SWAPCHAIN) } else { lost.extensions.first().map(String::as_str) };
    let more = lost.extensions.len().saturating_sub(1);
    let extensions = shown.map(|name| match more {
        0 => name.to_owned(),
        1 => format!("{name} and another extension"),
        more => format!("{name} and {more} more extensions"),
    });
    let features = (lost.features > 0).then(|| format!("{} features", lost.features));
    let all: Vec<_> = extensions.into_iter().chain(features).collect();
    format!("{} of {}", all.join(" and "), lost.device)
}

/// Reports layers that make every start slow.
pub(super) fn takes_long(case: &Case) -> Vec<Finding> {
    let of = |layer: &LayerView| {
        let trial = case.trials.layer(&layer.name).filter(|trial| trial.ending == Ending::Finished);
        let seconds = trial.and_then(|trial| case.long_wait(trial))?;
        let what = format!(
            "makes each program wait {seconds} seconds when it starts; it is active because {}",
            because(case, layer)
        );
        let finding = Finding::new(case, Id::LayerSlow, &layer.name, what);
        Some(finding.with_steps(off(case, layer)).step(case.reinstall(&layer.manifest)))
    };
    case.layers.iter().filter_map(of).collect()
}

pub(super) fn off(case: &Case, layer: &LayerView) -> Vec<Step> {
    let off = layer.off(&case.facts.variables);
    if layer.is_by_settings() {
        vec![super::settings::remove(case).into(), Step::say("For one run only: ").run(off)]
    } else {
        vec![off.into()]
    }
}

pub(super) fn outcome(trial: &Trial) -> String {
    match (&trial.ending, trial.usable().count(), trial.devices.len()) {
        (Ending::Finished, 0, 0) => "there is no device".to_owned(),
        (Ending::Finished, 0, _) => match trial.devices.iter().find_map(|tried| tried.failure.as_ref()) {
            Some((stage, ending)) => ending.tell(*stage),
            None => "no device works".to_owned(),
        },
        (Ending::Finished, 1, _) => "1 device works".to_owned(),
        (Ending::Finished, count, _) => format!("{count} devices work"),
        (Ending::Exited { code }, ..) => {
            format!("a program exits {} with code {code}", trial.stage.words())
        }
        (ending, ..) if ending.is_violent() => format!("a program {trial}"),
        _ => trial.to_string(),
    }
}

pub(super) fn because(case: &Case, layer: &LayerView) -> String {
    if let Some(name) = layer.variable() {
        return format!("{name}=\"{}\" names it", case.variable(name).unwrap_or_default());
    }
    if layer.is_by_settings() {
        let plan = &case.planned.settings.plan;
        let line = plan.in_force().map(|settings| settings.line).unwrap_or_default();
        return format!("the settings file {} (line {line}) turns it on", Escaped(&plan.path));
    }
    match &layer.enable {
        Some((name, _)) if case.facts.variables.contains_key(name) => {
            format!("{name} is set ({})", layer.manifest)
        }
        _ if layer.implicit => format!("it is an implicit layer ({})", layer.manifest),
        _ => match &layer.part_of {
            Some((name, manifest)) => format!("{name} ({manifest}) contains it"),
            None => format!("its manifest ({}) makes it so", layer.manifest),
        },
    }
}

pub(super) fn broken(case: &Case) -> Vec<Finding> {
    let Ok(views) = LayerView::all(&case.planned.layers) else { return Vec::new() };
    let tried = case.layers.iter().filter_map(|layer| tried(case, layer));
    tried.chain(views.iter().filter_map(|layer| unusable(case, layer))).collect()
}

/// Reports a layer with a manifest that the loader cannot use.
fn unusable(case: &Case, layer: &LayerView) -> Option<Finding> {
    let reason = layer.reason.filter(|reason| reason.level() == Level::Warning)?;
    let severity = if layer.implicit { Severity::Warning } else { Severity::Note };
    let (about, why) = (layer.manifest.as_str(), &layer.remark);
    let what = if why.starts_with("the manifest") {
        why.clone()
    } else {
        format!("this layer cannot be used: {why}")
    };
    let finding = Finding::new(case, Id::Reason(reason.id()), about, what).with_severity(severity);
    let remove = case.remove(about);
    Some(match reason {
        // Nothing can be removed.
        LayerReason::Unreadable(FileError::NotFound) => finding.step(case.reinstall(about)),
        // Vulkan Configurator writes it, and leaves it behind.
        _ if layer.name == OVERRIDE => finding.step(remove),
        _ if case.is_of_no_package(about) => finding.step(remove),
        _ => finding.step(case.reinstall(about)).step(Step::say("Or remove it: ").run(remove)),
    })
}

fn tried(case: &Case, layer: &LayerView) -> Option<Finding> {
    let trial = case.fault_of_layer(&layer.name);
    if trial.is_none() && case.trials.layer(&layer.name).is_some() {
        return None;
    }
    let dies = trial.is_some_and(Trial::is_violent);
    let fault = library::fault(case, &layer.manifest, "layer");
    // Overlays bring an implicit layer for each width, and loaders pass over the other one.
    if layer.implicit && fault.as_ref().is_some_and(|fault| fault.is_usual) {
        return None;
    }
    // Programs fail as the layer does alone.
    let program = case.trials.program.as_ref().map(|program| (&program.ending, program.stage));
    let felt = trial.is_some_and(|trial| program == Some((&trial.ending, trial.stage)));
    let severity = if felt { case.blame() } else { Severity::Warning };
    let about = layer.manifest.as_str();
    if let (false, Some(fault)) = (dies, fault) {
        let reason = trial.filter(|trial| trial.is_unusable());
        let reason = reason.map(|trial| format!("; a loader says: {trial}")).unwrap_or_default();
        let what = format!("the layer {} {}{reason}", layer.name, fault.what);
        let finding = Finding::new(case, fault.id, about, what)
            .with_severity(severity)
            .evidence(Evidence::Chosen)
            .tried(trial.is_some());
        let off = layer.off(&case.facts.variables);
        return Some(finding.with_steps(fault.steps).step(Step::say("Or turn the layer off: ").run(off)));
    }
    let trial = trial?;
    let what = match &trial.ending {
        _ if trial.is_unusable() => format!("the layer {} cannot be used: {trial}", layer.name),
        Ending::Failed { words, .. } => format!("the layer {} {words}", layer.name),
        Ending::Result { .. } => format!("with the layer {} alone, {trial}", layer.name),
        _ => format!("the layer {} ({}) {trial}", layer.name, file_name(&layer.library)),
    };
    let what = format!("{what}{}", super::drivers::printed(trial));
    let id = match &trial.ending {
        Ending::TimedOut { .. } => Id::LayerHangs,
        Ending::Exited { .. } => Id::LayerExits,
        _ if dies => Id::LayerCrashes,
        _ if trial.stage > Stage::Negotiate => Id::LayerFails,
        _ => Id::LayerDoesNotLoad,
    };
    let finding = Finding::new(case, id, about, what).with_severity(severity).tried(true);
    Some(finding.with_steps(off(case, layer)).step(case.reinstall(about)).with_steps(trial.ending.patience()))
}

/// Reports that an active layer is installed twice.
pub(super) fn twice(case: &Case) -> Vec<Finding> {
    let Ok(views) = LayerView::all(&case.planned.layers) else { return Vec::new() };
    let fits = |layer: &LayerView| {
        case.library(&layer.manifest).is_some_and(|library| library.state == LibraryState::Fine)
    };
    let of = |layer: &LayerView| {
        let Some(LayerReason::NameTaken { of }) = layer.reason else { return None };
        let used =
            case.layers.iter().find(|used| used.index == of).filter(|used| fits(used) && fits(layer))?;
        let what =
            format!("is installed twice: programs get {}, and {} is another", used.manifest, layer.manifest);
        let stale = [used, layer].into_iter().find(|it| case.is_of_no_package(&it.manifest)).unwrap_or(layer);
        Some(Finding::new(case, Id::LayerTwice, &layer.name, what).step(case.remove(&stale.manifest)))
    };
    views.iter().filter_map(of).collect()
}

/// Layers for developers that slow every program.
const SLOW: &[(&str, &str)] = &[
    ("VK_LAYER_KHRONOS_validation", "checks every call, so every program is slow"),
    ("VK_LAYER_LUNARG_api_dump", "prints every call, so every program is very slow"),
    ("VK_LAYER_LUNARG_gfxreconstruct", "records every call to a file"),
    ("VK_LAYER_RENDERDOC_Capture", "prepares every program for captures"),
    ("VK_LAYER_KHRONOS_profiles", "makes devices look like others"),
    ("VK_LAYER_LUNARG_device_simulation", "makes devices look like others"),
];

/// Reports slow layers that were left on.
pub(super) fn slow(case: &Case) -> Vec<Finding> {
    let of = |layer: &LayerView| {
        let (_, effect) = SLOW.iter().find(|row| row.0 == layer.name)?;
        // Settings for some programs are meant, and a layer that does not load has no effect.
        let settings = case.planned.settings.plan.in_force().filter(|_| layer.is_by_settings());
        let is_meant = settings.is_some_and(|settings| settings.app_keys.is_some());
        if is_meant || case.trials.layer(&layer.name).is_some_and(Trial::is_unusable) {
            return None;
        }
        let what =
            format!("is on for every program and {effect}; it is active because {}", because(case, layer));
        let finding = Finding::new(case, Id::LayerLeftOn, &layer.name, what);
        Some(finding.with_steps(off(case, layer)))
    };
    case.layers.iter().filter_map(of).collect()
}

/// Reports layers that the loader calls after one above which they do not work.
pub(super) fn moved(case: &Case) -> Vec<Finding> {
    let of = |note: &LayerNote| {
        let LayerNote::Moved { name, below, reason } = note else { return None };
        let what = format!("is called after {}: {reason}", lossless::text(below));
        Some(Finding::new(case, Id::LayerMoved, &lossless::text(name), what))
    };
    case.planned.layers.notes.iter().filter_map(of).collect()
}
