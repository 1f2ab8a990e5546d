//! Opens layers and negotiates with them, which shows whether the loader can use them.

use std::collections::BTreeMap;

use vkload_core::discovery::LayerCandidate;
use vkload_core::manifest::Symbol;

use super::parent::Settings;
use super::{Attempt, Subject, Trial, try_all};
use crate::lossless;
use crate::planned::Planned;
use crate::switches::Changes;

pub(crate) fn subject(layer: &LayerCandidate, alone: bool) -> Subject {
    let functions = layer.manifest.as_ref().map(|manifest| &manifest.functions);
    let name =
        |symbol: Option<&Symbol>| symbol.map(|symbol| lossless::text(symbol.bytes())).unwrap_or_default();
    Subject::Layer {
        name: lossless::text(layer.name()),
        library: lossless::text(&layer.library),
        negotiate: name(functions.and_then(|it| it.negotiate.as_ref())),
        get_instance_proc_addr: name(functions.and_then(|it| it.get_instance_proc_addr.as_ref())),
        get_device_proc_addr: name(functions.and_then(|it| it.get_device_proc_addr.as_ref())),
        alone,
    }
}

/// Tries the layers at these indices of the plan, in processes that have the variables of this one with `changes`, and returns what
/// came of each by its index. A meta-layer has no library, so it is not tried.
pub(crate) fn try_out(planned: &Planned, indices: &[usize], changes: &Changes) -> BTreeMap<usize, Trial> {
    let library = |index: &usize| planned.layers.layers.get(*index).filter(|it| !it.library.is_empty());
    let layers: Vec<_> = indices.iter().filter_map(|index| Some((*index, library(index)?))).collect();
    let attempt = |(_, layer): &(usize, &LayerCandidate)| Attempt {
        changes: changes.clone(),
        ..Attempt::of(&lossless::text(layer.name()), subject(layer, false))
    };
    let attempts: Vec<_> = layers.iter().map(attempt).collect();
    let trials = try_all(&attempts, &Settings::own(), &|_| {});
    layers.iter().map(|(index, _)| *index).zip(trials.into_iter().map(|(_, trial)| trial)).collect()
}
