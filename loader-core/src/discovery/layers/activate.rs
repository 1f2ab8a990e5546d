//! Which layers are active, and in which order.
#![forbid(unsafe_code)]

use super::meta::is_lower;
use super::plan::{
    ActivationCause, ActiveLayer, ActiveLayers, LayerCandidate, LayerKind, LayerNote, LayerPlan,
    LayerRequest, LayerRequestError, Refused,
};
use super::reason::LayerReason;
use super::variables::Variables;
use crate::discovery::filter::matches;
use crate::manifest::{Control, Version};
use crate::memory::{OutOfMemory, TryGrow, Vec, sort_by, text};

/// Layers that do not work above another one: patterns for the name of the upper and the lower layer, and the
/// reason. The upper one is moved below.
const NOT_ABOVE: &[[&str; 3]] = &[
    ["VK_LAYER_MANGOHUD_overlay*", RENDERDOC, NO_CREATE_DEVICE],
    ["VK_LAYER_VKBASALT_*", RENDERDOC, NO_CREATE_DEVICE],
    ["VK_LAYER_MESA_overlay", RENDERDOC, NO_CREATE_DEVICE],
];

const RENDERDOC: &str = "VK_LAYER_RENDERDOC_Capture";

const NO_CREATE_DEVICE: &str =
    "RenderDoc returns no vkCreateDevice without an instance, which this layer needs";

impl LayerPlan {
    pub fn usable(&self, name: &[u8]) -> Option<usize> {
        let index = self.named(name)?;
        self.layers.get(index)?.skipped.is_none().then_some(index)
    }

    /// Returns the layers whose libraries the layer at `index` uses, in call order: itself, or the
    /// components of a meta-layer and their components. A meta-layer has their extensions.
    pub fn libraries(&self, index: usize) -> Result<Vec<usize>, OutOfMemory> {
        let mut chain = Chain::new(self, Version::default())?;
        chain.add(index, ActivationCause::Application)?;
        let mut libraries = Vec::new();
        for active in chain.active {
            if self.layers.get(active.layer).is_some_and(|layer| !layer.library.is_empty()) {
                libraries.try_push(active.layer)?;
            }
        }
        Ok(libraries)
    }

    /// Decides which layers are active in an instance.
    ///
    /// With an empty request these are the layers that are active before an instance exists: the "implicitly
    /// enabled" layers of the specification.
    pub fn activate(&self, request: &LayerRequest<'_>) -> Result<ActiveLayers, OutOfMemory> {
        let mut wanted = Vec::new();
        wanted.try_extend(&self.wanted)?;
        let mut refused = Vec::new();
        for (name, asked) in request.enabled.iter().enumerate() {
            match self.named(asked.to_bytes()) {
                None => refused.try_push(Refused { name, because: LayerRequestError::Unknown })?,
                Some(layer) if self.layers.get(layer).is_some_and(|it| it.skipped.is_some()) => {
                    refused.try_push(Refused { name, because: LayerRequestError::Skipped { layer } })?;
                }
                Some(layer) => wanted.try_push((layer, ActivationCause::Application))?,
            }
        }
        if self.is_listed {
            sort_by(&mut wanted, |one, other| one.0.cmp(&other.0));
        }
        let mut chain = Chain::new(self, request.api_version)?;
        for (index, because) in wanted {
            chain.add(index, because)?;
        }
        Ok(ActiveLayers { layers: chain.active, refused })
    }

    pub(super) fn named(&self, name: &[u8]) -> Option<usize> {
        let name_at = |index: &usize| self.layers.get(*index).map_or(&b""[..], |layer| layer.name());
        let first = self.by_name.partition_point(|index| name_at(index) < name);
        self.by_name.get(first).filter(|index| name_at(index) == name).copied()
    }

    /// Prepares finding layers by name. Layers skipped until now have no right to their names.
    pub(super) fn index(&mut self) -> Result<(), OutOfMemory> {
        for (index, layer) in self.layers.iter().enumerate() {
            if layer.manifest.is_some() {
                self.by_name.try_push(index)?;
            }
        }
        let layers = &self.layers;
        let key =
            |index: &usize| layers.get(*index).map(|layer| (layer.name(), layer.skipped.is_some(), *index));
        sort_by(&mut self.by_name, |one, other| key(one).cmp(&key(other)));
        Ok(())
    }

    /// Decides which layers are active without the application, and in which order: implicit layers, the
    /// override layer, layers that a variable names, layers that match a pattern.
    pub(super) fn order(&mut self, variables: &Variables<'_>) -> Result<(), OutOfMemory> {
        let mut wanted = Vec::new();
        for layer in &self.layers {
            self.reserved.try_push(variables.names(layer.name()))?;
        }
        let overriding = self.overriding.filter(|index| self.is_wanted(*index));
        let overridden = match overriding {
            Some(index) => {
                Chain::new(self, Version::default())?.with(index, ActivationCause::Override)?.placed
            }
            None => Vec::new(),
        };
        for (index, layer) in self.layers.iter().enumerate() {
            let elsewhere = overridden.get(index) == Some(&true) || self.reserved.get(index) == Some(&true);
            if layer.control == Some(Control::On) && self.is_wanted(index) {
                wanted.try_push((index, ActivationCause::Settings))?;
            } else if layer.kind == LayerKind::Implicit && self.is_wanted(index) && !elsewhere {
                wanted.try_push((index, ActivationCause::Implicit))?;
            }
        }
        if let Some(index) = overriding {
            wanted.try_push((index, ActivationCause::Override))?;
        }
        for name in &variables.names {
            let by = variables.called.names;
            let named = self.named(name);
            let usable = named.filter(|index| self.layers.get(*index).is_some_and(|it| it.skipped.is_none()));
            match usable {
                Some(index) if self.is_switched_off(index) => {}
                Some(index) => wanted.try_push((index, ActivationCause::Variable(by)))?,
                None => {
                    let (name, hidden_by) = (text(&[name])?, self.limit());
                    self.notes.try_push(LayerNote::NotFound { by, name, skipped: named, hidden_by })?;
                }
            }
        }
        self.add_enabled(variables, &mut wanted)?;
        if !self.is_listed {
            self.separate(&mut wanted)?;
        }
        self.wanted = wanted;
        Ok(())
    }

