//! Turns layers on and off for one process, by what every loader heeds: the variables in a layer's manifest, the loader's own variables, and a
//! copy of the settings file.

mod settings_copy;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use vkload_core::discovery::{
    ActivationCause, ActiveLayer, LayerCandidate, LayerKind, LayerReason, LayerRequest,
};
use vkload_core::manifest::Control;

use crate::facts::Variables;
use crate::lossless;
use crate::planned::Planned;
use crate::settings_edit::{self, Json};
use crate::view::{LayerView, switch};

/// Changes to a process's variables: a value, or `None` to unset.
pub(crate) type Changes = BTreeMap<String, Option<String>>;

/// The variable that names the layers to enable, and its separator.
const NAMES: (&str, char) = ("VK_INSTANCE_LAYERS", ':');
/// Patterns of layers to enable, and of those not to use.
const ENABLE: (&str, char) = ("VK_LOADER_LAYERS_ENABLE", ',');
const DISABLE: (&str, char) = ("VK_LOADER_LAYERS_DISABLE", ',');

/// Layers to turn on and off, by their positions in the plan. Layers in neither list keep their state.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted<'a> {
    pub(crate) on: &'a [usize],
    pub(crate) off: &'a [usize],
    /// Of those that are off, the ones that the program cannot have even if it asks for them itself: its vkCreateInstance fails then.
    pub(crate) hidden: &'a [usize],
    /// Layers in the order in which they are to be called, if they are active.
    pub(crate) order: &'a [usize],
}

/// Returns the changes to `variables` with which a program gets the `wanted` layers instead of the planned ones. Fails if a settings file
/// prevents it and cannot be copied.
pub(crate) fn changes(
    planned: &Planned,
    variables: &Variables,
    wanted: Wanted<'_>,
) -> Result<Changes, String> {
    let active = planned.layers.activate(&LayerRequest::default()).map_err(|_| "memory ran out")?;
    let view = View { planned, variables, active: &active.layers, wanted };
    let mut changes = Changes::new();
    let disabled = view.turn_off(&mut changes);
    let enabled = view.turn_on(&mut changes);
    view.list(NAMES, &view.names(&enabled), &mut changes);
    view.order_names(&mut changes);
    view.enable_patterns(&mut changes);
    view.list(DISABLE, &view.names(&disabled), &mut changes);
    let controls = view.controls();
    if !controls.is_empty() || !wanted.order.is_empty() {
        let order: Vec<_> = wanted.order.iter().filter_map(|index| view.layer(*index)).collect();
        let what: Vec<_> = controls.iter().cloned().chain(view.names(wanted.order)).collect();
        let folder = settings_copy::make(planned, variables, &what.join(", "), &|settings| {
            settings_copy::leave_to_variables(settings, &controls);
            settings_edit::set_order(settings, &order);
        })?;
        changes.insert("XDG_CONFIG_HOME".to_owned(), Some(lossless::of(folder)));
    }
    Ok(changes)
}

/// Returns the changes to `variables` with which a program gets the settings file without this field, or without all.
pub(crate) fn without_setting(
    planned: &Planned,
    variables: &Variables,
    field: Option<&str>,
) -> Result<Changes, String> {
    if planned.settings.plan.path.is_empty() || planned.settings.plan.unusable.is_some() {
        return Ok(Changes::new());
    }
    let folder = settings_copy::make(planned, variables, field.unwrap_or("it"), &|settings| match field {
        Some(field) => settings.remove(field),
        None => *settings = Json::object([]),
    })?;
    Ok(Changes::from([("XDG_CONFIG_HOME".to_owned(), Some(lossless::of(folder)))]))
}

pub(crate) fn changed(variables: &Variables, changes: &Changes) -> Variables {
    let mut changed = variables.clone();
    for (name, value) in changes {
        match value {
            Some(value) => changed.insert(name.clone(), value.clone()),
            None => changed.remove(name),
        };
    }
    changed
}

/// Makes these changes to the variables that `command` inherits.
pub(crate) fn apply(command: &mut Command, changes: &Changes) {
    for (name, value) in changes {
        match value {
            Some(value) => command.env(lossless::system(name), lossless::system(value)),
            None => command.env_remove(lossless::system(name)),
        };
    }
}

/// Returns the plan for `program` with these changes.
pub(crate) fn plan(
    variables: &Variables,
    changes: &Changes,
    program: Option<&Path>,
    pointer_width: u32,
) -> Result<Planned, String> {
    Planned::for_program(&changed(variables, changes), program, pointer_width)
}

/// Returns the names of all layers that are active in a program that enables no layer.
pub(crate) fn active_names(planned: &Planned) -> BTreeSet<String> {
    LayerView::active_by_default(&planned.layers).into_iter().map(|layer| layer.name).collect()
}

struct View<'a> {
    planned: &'a Planned,
    variables: &'a Variables,
    active: &'a [ActiveLayer],
    wanted: Wanted<'a>,
}

