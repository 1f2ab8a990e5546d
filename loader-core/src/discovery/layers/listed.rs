//! The layers listed in the settings file.
#![forbid(unsafe_code)]

use super::find::Found;
use super::plan::{LayerCandidate, LayerKind, LayerPlan};
use super::reason::LayerReason;
use crate::discovery::inquiry::{Incomplete, Inquiry};
use crate::discovery::manifests::Manifest;
use crate::discovery::{Origin, Policy, SearchResult, Searched};
use crate::manifest::{Control, LayerSetting};
use crate::memory::{OutOfMemory, TryGrow, text};

/// Requests the manifests of the layers in `listed`. Returns the layers before the position of unlisted
/// layers and, if the list has such a position, the layers after it.
pub(super) fn ask_for_listed<'s>(
    inquiry: &mut Inquiry<'_>,
    listed: &'s [LayerSetting],
) -> Result<(&'s [LayerSetting], Option<&'s [LayerSetting]>), Incomplete> {
    let is_gap = |layer: &LayerSetting| layer.control == Control::Unordered;
    for layer in listed.iter().filter(|layer| !is_gap(layer)) {
        inquiry.file(&layer.path)?.ok();
    }
    inquiry.settle()?;
    let mut parts = listed.splitn(2, is_gap);
    Ok((parts.next().unwrap_or_default(), parts.next()))
}

pub(super) fn add_listed(
    inquiry: &mut Inquiry<'_>,
    policy: &Policy,
    listed: &[LayerSetting],
    plan: &mut LayerPlan,
) -> Result<(), OutOfMemory> {
    plan.is_listed = true;
    for layer in listed.iter().filter(|layer| layer.control != Control::Unordered) {
        let (found_in, before) = (plan.searched.len(), plan.layers.len());
        let (origin, result) = (Origin::Settings, SearchResult::File);
        plan.searched.try_push(Searched { path: text(&[&layer.path])?, origin, result })?;
        let kind = if layer.implicit { LayerKind::Implicit } else { LayerKind::Explicit };
        let mut found =
            Found { layers: &mut plan.layers, left_out: 0, kind, pointer_width: policy.pointer_width };
        let manifest = Manifest { path: text(&[&layer.path])?, found_in };
        found.read(manifest, inquiry.file(&layer.path)?)?;
        let (earlier, found) = plan.layers.split_at_mut_checked(before).unwrap_or_default();
        let same =
            |it: &LayerCandidate| it.control.is_some() && (it.name(), &it.path) == (&layer.name, &layer.path);
        let repeated = earlier.iter().any(same);
        for found in found {
            found.control = Some(layer.control);
            if layer.control == Control::On {
                found.inactive = None;
            }
            found.skipped = match found.skipped {
                None if found.name() != layer.name.as_slice() => Some(LayerReason::SettingsName),
                None if layer.control == Control::Off => Some(LayerReason::SettingsOff),
                None => repeated.then_some(LayerReason::ManifestRepeated),
                other => other,
            };
        }
    }
    Ok(())
}

/// Skips other manifests of listed layers: of a disabled layer, wherever they are found; and of a
/// layer whose listed manifest can be used.
pub(super) fn hide_others(listed: &[LayerSetting], plan: &mut LayerPlan) {
    for index in 0..plan.layers.len() {
        let Some(layer) = plan.layers.get(index).filter(|layer| layer.control.is_none()) else { continue };
        let name = layer.name();
        let is_off = |it: &LayerSetting| it.control == Control::Off && it.name.as_slice() == name;
        let has_it = |it: &LayerCandidate| it.control.is_some() && it.skipped.is_none() && it.name() == name;
        let reason = if listed.iter().any(is_off) {
            LayerReason::SettingsOff
        } else if plan.layers.iter().any(has_it) {
            LayerReason::SettingsElsewhere
        } else {
            continue;
        };
        if let Some(layer) = plan.layers.get_mut(index) {
            layer.skipped = layer.skipped.or(Some(reason));
        }
    }
}
