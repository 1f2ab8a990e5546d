//! Lists of extensions as applications get them.

use ash::vk;

use super::name;
use crate::memory::{TryGrow, Vec};

/// Adds a layer extension to `all`, unless the list contains its name: if a driver also has the extension,
/// the driver's version is used (loader and layer interface document, "Instance and Device Extensions").
pub(crate) fn merge_of_layer(
    all: &mut Vec<vk::ExtensionProperties>,
    extension: &vk::ExtensionProperties,
) -> Result<(), vk::Result> {
    let called = name::in_array(&extension.extension_name);
    if !all.iter().any(|present| called.is_none_or(|called| name::is(present, called))) {
        all.try_push(*extension)?;
    }
    Ok(())
}

/// Adds `extension` of a driver or of the loader to `all`; of two with one name, the first is used.
pub(crate) fn merge(
    all: &mut Vec<vk::ExtensionProperties>,
    extension: &vk::ExtensionProperties,
) -> Result<(), vk::Result> {
    let Some(called) = name::in_array(&extension.extension_name) else { return Ok(()) };
    if !all.iter().any(|present| name::is(present, called)) {
        all.try_push(*extension)?;
    }
    Ok(())
}
