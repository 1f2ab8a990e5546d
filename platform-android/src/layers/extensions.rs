//! The extensions of layers.

use ash::vk;
use core::ffi::CStr;
use vkload_core::abi::name;
use vkload_core::memory::{OutOfMemory, TryGrow, Vec};

use super::found::Found;

impl Found {
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
