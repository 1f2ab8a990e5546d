//! Lists of extensions as applications get them.

use ash::vk;

use super::name;
use crate::memory::{OutOfMemory, TryGrow, Vec};

/// Adds an extension to `all`, unless the list contains its name. The driver's come first: if a driver and a layer
/// have an extension, the driver's version is used (loader and layer interface document, "Instance and Device Extensions").
pub fn merge(
    all: &mut Vec<vk::ExtensionProperties>,
    extension: &vk::ExtensionProperties,
) -> Result<(), OutOfMemory> {
    let Some(called) = name::in_array(&extension.extension_name) else { return Ok(()) };
    if !all.iter().any(|present| name::is(present, called)) {
        all.try_push(*extension)?;
    }
    Ok(())
}
