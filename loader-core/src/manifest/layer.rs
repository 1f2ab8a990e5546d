//! Layer manifests, file format versions 1.0.0 to 1.2.1 (loader and layer interface document,
//! "Layer Manifest File Format").
#![forbid(unsafe_code)]

mod features;
mod read;
#[cfg(test)]
mod tests;

use core::ffi::CStr;
use core::ops::Range;

use super::driver::{ManifestError, ManifestWarning};
use super::version::Version;
use crate::memory::{OrOutOfMemory, OutOfMemory, Text, Vec, text};

pub use features::DeclaredSettings;

/// The content of a layer manifest: one layer, or several since version 1.0.1.
#[derive(Debug)]
pub struct LayerFile {
    pub format_version: Version,
    pub warning: Option<ManifestWarning>,
    /// Its layers in the order of the file, or why one cannot be used.
    pub layers: Vec<Result<LayerManifest, ManifestError>>,
}

#[derive(Debug, Default)]
pub struct LayerManifest {
    /// Its name for applications and variables. Not empty, at most [`NAME_LIMIT`] bytes, no NUL
    /// inside.
    pub name: Text,
    /// The call chains that it is for.
    pub layer_type: LayerType,
    pub library_path: Text,
    pub api_version: Version,
    pub implementation_version: u32,
    /// A line of text for users, of any length; Vulkan allows 255 bytes.
    pub description: Text,
    /// The pointer width of the library in bits, 32 or 64, if stated.
    pub library_arch: Option<u32>,
    /// The layer's names of the functions that the loader loads it by.
    pub functions: LayerFunctions,
    /// The layer's names of the functions that intercept commands before an instance exists. Empty before
    /// version 1.1.2 of the format.
    pub pre_instance_functions: PreInstanceFunctions,
    pub instance_extensions: Vec<LayerExtension>,
    pub device_extensions: Vec<LayerExtension>,
    /// The variable that must have this value for an implicit layer to be active.
    pub enable_environment: Option<Switch>,
    /// The variable that must be unset for an implicit layer to be active.
    pub disable_environment: Option<Switch>,
    /// The components of a meta-layer, closest to the application first.
    pub component_layers: Vec<Text>,
    /// The folders to search for explicit layers instead, for the override layer.
    pub override_paths: Vec<Text>,
    pub blacklisted_layers: Vec<Text>,
    /// The executables that the override layer is for; all if the list is empty.
    pub app_keys: Vec<Text>,
    /// The position of the layer's object in the file, in bytes. The object may contain more for people and
    /// tools, such as `introduction`, `url` and `features`.
    pub range: Range<usize>,
    pub warning: Option<ManifestWarning>,
}

/// The most bytes in a name of a layer or extension: `VK_MAX_EXTENSION_NAME_SIZE` without the NUL.
pub const NAME_LIMIT: usize = 255;

/// The number of layers of one file that are read.
pub const LAYER_LIMIT: usize = 256;

/// The call chains that a layer was once limited to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LayerType {
    /// `INSTANCE`. Treated like `Global`.
    Instance,
    /// `GLOBAL`: instance and device.
    #[default]
    Global,
    /// `DEVICE`: such layers are no longer loaded.
    Device,
}

/// The names under which a layer's library exports the functions that the loader loads it by, if
/// they are not the default ones.
#[derive(Debug, Default)]
pub struct LayerFunctions {
    /// `vkNegotiateLoaderLayerInterfaceVersion`.
    pub negotiate: Option<Symbol>,
    /// `vkGetInstanceProcAddr`; ignored for a layer that negotiates.
    pub get_instance_proc_addr: Option<Symbol>,
    /// `vkGetDeviceProcAddr`; ignored for a layer that negotiates.
    pub get_device_proc_addr: Option<Symbol>,
}

#[derive(Debug, Default)]
pub struct PreInstanceFunctions {
    pub enumerate_instance_extension_properties: Option<Symbol>,
    pub enumerate_instance_layer_properties: Option<Symbol>,
    pub enumerate_instance_version: Option<Symbol>,
}

#[derive(Debug)]
pub struct LayerExtension {
    pub name: Text,
    pub spec_version: u32,
    pub entry_points: Vec<Symbol>,
}

#[derive(Debug)]
pub struct Switch {
    pub variable: Symbol,
    /// The value that enables. Meaningless if the variable disables.
    pub value: Text,
}

/// The layer that selects others (loader and layer interface document, "Override Meta-Layer").
pub const OVERRIDE_LAYER: &[u8] = b"VK_LAYER_LUNARG_override";

/// A name with a NUL at its end and none before it.
#[derive(Debug, PartialEq, Eq)]
pub struct Symbol(Text);

impl Symbol {
    pub fn new(name: &[u8]) -> Result<Self, OutOfMemory> {
        text(&[name, b"\0"]).map(Self)
    }

    #[inline(never)] // several callers
    pub fn as_c_str(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.0).unwrap_or(c"")
    }

    pub fn bytes(&self) -> &[u8] {
        self.as_c_str().to_bytes()
    }
}

impl LayerFile {
    pub fn parse(bytes: &[u8]) -> Result<Result<Self, ManifestError>, OutOfMemory> {
        let mut file = Self { format_version: Version::default(), warning: None, layers: Vec::new() };
        match read::file(bytes, &mut file) {
            Ok(()) => Ok(Ok(file)),
            Err(OrOutOfMemory::Failed(error)) => Ok(Err(error)),
            Err(OrOutOfMemory::OutOfMemory) => Err(OutOfMemory),
        }
    }
}

impl LayerManifest {
    /// Returns whether the layer has no library and only combines other layers.
    pub fn is_meta(&self) -> bool {
        self.library_path.is_empty()
    }
}

impl PreInstanceFunctions {
    pub fn is_empty(&self) -> bool {
        self.enumerate_instance_extension_properties.is_none()
            && self.enumerate_instance_layer_properties.is_none()
            && self.enumerate_instance_version.is_none()
    }
}
