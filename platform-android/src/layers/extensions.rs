//! The extensions of layers.

use ash::vk;
use vkload_core::abi::extensions;
use vkload_core::memory::{OutOfMemory, Vec};

/// Appends extensions, except those whose names are already there.
pub fn merge(
    all: &mut Vec<vk::ExtensionProperties>,
    more: &[vk::ExtensionProperties],
) -> Result<(), OutOfMemory> {
    more.iter().try_for_each(|extension| extensions::merge(all, extension))
}
