//! Finds layers on the search paths.
#![forbid(unsafe_code)]

use super::LayerScope;
use super::choose::{choose_override, skip_blacklisted, skip_taken_names};
use super::listed::{add_listed, ask_for_listed, hide_others};
use super::meta::check_meta_layers;
use super::plan::{LayerCandidate, LayerKind, LayerNote, LayerPlan};
use super::reason::LayerReason;
use super::variables::Variables;
use crate::discovery::inquiry::{Incomplete, Inquiry};
use crate::discovery::manifests::{Manifest, first_of_path, library, look};
use crate::discovery::search_paths::{Choices, SearchPath, path};
use crate::discovery::{IgnoreReason, Note, Origin, Policy};
use crate::manifest::{LayerFile, LayerManifest, LayerType, ManifestError, ManifestWarning, Settings};
use crate::memory::ascii::trimmed;
use crate::memory::{OutOfMemory, Text, TryGrow, Vec, text};
use crate::platform::FileError;

const LAYER_LIMIT: usize = 4096;

/// Makes the plan, in stages: the user's variables; the implicit layers; the layers that the environment
/// enables; the override layer; the explicit layers; the usable ones; the wanted ones, in order.
///
/// If the settings file lists layers, it replaces all other sources and sets the order.
pub(super) fn plan_all<'a>(
    inquiry: &mut Inquiry<'a>,
    policy: &Policy,
    scope: LayerScope,
    settings: Option<&Settings>,
) -> Result<LayerPlan, Incomplete> {
    let mut plan = LayerPlan::default();
    let mut notes = Vec::new();
    let variables = Variables::read(inquiry, policy)?;
    let implicit = Choices::read(inquiry, policy, &policy.implicit_layers)?;
    let explicit = Choices::read(inquiry, policy, &policy.explicit_layers)?;
    variables.note_elevated(inquiry, policy, &mut notes)?;
    add_notes(&mut notes, implicit.notes(inquiry, policy, &policy.implicit_layers)?)?;
    if let Some(listed) = settings.and_then(|settings| settings.layers.as_ref()) {
        let (before, after) = ask_for_listed(inquiry, listed)?;
        add_listed(inquiry, policy, before, &mut plan)?;
        if let Some(after) = after {
            search_implicit(inquiry, policy, &implicit, &mut plan, &mut notes)?;
            search_explicit(inquiry, policy, &explicit, &mut plan, &mut notes)?;
            add_listed(inquiry, policy, after, &mut plan)?;
        } else {
            plan.notes.try_push(LayerNote::OnlyListed)?;
        }
        hide_others(listed, &mut plan);
        variables.switch(inquiry, &mut plan.layers)?;
        inquiry.settle()?;
    } else {
        search_implicit(inquiry, policy, &implicit, &mut plan, &mut notes)?;
        variables.switch(inquiry, &mut plan.layers)?;
        inquiry.settle()?;
        plan.overriding = choose_override(inquiry, &variables, &mut plan.layers)?;
        let is_needed = variables.enable_any() || plan.layers.iter().any(is_meta);
        if scope == LayerScope::All && !is_needed {
            inquiry.begin_optional();
        }
        if scope == LayerScope::All || is_needed {
            search_explicit(inquiry, policy, &explicit, &mut plan, &mut notes)?;
        }
    }
    for note in notes {
        plan.notes.try_push(LayerNote::Search(note))?;
    }
    skip_taken_names(&mut plan.layers)?;
    plan.index()?;
    variables.skip_disabled(&mut plan.layers);
    check_meta_layers(&mut plan)?;
    if skip_blacklisted(&mut plan)? {
        check_meta_layers(&mut plan)?;
    }
    plan.order(&variables)?;
    Ok(plan)
}

fn search_implicit<'a>(
    inquiry: &mut Inquiry<'a>,
    policy: &Policy,
    choices: &Choices<'a>,
    plan: &mut LayerPlan,
    notes: &mut Vec<Note>,
) -> Result<(), Incomplete> {
    let search_paths = choices.search_paths(inquiry, policy, &policy.implicit_layers, Vec::new())?;
    search(inquiry, policy, search_paths, LayerKind::Implicit, plan, notes)
}

/// Finds the explicit layers: on the search paths of the override layer, or else of the variables.
fn search_explicit<'a>(
    inquiry: &mut Inquiry<'a>,
    policy: &Policy,
    choices: &Choices<'a>,
    plan: &mut LayerPlan,
    notes: &mut Vec<Note>,
) -> Result<(), Incomplete> {
    let overriding = plan.overriding.and_then(|index| plan.layers.get(index));
    let search_paths = match overriding.map(override_paths).transpose()? {
        Some(search_paths) if !search_paths.is_empty() => {
            for (name, _) in [choices.replacing, choices.adding].into_iter().flatten() {
                notes.try_push(Note::VariableIgnored { name, because: IgnoreReason::OverrideLayer })?;
            }
            search_paths
        }
        _ => {
            add_notes(notes, choices.notes(inquiry, policy, &policy.explicit_layers)?)?;
            choices.search_paths(inquiry, policy, &policy.explicit_layers, Vec::new())?
        }
    };
    search(inquiry, policy, search_paths, LayerKind::Explicit, plan, notes)
}

fn is_meta(layer: &LayerCandidate) -> bool {
    layer.manifest.as_ref().is_some_and(LayerManifest::is_meta)
}

fn add_notes(notes: &mut Vec<Note>, more: Vec<Note>) -> Result<(), OutOfMemory> {
    for note in more {
        notes.try_push(note)?;
    }
    Ok(())
}

