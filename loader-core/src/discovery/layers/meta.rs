//! Decides which meta-layers can be used.
#![forbid(unsafe_code)]

use super::plan::{LayerCandidate, LayerPlan};
use super::reason::LayerReason;
use crate::manifest::Version;
use crate::memory::{OutOfMemory, TryGrow, Vec};

/// Skips every meta-layer with a component that does not exist, cannot be used, is itself, or is
/// for a lower version of Vulkan (LLP_LOADER_10). A component that a variable disables is left out,
/// unless its version is too low.
///
/// Visits each component once, however meta-layers are nested.
pub(super) fn check_meta_layers(plan: &mut LayerPlan) -> Result<(), OutOfMemory> {
    let mut states = Vec::new();
    states.try_resize(plan.layers.len(), State::New)?;
    let mut open = Vec::new();
    for index in 0..plan.layers.len() {
        if states.get(index) != Some(&State::New) || !is_usable_meta(plan, index) {
            continue;
        }
        open.try_push((index, 0usize))?;
        while let Some((meta, next)) = open.last_mut() {
            if let Some(state) = states.get_mut(*meta) {
                *state = State::Open;
            }
            match judge(plan, &states, *meta, *next) {
                Verdict::Fits => *next = next.saturating_add(1),
                Verdict::Unknown(component) => open.try_push((component, 0))?,
                Verdict::Done(reason) => {
                    let meta = *meta;
                    open.pop();
                    if let (Some(state), Some(layer)) = (states.get_mut(meta), plan.layers.get_mut(meta)) {
                        *state = State::Done;
                        layer.skipped = reason;
                    }
                }
            }
        }
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

enum Verdict {
    Fits,
    Unknown(usize),
    /// No component is left, or the meta-layer cannot be used for this reason.
    Done(Option<LayerReason>),
}

fn judge(plan: &LayerPlan, states: &[State], meta: usize, component: usize) -> Verdict {
    let manifest = plan.layers.get(meta).and_then(|layer| layer.manifest.as_ref());
    let Some((manifest, name)) = manifest.and_then(|it| Some((it, it.component_layers.get(component)?)))
    else {
        return Verdict::Done(None);
    };
    let missing = Verdict::Done(Some(LayerReason::ComponentMissing { component }));
    let Some(index) = plan.named(name) else { return missing };
    let Some(LayerCandidate { skipped, manifest: Some(said), .. }) = plan.layers.get(index) else {
        return missing;
    };
    if states.get(index) == Some(&State::Open) {
        return Verdict::Done(Some(LayerReason::ComponentCycle { component }));
    }
    let disabled = matches!(skipped, Some(LayerReason::Disabled { .. }));
    if skipped.is_some() && !disabled {
        return missing;
    }
    let (has, needs) = (said.api_version, manifest.api_version);
    if is_lower(has, needs) {
        return Verdict::Done(Some(LayerReason::ComponentTooOld { component }));
    }
    match states.get(index) {
        Some(State::New) if said.is_meta() && !disabled => Verdict::Unknown(index),
        _ => Verdict::Fits,
    }
}

fn is_usable_meta(plan: &LayerPlan, index: usize) -> bool {
    let layer = plan.layers.get(index).filter(|layer| layer.skipped.is_none());
    layer.and_then(|layer| layer.manifest.as_ref()).is_some_and(crate::manifest::LayerManifest::is_meta)
}

/// Returns whether `version` is below `other`, ignoring the patch numbers.
pub(super) fn is_lower(version: Version, other: Version) -> bool {
    (version.major, version.minor) < (other.major, other.minor)
}
