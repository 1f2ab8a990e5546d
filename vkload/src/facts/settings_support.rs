//! The parts of the settings file that a Vulkan loader reads.

use std::fs;
use std::path::Path;

/// The parts of the settings file that a loader reads, as far as loaders differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SettingsSupport {
    pub(crate) layers: bool,
    pub(crate) programs: bool,
    pub(crate) drivers: bool,
    pub(crate) devices: bool,
    /// Whether it looks for the file in the user's folder of configuration, and not only in that of data.
    pub(crate) configuration_folder: bool,
}

impl SettingsSupport {
    /// Returns what the loader in this file reads. `None` if the file cannot be read.
    ///
    /// A loader has the names of the fields that it reads as strings. Its version is not known without
    /// running it.
    pub(crate) fn of(library: &Path) -> Option<Self> {
        let bytes = fs::read(library).ok()?;
        let (mut support, mut is_own) = (Self::none(), false);
        for string in bytes.split(|byte| *byte == 0) {
            let ends = |name: &str| string.ends_with(name.as_bytes());
            support.layers |= ends("unordered_layer_location");
            support.programs |= ends("settings_array");
            support.drivers |= ends("additional_drivers_use_exclusively");
            support.devices |= ends("device_configurations");
            support.configuration_folder |= string.starts_with(b"/.config/vulkan");
            is_own |= string.starts_with(b"VKLOAD_START_CACHE");
        }
        Some(if is_own { Self::all() } else { support })
    }

    fn none() -> Self {
        Self { layers: false, programs: false, drivers: false, devices: false, configuration_folder: false }
    }

    fn all() -> Self {
        Self { layers: true, programs: true, drivers: true, devices: true, configuration_folder: true }
    }
}
