//! The layers of an instance, opened.

use ash::vk;

use super::found::FoundLayers;
use super::library::LayerLibrary;
use crate::discovery::LayerCandidate;
use crate::manifest::LayerManifest;
use crate::memory::{Application, Arc, OutOfMemory, Text, TryGrow, Vec};
use crate::negotiation::LayerInterface;

pub struct ActiveLayer {
    pub name: Text,
    pub implicit: bool,
    pub interface: LayerInterface,
    pub instance_extensions: Vec<vk::ExtensionProperties>,
    pub device_extensions: Vec<vk::ExtensionProperties>,
    pub library: Arc<LayerLibrary>,
}

pub struct Layers {
    active: Vec<ActiveLayer>,
    /// The indices of the enabled layers in `found`: active layers, and meta-layers after their components.
    enabled: Vec<usize, Application>,
    /// All layers of the system when these were opened.
    pub found: Arc<FoundLayers>,
}

impl Layers {
    pub fn none_of(found: Arc<FoundLayers>, allocator: Application) -> Self {
        Self { active: Vec::new(), enabled: Vec::new_in(allocator), found }
    }

    pub fn add(&mut self, index: usize, layer: ActiveLayer) -> Result<(), OutOfMemory> {
        self.enabled.try_push(index)?;
        self.active.try_push(layer)
    }

    /// Adds the meta-layer at this index. Its components have already been added.
    pub fn add_meta_layer(&mut self, index: usize) -> Result<(), OutOfMemory> {
        self.enabled.try_push(index)
    }

    /// Returns the manifests of the enabled layers, meta-layers included, the one nearest to the application
    /// first.
    pub fn enabled(&self) -> impl Iterator<Item = &LayerManifest> {
        self.candidates().filter_map(|candidate| candidate.manifest.as_ref())
    }

    /// Returns the enabled layers as they were found, in the same order.
    pub(super) fn candidates(&self) -> impl Iterator<Item = &LayerCandidate> {
        self.enabled.iter().filter_map(|index| self.found.plan.layers.get(*index))
    }
}

impl core::ops::Deref for Layers {
    type Target = [ActiveLayer];
    fn deref(&self) -> &[ActiveLayer] {
        &self.active
    }
}
