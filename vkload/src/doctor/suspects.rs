//! Finds the layer that stands between programs and their devices: without any, then by halves.

use super::subject::Layer;
use super::trials::{Changes, Progress, Trials};
use crate::halves;
use crate::probe::parent::Settings;
use crate::probe::{Ending, Trial};

/// Whether programs get less than the drivers have to give.
pub(super) fn anything_missing(trials: &Trials) -> bool {
    let Some(program) = &trials.program else { return true };
    if !program.has_begun() {
        return false;
    }
    let by_drivers: usize = trials.drivers.iter().map(|(_, trial)| trial.usable().count()).sum();
    program.ending != Ending::Finished || program.usable().count() < by_drivers || program.devices.is_empty()
}

/// Whether programs die or hang in the same library as a driver does alone: then no layer has to do with it.
pub(super) fn is_drivers_fault(trials: &Trials) -> bool {
    let library = |trial: &Trial| match &trial.ending {
        Ending::Signal { library, .. } | Ending::TimedOut { library, .. } => library.clone(),
        _ => None,
    };
    let at_fault = trials.program.as_ref().and_then(library);
    at_fault.is_some() && trials.drivers.iter().any(|(_, trial)| library(trial) == at_fault)
}

/// Whether this went further than `before`.
pub(super) fn is_better(trial: &Trial, before: Option<&Trial>) -> bool {
    let Some(before) = before else { return false };
    let score = |trial: &Trial| (trial.ending == Ending::Finished, trial.usable().count(), trial.stage);
    score(trial) > score(before)
}

/// The changes to variables that leave these layers out, by their places.
pub(super) fn without(layers: &[Layer], left_out: &[usize], settings: &Settings) -> Changes {
    let mut changes = Changes::new();
    let out: Vec<&Layer> = left_out.iter().filter_map(|place| layers.get(*place)).collect();
    for layer in &out {
        // Every loader heeds a layer's own variables; the loader's variable is newer.
        if let Some((name, value)) = &layer.disable {
            changes.insert(name.clone(), Some(if value.is_empty() { "1".to_owned() } else { value.clone() }));
        }
        if let Some((name, _)) = &layer.enable {
            changes.insert(name.clone(), None);
        }
    }
    for (list, separator) in [("VK_INSTANCE_LAYERS", ':'), ("VK_LOADER_LAYERS_ENABLE", ',')] {
        if let Some(value) = settings.variables.get(list) {
            let kept: Vec<_> =
                value.split(separator).filter(|name| !out.iter().any(|layer| layer.name == *name)).collect();
            let all = kept.is_empty() || out.len() == layers.len();
            changes.insert(list.to_owned(), (!all).then(|| kept.join(&separator.to_string())));
        }
    }
    let names: Vec<_> = out.iter().map(|layer| layer.name.as_str()).collect();
    let before = settings.variables.get("VK_LOADER_LAYERS_DISABLE").map(String::as_str);
    let disabled: Vec<_> = before.into_iter().filter(|value| !value.is_empty()).chain(names).collect();
    changes.insert("VK_LOADER_LAYERS_DISABLE".to_owned(), Some(disabled.join(",")));
    changes
}

/// The names of the fewest layers without which it goes as well as without all.
pub(super) fn culprits(
    layers: &[Layer],
    settings: &Settings,
    goal: &Trial,
    attempt: &dyn Fn(&Changes) -> Trial,
    progress: Progress<'_>,
) -> Vec<String> {
    let fails = |kept: &[usize]| {
        let left_out: Vec<usize> = (0..layers.len()).filter(|place| !kept.contains(place)).collect();
        progress(&format!("the loader without {} of {} layers", left_out.len(), layers.len()));
        is_better(goal, Some(&attempt(&without(layers, &left_out, settings))))
    };
    let guilty = halves::culprits(layers.len(), &fails);
    guilty.iter().filter_map(|place| layers.get(*place)).map(|layer| layer.name.clone()).collect()
}
