//! The layers of an instance, opened.

use ash::vk;

use super::found::FoundLayers;
use crate::memory::{Counted, Text, Vec};
use crate::negotiation::LayerInterface;
use crate::platform::{Library, Platform};

/// A layer of an instance.
pub struct ActiveLayer {
    /// Its name.
    pub name: Text,
    /// Whether it is there without the application having asked for it.
    pub implicit: bool,
    /// What was agreed with it.
    pub interface: LayerInterface,
    /// The instance extensions that its manifest says it provides.
    pub instance_extensions: Vec<vk::ExtensionProperties>,
    /// The device extensions that its manifest says it provides.
    pub device_extensions: Vec<vk::ExtensionProperties>,
    pub(crate) library: Library,
}

/// The layers of an instance, the one nearest to the application first. Their libraries are closed when this is dropped.
pub struct Layers {
    active: Vec<ActiveLayer>,
    /// All layers of the system, as they were when these were opened.
    pub found: Counted<FoundLayers>,
    platform: &'static Platform,
}

impl Layers {
    /// None of the layers that were found.
    #[must_use]
    pub fn none_of(found: Counted<FoundLayers>, platform: &'static Platform) -> Self {
        Self { active: Vec::new(), found, platform }
    }

    /// Adds a layer behind the others.
    ///
    /// # Errors
    /// [`crate::memory::OutOfMemory`]; the layer's library is closed then.
    pub fn add(&mut self, layer: ActiveLayer) -> Result<(), crate::memory::OutOfMemory> {
        let library = layer.library;
        crate::memory::TryGrow::try_push(&mut self.active, layer).inspect_err(|_| {
            // SAFETY: nothing of the library is used.
            unsafe { self.platform.libraries.close(library) };
        })
    }
}

impl core::ops::Deref for Layers {
    type Target = [ActiveLayer];
    fn deref(&self) -> &[ActiveLayer] {
        &self.active
    }
}

impl Drop for Layers {
    fn drop(&mut self) {
        for layer in self.active.iter().rev() {
            // SAFETY: the instance that the layers belong to is gone, and with it everything that they may be called by.
            unsafe { self.platform.libraries.close(layer.library) };
        }
    }
}
