//! The settings file, which Vulkan Configurator writes and forgets.

use super::super::case::Case;
use super::super::finding::{Finding, Id, Severity};
use crate::command::Command;
use crate::lossless;

fn path(case: &Case) -> Option<String> {
    let path = &case.planned.settings.plan.path;
    (!path.is_empty()).then(|| lossless::text(path))
}

/// Returns the command that removes the file.
pub(super) fn remove(case: &Case) -> Command {
    case.remove(&path(case).unwrap_or_default())
}

/// Returns the step for a setting with this effect. One that does no harm was probably made on purpose.
fn undo(case: &Case, severity: Severity) -> Option<Command> {
    (severity != Severity::Note).then(|| remove(case))
}

/// Reports that all or part of the file cannot be used.
pub(super) fn unusable(case: &Case) -> Option<Finding> {
    let path = path(case)?;
    let plan = &case.planned.settings.plan;
    let finding = |id, what: String| Finding::new(case, id, &path, what);
    let check = Command::new("vkload settings {}", &[&path]);
    if let Some(reason) = &plan.unusable {
        let why = match reason {
            vkload_core::discovery::SkipReason::Invalid(error) => error.to_string(),
            reason => reason.to_string(),
        };
        return Some(
            finding(Id::SettingsUnusable, format!("this settings file is ignored: {why}"))
                .step(check)
                .step(remove(case)),
        );
    }
    plan.file
        .warnings
        .first()
        .map(|warning| finding(Id::SettingsWarning, format!("in this settings file, {warning}")).step(check))
}

pub(super) fn drivers(case: &Case) -> Vec<Finding> {
    let (Some(path), Some(settings)) = (path(case), case.planned.settings.plan.in_force()) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    if settings.additional_drivers_use_exclusively {
        let names: Vec<String> =
            settings.additional_drivers.iter().map(|name| lossless::text(name)).collect();
        let gone = names
            .iter()
            .find(|name| !case.drivers.iter().any(|driver| driver.manifest == **name && driver.used));
        let what = match gone {
            Some(name) => format!(
                "this settings file allows no driver but {} (line {}), and {name} cannot be used",
                names.join(", "),
                settings.line
            ),
            None => format!(
                "this settings file allows no driver but {} (line {})",
                names.join(", "),
                settings.line
            ),
        };
        let severity = if case.fails() || gone.is_some() { case.blame() } else { Severity::Note };
        let finding = Finding::new(case, Id::SettingsDrivers, &path, what).with_severity(severity);
        all.push(finding.with_steps(undo(case, severity)));
    }
    if let Some(devices) = &settings.devices {
        let names: Vec<String> = devices.iter().map(|device| lossless::text(&device.device_name)).collect();
        let by_drivers: usize = case.trials.drivers.iter().map(|(_, trial)| trial.usable().count()).sum();
        let hidden = case.trials.program.is_some() && case.devices().len() < by_drivers;
        let severity = if hidden { case.blame() } else { Severity::Note };
        let what = format!(
            "this settings file (line {}) lists the devices that programs get: {}",
            settings.line,
            names.join(", ")
        );
        let finding = Finding::new(case, Id::SettingsDevices, &path, what).with_severity(severity);
        all.push(finding.with_steps(undo(case, severity)));
    }
    all
}

/// Reports that the file selects the active layers.
pub(super) fn layers(case: &Case) -> Option<Finding> {
    let (path, settings) = (path(case)?, case.planned.settings.plan.in_force()?);
    let layers = settings.layers.as_ref()?;
    let on: Vec<&str> =
        case.layers.iter().filter(|layer| layer.is_by_settings()).map(|layer| layer.name.as_str()).collect();
    let absent =
        layers.iter().filter(|layer| !layer.path.is_empty()).map(|layer| lossless::text(&layer.path)).find(
            |manifest| {
                let candidate = case
                    .planned
                    .layers
                    .layers
                    .iter()
                    .find(|candidate| lossless::text(&candidate.path) == *manifest);
                candidate.is_none_or(|candidate| {
                    matches!(candidate.skipped, Some(vkload_core::discovery::LayerReason::Unreadable(_)))
                })
            },
        );
    let (severity, what) = match (absent, &on[..]) {
        (Some(absent), _) => (
            Severity::Warning,
            format!(
                "this settings file (line {}) names the layer manifest {absent}, which cannot be read",
                settings.line
            ),
        ),
        (None, []) => (
            Severity::Note,
            format!("this settings file (line {}) decides which layers are used: none is on", settings.line),
        ),
        (None, on) => (
            Severity::Note,
            format!(
                "this settings file (line {}) turns on {} for every program",
                settings.line,
                on.join(", ")
            ),
        ),
    };
    Some(
        Finding::new(case, Id::SettingsLayers, &path, what)
            .with_severity(severity)
            .with_steps(undo(case, severity)),
    )
}
