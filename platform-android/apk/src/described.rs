//! Manifests for libraries that describe their own layers.
#![forbid(unsafe_code)]

use ash::vk;
use vkload_core::memory::{Escaped, OutOfMemory, Text};

use super::json::{Json, LIST, OBJECT};
use platform_android::layers::{Layer, LayerLibrary};

pub(super) fn manifest(library: &LayerLibrary) -> Result<Text, OutOfMemory> {
    let mut json = Json::default();
    json.within(OBJECT, |json| {
        json.key("file_format_version")?.string("1.2.0")?;
        json.key("layers")?
            .within(LIST, |json| library.layers.iter().try_for_each(|layer| describe(json, library, layer)))
    })?;
    Ok(json.finish())
}

fn describe(json: &mut Json, library: &LayerLibrary, layer: &Layer) -> Result<(), OutOfMemory> {
    let properties = &layer.properties;
    json.within(OBJECT, |json| {
        json.key("name")?.bytes(layer.name().to_bytes())?;
        // Its functions show whether it takes part in devices.
        json.key("type")?.string("GLOBAL")?;
        json.key("library_path")?.bytes(library.path.as_c_str().to_bytes())?;
        json.key("api_version")?.string(Version(properties.spec_version))?;
        json.key("implementation_version")?.string(properties.implementation_version)?;
        let description = properties.description_as_c_str().unwrap_or_default();
        json.key("description")?.string(Escaped(description.to_bytes()))?;
        json.key("instance_extensions")?.within(LIST, |json| extensions(json, &layer.instance_extensions))?;
        json.key("device_extensions")?.within(LIST, |json| extensions(json, &layer.device_extensions))
    })
}

fn extensions(json: &mut Json, all: &[vk::ExtensionProperties]) -> Result<(), OutOfMemory> {
    all.iter().try_for_each(|extension| {
        json.within(OBJECT, |json| {
            let name = extension.extension_name_as_c_str().unwrap_or_default();
            json.key("name")?.bytes(name.to_bytes())?;
            json.key("spec_version")?.string(extension.spec_version)
        })
    })
}

/// A version of Vulkan. Android does not read it, and some layers have none.
struct Version(u32);

impl core::fmt::Display for Version {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let (major, minor, patch) = (
            vk::api_version_major(self.0).max(1),
            vk::api_version_minor(self.0),
            vk::api_version_patch(self.0),
        );
        write!(f, "{major}.{minor}.{patch}")
    }
}
