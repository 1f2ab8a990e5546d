//! Decides which layers have a right to their names: the first of each name, the override layer for this
//! program, and no layer that the override layer blacklists.
#![forbid(unsafe_code)]

use super::plan::{LayerCandidate, LayerPlan};
use super::reason::LayerReason;
use super::variables::Variables;
use crate::discovery::inquiry::{Incomplete, Inquiry};
use crate::discovery::order::first_equal;
use crate::manifest::OVERRIDE_LAYER;
use crate::memory::{OutOfMemory, TryGrow, Vec};

/// Returns the index of the active override layer, if any (loader and layer interface document, "Override
/// Meta-Layer"). `layers` are the implicit ones. An override layer that lists this program takes precedence
/// over one for all programs. The others are skipped.
pub(super) fn choose_override(
    inquiry: &mut Inquiry<'_>,
    variables: &Variables<'_>,
    layers: &mut [LayerCandidate],
) -> Result<Option<usize>, Incomplete> {
    for layer in layers.iter_mut().filter(|layer| is_override(layer)) {
        let keys = layer.manifest.as_ref().map_or(&[][..], |manifest| &manifest.app_keys);
        if keys.is_empty() {
            continue;
        }
        let program = inquiry.executable()?;
        if !keys.iter().any(|key| Some(key.as_slice()) == program) {
            layer.skipped = Some(LayerReason::OtherProgram);
        }
    }
    inquiry.settle()?;
    let is_meant = |layer: &LayerCandidate| {
        is_override(layer) && layer.manifest.as_ref().is_some_and(|manifest| !manifest.app_keys.is_empty())
    };
    let chosen = layers.iter().position(is_meant).or_else(|| layers.iter().position(is_override));
    let Some(chosen) = chosen else { return Ok(None) };
    for (index, layer) in layers.iter_mut().enumerate().filter(|(_, layer)| is_override(layer)) {
        if index != chosen {
            layer.skipped = Some(LayerReason::NameTaken { of: chosen });
        }
    }
    let in_force = layers.get(chosen).is_some_and(|layer| {
        layer.inactive.is_none() && variables.disables(layer.kind, OVERRIDE_LAYER).is_none()
    });
    Ok(in_force.then_some(chosen))
}

fn is_override(layer: &LayerCandidate) -> bool {
    layer.skipped.is_none()
        && layer
            .manifest
            .as_ref()
            .is_some_and(|manifest| manifest.is_meta() && manifest.name.as_slice() == OVERRIDE_LAYER)
}

pub(super) fn skip_taken_names(layers: &mut [LayerCandidate]) -> Result<(), OutOfMemory> {
    let mut indices = Vec::new();
    let has_to_share = |layer: &LayerCandidate| layer.skipped.is_none() && layer.control.is_none();
    for (index, _) in layers.iter().enumerate().filter(|(_, layer)| has_to_share(layer)) {
        indices.try_push(index)?;
    }
    let name = |at: usize| layers.get(*indices.get(at)?).map(LayerCandidate::name);
    let firsts = first_equal(indices.len(), &mut |(one, other)| name(one).cmp(&name(other)))?;
    for ((at, index), first) in indices.iter().enumerate().zip(firsts) {
        if let (true, Some(of), Some(layer)) = (first != at, indices.get(first), layers.get_mut(*index)) {
            layer.skipped = Some(LayerReason::NameTaken { of: *of });
        }
    }
    Ok(())
}

/// Skips the layers that an active, usable override layer blacklists. Returns whether it skipped any.
pub(super) fn skip_blacklisted(plan: &mut LayerPlan) -> Result<bool, OutOfMemory> {
    let can_be_used = |index: &usize| plan.layers.get(*index).is_some_and(|layer| layer.skipped.is_none());
    let Some(by) = plan.overriding.filter(can_be_used) else { return Ok(false) };
    let manifest = plan.layers.get(by).and_then(|layer| layer.manifest.as_ref());
    let mut ruled_out = Vec::new();
    for name in manifest.iter().flat_map(|manifest| &manifest.blacklisted_layers) {
        if let Some(index) = plan.usable(name).filter(|index| *index != by) {
            ruled_out.try_push(index)?;
        }
    }
    for index in &ruled_out {
        if let Some(layer) = plan.layers.get_mut(*index) {
            layer.skipped = Some(LayerReason::Blacklisted { by });
        }
    }
    Ok(!ruled_out.is_empty())
}
