//! The instance extensions that applications see.

use ash::vk;
use core::ffi::CStr;
use loader_core::abi::name;
use loader_core::memory::{OutOfMemory, TryGrow, Vec};

use super::enabling;
use super::found::Found;
use crate::system::System;

impl Found {
    /// Returns the instance extensions of available layers that the settings enable, each once.
    /// They come first in vkEnumerateInstanceExtensionProperties without a layer's name; [`merge`]
    /// adds the loader's and the driver's.
    ///
    /// Layers that a property enables do not count, as on any Android: programs read the list
    /// early, and properties change.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn settings_extensions(
        &self,
        system: &dyn System,
    ) -> Result<Vec<vk::ExtensionProperties>, OutOfMemory> {
        let mut all = Vec::new();
        let settings = system.debug_layers()?;
        if settings.is_empty() {
            return Ok(all);
        }
        for wanted in &enabling::implicit(&settings, &|name| system.property(name))? {
            if let Some((library, place)) = self.find_layer(&wanted.name)
                && let Some(layer) = library.layers.get(place)
            {
                merge(&mut all, &layer.instance_extensions)?;
            }
        }
        Ok(all)
    }

    /// Returns the instance extensions of the layer with this name.
    ///
    /// # Errors
    /// `ERROR_LAYER_NOT_PRESENT`.
    pub fn instance_extensions_of(&self, name: &CStr) -> Result<&[vk::ExtensionProperties], vk::Result> {
        let layer = self.layer(name).ok_or(vk::Result::ERROR_LAYER_NOT_PRESENT)?;
        Ok(&layer.instance_extensions)
    }

    /// Returns the device extensions of the layer with this name.
    ///
    /// # Errors
    /// `ERROR_LAYER_NOT_PRESENT`.
    pub fn device_extensions_of(&self, name: &CStr) -> Result<&[vk::ExtensionProperties], vk::Result> {
        let layer = self.layer(name).ok_or(vk::Result::ERROR_LAYER_NOT_PRESENT)?;
        Ok(&layer.device_extensions)
    }
}

/// Appends extensions, except those whose names are already there.
///
/// # Errors
/// [`OutOfMemory`].
pub fn merge(
    all: &mut Vec<vk::ExtensionProperties>,
    more: &[vk::ExtensionProperties],
) -> Result<(), OutOfMemory> {
    for extension in more {
        let is_there = |name: &CStr| all.iter().any(|other| name::is(other, name));
        if !name::in_array(&extension.extension_name).is_none_or(is_there) {
            all.try_push(*extension)?;
        }
    }
    Ok(())
}