/// Returns the search paths of explicit layers that the override layer names. A relative path is relative to the
/// folder of its manifest.
fn override_paths(layer: &LayerCandidate) -> Result<Vec<SearchPath>, OutOfMemory> {
    let folder = layer.path.iter().rposition(|byte| *byte == b'/').and_then(|slash| layer.path.get(..=slash));
    let mut search_paths = Vec::new();
    for written in layer.manifest.iter().flat_map(|manifest| &manifest.override_paths) {
        let element = trimmed(written);
        if element.is_empty() {
            continue;
        }
        let base = if element.starts_with(b"/") { b"" } else { folder.unwrap_or_default() };
        search_paths.try_push(SearchPath::named(&path(&[base, element])?, Origin::OverrideLayer)?)?;
    }
    Ok(search_paths)
}

fn search(
    inquiry: &mut Inquiry<'_>,
    policy: &Policy,
    search_paths: Vec<SearchPath>,
    kind: LayerKind,
    plan: &mut LayerPlan,
    notes: &mut Vec<Note>,
) -> Result<(), Incomplete> {
    let manifests = look(inquiry, search_paths, &mut plan.searched, notes)?;
    let firsts = first_of_path(&manifests)?;
    for manifest in &manifests {
        inquiry.file(&manifest.path)?.ok();
    }
    inquiry.settle()?;
    // The plan stays as long as the process. Few files have more than one layer.
    plan.layers.try_fit(manifests.len())?;
    let mut found =
        Found { layers: &mut plan.layers, left_out: 0, kind, pointer_width: policy.pointer_width };
    for ((at, manifest), first) in manifests.into_iter().enumerate().zip(firsts) {
        if at != first {
            found.add(LayerCandidate::without_manifest(manifest, kind, LayerReason::ManifestRepeated))?;
            continue;
        }
        let content = inquiry.file(&manifest.path)?;
        found.read(manifest, content)?;
    }
    let left_out = found.left_out;
    if left_out > 0 {
        plan.notes.try_push(LayerNote::TooManyLayers { left_out })?;
    }
    Ok(())
}

pub(super) struct Found<'a> {
    pub(super) layers: &'a mut Vec<LayerCandidate>,
    pub(super) left_out: usize,
    pub(super) kind: LayerKind,
    pub(super) pointer_width: u32,
}

impl Found<'_> {
    pub(super) fn read(
        &mut self,
        manifest: Manifest,
        content: Result<&[u8], FileError>,
    ) -> Result<(), OutOfMemory> {
        let file = match content {
            Err(error) => Err(LayerReason::Unreadable(error)),
            Ok(bytes) => LayerFile::parse(bytes)?.map_err(LayerReason::Invalid),
        };
        let file = match file {
            Ok(file) => file,
            Err(reason) => {
                return self.add(LayerCandidate::without_manifest(manifest, self.kind, reason));
            }
        };
        for said in file.layers {
            let again = Manifest { path: text(&[&manifest.path])?, found_in: manifest.found_in };
            let candidate = self.candidate(again, said, file.warning)?;
            self.add(candidate)?;
        }
        Ok(())
    }

    fn candidate(
        &self,
        manifest: Manifest,
        said: Result<LayerManifest, ManifestError>,
        warning: Option<ManifestWarning>,
    ) -> Result<LayerCandidate, OutOfMemory> {
        let said = match said {
            Ok(said) => said,
            Err(error) => {
                let reason = LayerReason::Invalid(error);
                return Ok(LayerCandidate::without_manifest(manifest, self.kind, reason));
            }
        };
        let skipped = said.unusable(self.kind, self.pointer_width);
        let old = (said.api_version.major == 0).then_some(ManifestWarning::OldApiVersion(said.api_version));
        Ok(LayerCandidate {
            library: library(text(&[&said.library_path])?, &manifest.path)?,
            path: manifest.path,
            found_in: manifest.found_in,
            kind: self.kind,
            warning: said.warning.or(warning).or(old),
            manifest: Some(said),
            skipped,
            inactive: (self.kind == LayerKind::Explicit).then_some(LayerReason::NotAskedFor),
            control: None,
        })
    }

    fn add(&mut self, candidate: LayerCandidate) -> Result<(), OutOfMemory> {
        if self.layers.len() < LAYER_LIMIT {
            return self.layers.try_push(candidate);
        }
        self.left_out = self.left_out.saturating_add(1);
        Ok(())
    }
}

impl LayerCandidate {
    pub(super) fn without_manifest(manifest: Manifest, kind: LayerKind, reason: LayerReason) -> Self {
        Self {
            path: manifest.path,
            found_in: manifest.found_in,
            kind,
            manifest: None,
            library: Text::new(),
            warning: None,
            skipped: Some(reason),
            inactive: None,
            control: None,
        }
    }
}

impl LayerManifest {
    fn unusable(&self, kind: LayerKind, pointer_width: u32) -> Option<LayerReason> {
        if self.layer_type == LayerType::Device {
            return Some(LayerReason::DeviceLayer);
        }
        if self.api_version.variant != 0 || self.api_version.major > 1 {
            return Some(LayerReason::ApiVersion { version: self.api_version });
        }
        if let Some(library) = self.library_arch.filter(|bits| *bits != pointer_width) {
            return Some(LayerReason::LibraryArch { library, process: pointer_width });
        }
        (kind == LayerKind::Implicit && self.disable_environment.is_none())
            .then_some(LayerReason::NoDisableEnvironment)
    }
}
