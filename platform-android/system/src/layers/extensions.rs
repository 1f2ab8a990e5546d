//! The extensions of layers that the settings enable.

use ash::vk;
use platform_android::layers::{Found, merge};
use platform_android::system::System;
use vkload_core::memory::{OutOfMemory, Vec};

use super::enabling;

/// Returns the instance extensions of available layers that the settings enable, each once.
/// They come first in vkEnumerateInstanceExtensionProperties without a layer's name; [`merge`]
/// adds the loader's and the driver's.
///
/// Layers that a property enables do not count, as on any Android: programs read the list
/// early, and properties change.
pub fn settings_extensions(
    found: &Found,
    system: &dyn System,
) -> Result<Vec<vk::ExtensionProperties>, OutOfMemory> {
    let mut all = Vec::new();
    let settings = system.debug_layers()?;
    if settings.is_empty() {
        return Ok(all);
    }
    for wanted in &enabling::implicit(&settings, &|name| system.property(name))? {
        if let Some((library, index)) = found.find_layer(&wanted.name)
            && let Some(layer) = library.layers.get(index)
        {
            merge(&mut all, &layer.instance_extensions)?;
        }
    }
    Ok(all)
}
