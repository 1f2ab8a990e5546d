//! Finds the layer that keeps programs from their devices: first a run without layers, then by halves.

use serde::{Deserialize, Serialize};

use super::trials::Trials;
use crate::bisection;
use crate::planned::Planned;
use crate::probe::parent::Settings;
use crate::probe::{Ending, Progress, Trial, Tried};
use crate::switches::{self, Changes, Wanted};
use crate::view::LayerView;

/// Returns whether programs get less than the drivers have to give.
pub(super) fn anything_missing(trials: &Trials) -> bool {
    let Some(program) = &trials.program else { return true };
    if !program.has_begun() {
        return false;
    }
    let by_drivers: usize = trials.drivers.iter().map(|(_, trial)| trial.usable().count()).sum();
    program.ending != Ending::Finished
        || program.usable().count() < by_drivers
        || program.devices.is_empty()
        || trials.drivers.iter().any(|(_, driver)| !lost(driver, program).is_empty())
}

/// The part of a device that programs do not get.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Lost {
    pub(crate) device: String,
    pub(crate) extensions: Vec<String>,
    /// How many of the features of Vulkan 1.0.
    pub(crate) features: u32,
}

/// The extension without which programs show no picture.
pub(crate) const SWAPCHAIN: &str = "VK_KHR_swapchain";

/// Returns what devices have in the first trial and lack in the second.
pub(super) fn lost(with: &Trial, without: &Trial) -> Vec<Lost> {
    let of = |had: &Tried| {
        let has = without.devices.iter().find(|has| has.device.name == had.device.name)?;
        let extensions: Vec<String> =
            had.extensions.iter().filter(|name| !has.extensions.contains(name)).cloned().collect();
        let features = (had.features & !has.features).count_ones();
        let any = !extensions.is_empty() || features > 0;
        any.then(|| Lost { device: had.device.name.clone(), extensions, features })
    };
    with.devices.iter().filter_map(of).collect()
}

/// Returns whether programs die or hang in the same library as a driver does alone: then no layer has to do with it.
pub(super) fn is_drivers_fault(trials: &Trials) -> bool {
    let library = |trial: &Trial| match &trial.ending {
        Ending::Signal { library, .. } | Ending::TimedOut { library, .. } => library.clone(),
        _ => None,
    };
    let at_fault = trials.program.as_ref().and_then(library);
    at_fault.is_some() && trials.drivers.iter().any(|(_, trial)| library(trial) == at_fault)
}

/// Returns whether this went further than `before`.
pub(super) fn is_better(trial: &Trial, before: Option<&Trial>) -> bool {
    let Some(before) = before else { return false };
    let score = |trial: &Trial| (trial.ending == Ending::Finished, trial.usable().count(), trial.stage);
    score(trial) > score(before) || (score(trial) == score(before) && !lost(trial, before).is_empty())
}

/// Returns the changes to variables that leave these layers out, by their indices.
pub(super) fn without(
    planned: &Planned,
    layers: &[LayerView],
    left_out: &[usize],
    settings: &Settings,
) -> Result<Changes, String> {
    let off: Vec<usize> =
        left_out.iter().filter_map(|index| layers.get(*index)).map(|layer| layer.index).collect();
    switches::changes(planned, &settings.variables, Wanted { off: &off, ..Wanted::default() })
}

/// Returns the name of the first of the layers that fail together, if moving that layer behind the others works as well as a run without
/// layers.
pub(super) fn belongs_last(
    layers: &[LayerView],
    culprits: &[String],
    settings: &Settings,
    goal: &Trial,
    attempt: &dyn Fn(&Changes) -> Trial,
    progress: Progress<'_>,
) -> Option<String> {
    let [first, _, ..] = culprits else { return None };
    let changes = layers.iter().find(|layer| layer.name == *first)?.last(&settings.variables)?;
    progress("the loader with the layers in another order");
    (!is_better(goal, Some(&attempt(&changes)))).then(|| first.clone())
}

/// Returns the names of the fewest layers without which it goes as well as without all.
pub(super) fn culprits(
    planned: &Planned,
    layers: &[LayerView],
    settings: &Settings,
    goal: &Trial,
    attempt: &dyn Fn(&Changes) -> Trial,
    progress: Progress<'_>,
) -> Vec<String> {
    let fails = |kept: &[usize]| {
        let left_out: Vec<usize> = (0..layers.len()).filter(|index| !kept.contains(index)).collect();
        progress(&format!("the loader without {} of {} layers", left_out.len(), layers.len()));
        // The changes that leave out all layers have worked, so these do.
        let changes = without(planned, layers, &left_out, settings).unwrap_or_default();
        is_better(goal, Some(&attempt(&changes)))
    };
    let guilty = bisection::culprits(layers.len(), &fails);
    guilty.iter().filter_map(|index| layers.get(*index)).map(|layer| layer.name.clone()).collect()
}
