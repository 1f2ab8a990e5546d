//! The layers of an instance, opened.

use ash::vk;

use super::found::FoundLayers;
use super::library::LayerLibrary;
use crate::manifest::LayerManifest;
use crate::memory::{Application, Counted, OutOfMemory, Text, TryGrow, Vec};
use crate::negotiation::LayerInterface;

/// A layer of an instance.
pub struct ActiveLayer {
    /// Its name.
    pub name: Text,
    /// Whether it is active without a request from the application.
    pub implicit: bool,
    /// What was agreed with it.
    pub interface: LayerInterface,
    /// The instance extensions that its manifest says it provides.
    pub instance_extensions: Vec<vk::ExtensionProperties>,
    /// The device extensions that its manifest says it provides.
    pub device_extensions: Vec<vk::ExtensionProperties>,
    /// Keeps it open.
    pub library: Counted<LayerLibrary>,
}

/// The layers of an instance, the one nearest to the application first.
pub struct Layers {
    active: Vec<ActiveLayer>,
    /// The places of the enabled layers among those found: of the active ones, and of meta-layers behind
    /// their components.
    enabled: Vec<usize, Application>,
    /// All layers of the system, as they were when these were opened.
    pub found: Counted<FoundLayers>,
}

impl Layers {
    /// None of the layers that were found.
    #[must_use]
    pub fn none_of(found: Counted<FoundLayers>, allocator: Application) -> Self {
        Self { active: Vec::new(), enabled: Vec::new_in(allocator), found }
    }

    /// Adds the layer at this place among those found behind the others.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn add(&mut self, place: usize, layer: ActiveLayer) -> Result<(), OutOfMemory> {
        self.enabled.try_push(place)?;
        self.active.try_push(layer)
    }

    /// Adds the meta-layer at this place, whose components have been added.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn add_meta_layer(&mut self, place: usize) -> Result<(), OutOfMemory> {
        self.enabled.try_push(place)
    }

    /// The manifests of the enabled layers, meta-layers included, the one nearest to the application first.
    pub fn enabled(&self) -> impl Iterator<Item = &LayerManifest> {
        let found = |place: &usize| self.found.plan.layers.get(*place)?.manifest.as_ref();
        self.enabled.iter().filter_map(found)
    }
}

impl core::ops::Deref for Layers {
    type Target = [ActiveLayer];
    fn deref(&self) -> &[ActiveLayer] {
        &self.active
    }
}
