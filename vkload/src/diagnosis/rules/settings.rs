//! The settings file, which Vulkan Configurator writes and forgets.

use vkload_core::discovery::{LayerReason, SkipReason};

use super::super::case::Case;
use super::super::finding::{Finding, Id};
use crate::command::Command;
use crate::lossless;

fn path(case: &Case) -> Option<String> {
    let path = &case.planned.settings.plan.path;
    (!path.is_empty()).then(|| lossless::text(path))
}

pub(super) fn remove(case: &Case) -> Command {
    case.remove(&path(case).unwrap_or_default())
}

/// Reports that all or part of the file cannot be used.
pub(super) fn unusable(case: &Case) -> Option<Finding> {
    let path = path(case)?;
    let plan = &case.planned.settings.plan;
    let finding = |id, what: String| Finding::new(case, id, &path, what);
    let check = Command::new("vkload settings {}", &[&path]);
    if let Some(reason) = &plan.unusable {
        let why = match reason {
            SkipReason::Invalid(error) => error.to_string(),
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

/// Reports that the file names a layer's manifest that is gone.
pub(super) fn layers(case: &Case) -> Option<Finding> {
    let (path, settings) = (path(case)?, case.planned.settings.plan.in_force()?);
    let is_read = |manifest: &[u8]| {
        let mut layers = case.planned.layers.layers.iter();
        layers.any(|it| *it.path == *manifest && !matches!(it.skipped, Some(LayerReason::Unreadable(_))))
    };
    let named = settings.layers.iter().flatten().map(|layer| &*layer.path);
    let absent = lossless::text(named.into_iter().find(|path| !path.is_empty() && !is_read(path))?);
    let what = format!(
        "this settings file (line {}) names the layer manifest {absent}, which cannot be read",
        settings.line
    );
    Some(Finding::new(case, Id::SettingsLayers, &path, what).step(remove(case)))
}
