//! The extensions of layers.

use ash::vk;
use core::ffi::CStr;
use vkload_core::abi::extensions;
use vkload_core::memory::{OutOfMemory, Vec};

use super::found::Found;

impl Found {
    pub fn instance_extensions_of(&self, name: &CStr) -> Result<&[vk::ExtensionProperties], vk::Result> {
        let layer = self.layer(name).ok_or(vk::Result::ERROR_LAYER_NOT_PRESENT)?;
        Ok(&layer.instance_extensions)
    }

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
    more.iter().try_for_each(|extension| extensions::merge(all, extension))
}