impl View<'_> {
    fn layer(&self, index: usize) -> Option<&LayerCandidate> {
        self.planned.layers.layers.get(index)
    }

    fn name(&self, index: usize) -> String {
        self.layer(index).map(|layer| lossless::text(layer.name())).unwrap_or_default()
    }

    fn names(&self, indices: &[usize]) -> Vec<String> {
        indices.iter().map(|index| self.name(*index)).collect()
    }

    fn because(&self, index: usize) -> Option<ActivationCause> {
        self.active.iter().find(|active| active.layer == index).map(|active| active.because)
    }

    /// Returns the layers that are to be active, of those that are.
    fn kept(&self) -> impl Iterator<Item = &ActiveLayer> {
        self.active.iter().filter(|active| !self.wanted.off.contains(&active.layer))
    }

    /// Sets the layers' own variables. Returns the layers for which only the loader's variable is left.
    fn turn_off(&self, changes: &mut Changes) -> Vec<usize> {
        let mut rest = Vec::new();
        for index in self.wanted.off.iter().copied() {
            let Some(layer) = self.layer(index) else { continue };
            let own = disable(layer).filter(|(name, _)| !self.is_shared(name));
            let is_component = matches!(
                self.because(index),
                Some(ActivationCause::Component { .. } | ActivationCause::Override)
            );
            let needs_more = is_component || (own.is_none() && layer.kind == LayerKind::Implicit);
            if self.wanted.hidden.contains(&index) || needs_more {
                rest.push(index);
            }
            if let Some((name, _)) = own {
                changes.insert(name, Some("1".to_owned()));
            }
        }
        rest
    }

    /// Returns whether this variable also turns off a layer that is to stay.
    fn is_shared(&self, variable: &str) -> bool {
        let stays = self.kept().map(|active| active.layer).chain(self.wanted.on.iter().copied());
        stays.filter_map(|index| disable(self.layer(index)?)).any(|(name, _)| name == variable)
    }

    /// Sets the layers' own variables. Returns the layers that must be named.
    fn turn_on(&self, changes: &mut Changes) -> Vec<usize> {
        let mut named = Vec::new();
        for index in self.wanted.on.iter().copied() {
            let Some(layer) = self.layer(index) else { continue };
            if let Some((name, _)) = disable(layer).filter(|(name, _)| self.variables.contains_key(name)) {
                changes.insert(name, None);
            }
            let own = layer.manifest.as_ref().and_then(|manifest| manifest.enable_environment.as_ref());
            if let Some((name, value)) = switch(own) {
                changes.insert(name, Some(value));
            } else if layer.kind == LayerKind::Explicit || layer.skipped.is_some() {
                named.push(index);
            }
        }
        named
    }

    /// Takes the layers that are off out of a list in a variable, and appends `more`.
    fn list(&self, (variable, separator): (&str, char), more: &[String], changes: &mut Changes) {
        let before = self.variables.get(variable).map(String::as_str).unwrap_or_default();
        let off = self.names(self.wanted.off);
        let is_off = |name: &&str| variable == NAMES.0 && off.iter().any(|layer| layer == name);
        let mut list: Vec<&str> =
            before.split(separator).filter(|name| !name.is_empty() && !is_off(name)).collect();
        for name in more {
            if !list.contains(&name.as_str()) {
                list.push(name);
            }
        }
        let after = list.join(&separator.to_string());
        if after != before {
            changes.insert(variable.to_owned(), (!after.is_empty()).then_some(after));
        }
    }

    /// Puts the layers that the variable names in the order, for loaders that read no settings file.
    fn order_names(&self, changes: &mut Changes) {
        let now = match changes.get(NAMES.0) {
            Some(changed) => changed.clone(),
            None => self.variables.get(NAMES.0).cloned(),
        };
        let Some(now) = now else { return };
        let mut names: Vec<String> = now.split(NAMES.1).map(str::to_owned).collect();
        let order: Vec<String> =
            self.names(self.wanted.order).into_iter().filter(|name| names.contains(name)).collect();
        let mut ordered = order.iter();
        for name in names.iter_mut().filter(|name| order.contains(name)) {
            if let Some(next) = ordered.next() {
                name.clone_from(next);
            }
        }
        let ordered = names.join(&NAMES.1.to_string());
        if ordered != now {
            changes.insert(NAMES.0.to_owned(), Some(ordered));
        }
    }

    /// Replaces patterns with the names of the layers that stay, since a pattern may match a layer that is off. A name there also overrides
    /// `VK_LOADER_LAYERS_DISABLE`.
    fn enable_patterns(&self, changes: &mut Changes) {
        let is_set = |name: &str| self.variables.get(name).is_some_and(|value| !value.is_empty());
        let disabled = |index: &usize| {
            self.layer(*index)
                .is_some_and(|layer| matches!(layer.skipped, Some(LayerReason::Disabled { .. })))
        };
        let on: Vec<usize> = self.wanted.on.iter().copied().filter(disabled).collect();
        if !is_set(ENABLE.0) || self.wanted.off.is_empty() {
            return self.list(ENABLE, &self.names(&on), changes);
        }
        let by_pattern = |active: &&ActiveLayer| {
            let is_implicit = self.layer(active.layer).is_some_and(|layer| layer.kind == LayerKind::Implicit);
            is_implicit
                || matches!(active.because, ActivationCause::Variable(name) if name.to_bytes() == ENABLE.0.as_bytes())
        };
        let stay: Vec<usize> = self.kept().filter(by_pattern).map(|active| active.layer).chain(on).collect();
        let names = self.names(&stay).join(&ENABLE.1.to_string());
        changes.insert(ENABLE.0.to_owned(), (!names.is_empty()).then_some(names));
    }

    /// Returns the layers that the settings file must leave to the variables.
    fn controls(&self) -> BTreeSet<String> {
        let against = |indices: &[usize], control: Control| {
            let stands = |index: &usize| self.layer(*index).is_some_and(|it| it.control == Some(control));
            self.names(&indices.iter().copied().filter(stands).collect::<Vec<_>>())
        };
        let of_on = against(self.wanted.on, Control::Off);
        against(self.wanted.off, Control::On).into_iter().chain(of_on).collect()
    }
}

fn disable(layer: &LayerCandidate) -> Option<(String, String)> {
    switch(layer.manifest.as_ref()?.disable_environment.as_ref())
}