    /// Moves layers below those that they do not work above ([`NOT_ABOVE`]).
    fn separate(&mut self, wanted: &mut [(usize, ActivationCause)]) -> Result<(), OutOfMemory> {
        for [upper, lower, reason] in NOT_ABOVE {
            let name =
                |(index, _): &(usize, _)| self.layers.get(*index).map_or(&b""[..], LayerCandidate::name);
            let at = |wanted: &[_], pattern: &str| {
                wanted.iter().position(|one| matches(pattern.as_bytes(), name(one)))
            };
            while let (Some(up), Some(low)) = (at(wanted, upper), at(wanted, lower))
                && let Some([above @ .., last]) = wanted.get_mut(up..=low)
            {
                let below = text(&[name(last)])?;
                above.iter_mut().rev().for_each(|one| core::mem::swap(one, last));
                let note = LayerNote::Moved { name: text(&[name(last)])?, below, reason };
                self.notes.try_push(note)?;
            }
        }
        Ok(())
    }

    /// Adds the explicit layers that match a pattern, each once, in the order of the patterns.
    fn add_enabled(
        &self,
        variables: &Variables<'_>,
        wanted: &mut Vec<(usize, ActivationCause)>,
    ) -> Result<(), OutOfMemory> {
        let mut left = Vec::new();
        for (index, layer) in self.layers.iter().enumerate() {
            if layer.kind == LayerKind::Explicit && layer.skipped.is_none() {
                left.try_push((index, layer.name()))?;
            }
        }
        for pattern in variables.enable.iter().flat_map(|filter| filter.patterns()) {
            for (index, _) in left.iter().filter(|(_, name)| matches(pattern, name)) {
                wanted.try_push((*index, ActivationCause::Variable(variables.called.enable)))?;
            }
            left.retain(|(_, name)| !matches(pattern, name));
        }
        Ok(())
    }

    fn is_wanted(&self, index: usize) -> bool {
        self.layers.get(index).is_some_and(|layer| layer.skipped.is_none() && layer.inactive.is_none())
    }

    fn is_switched_off(&self, index: usize) -> bool {
        self.layers.get(index).is_some_and(|layer| layer.inactive == Some(LayerReason::DisableEnvironmentSet))
    }
}

struct Chain<'a> {
    plan: &'a LayerPlan,
    api_version: Version,
    active: Vec<ActiveLayer>,
    /// For each layer whether it is active: only the first addition has an effect.
    placed: Vec<bool>,
}

impl<'a> Chain<'a> {
    fn new(plan: &'a LayerPlan, api_version: Version) -> Result<Self, OutOfMemory> {
        let mut placed = Vec::new();
        placed.try_resize(plan.layers.len(), false)?;
        Ok(Self { plan, api_version, active: Vec::new(), placed })
    }

    fn with(mut self, index: usize, because: ActivationCause) -> Result<Self, OutOfMemory> {
        self.add(index, because)?;
        Ok(self)
    }

    /// Adds a layer, after its components if it is a meta-layer. Layers that are already active keep their
    /// positions. An implicit component needs its variables as if it were not a component, except that the
    /// override layer enables the components it lists. A component that is also in a list of names waits for
    /// its position there.
    fn add(&mut self, index: usize, because: ActivationCause) -> Result<(), OutOfMemory> {
        let plan = self.plan;
        if !self.take(index) {
            return Ok(());
        }
        let early = matches!(because, ActivationCause::Implicit | ActivationCause::Override);
        let mut open = Vec::new();
        open.try_push((index, because, 0usize))?;
        while let Some((layer, because, next)) = open.last_mut() {
            let (of, because) = (*layer, *because);
            let manifest = plan.layers.get(of).and_then(|layer| layer.manifest.as_ref());
            let Some(name) = manifest.and_then(|manifest| manifest.component_layers.get(*next)) else {
                let older = manifest.is_some_and(|it| is_lower(it.api_version, self.api_version));
                self.active.try_push(ActiveLayer { layer: of, because, older })?;
                open.pop();
                continue;
            };
            *next = next.saturating_add(1);
            let component = plan.usable(name).filter(|at| !early || plan.reserved.get(*at) != Some(&true));
            let component = component.filter(|at| match plan.layers.get(*at).and_then(|it| it.inactive) {
                Some(LayerReason::DisableEnvironmentSet) => false,
                Some(LayerReason::EnableEnvironmentNotSet) => plan.overriding == Some(index),
                _ => true,
            });
            if let Some(component) = component.filter(|index| self.take(*index)) {
                open.try_push((component, ActivationCause::Component { of }, 0))?;
            }
        }
        Ok(())
    }

    fn take(&mut self, index: usize) -> bool {
        match self.placed.get_mut(index) {
            Some(placed) => !core::mem::replace(placed, true),
            None => false,
        }
    }
}
