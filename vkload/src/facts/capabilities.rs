//! The variables and settings that a Vulkan loader reads, by the names in its file. Its version is unknown unless it runs.

use std::collections::BTreeSet;
use std::path::Path;

use vkload_core::platform::variables::ALL;

use super::files::content;
use super::linker::Search;
use super::variables::Variables;
use crate::lossless;

pub(crate) const SETTINGS_FILE: &str = "vk_loader_settings.json";

/// A loader is smaller.
const SIZE_LIMIT: u64 = 256 << 20;

/// A variable that every loader reads. A file without it is no loader, or one that hides its names.
const IN_EVERY_LOADER: &str = "VK_LAYER_PATH";

/// A variable that only this project's loader reads.
pub(crate) const OWN: &str = "VK_LOADER_X_QUIET";

/// Returns the loaders' variables, and perhaps the settings file, that the loader does not read which a program of this width gets.
/// `loader` is its path, if that is known. Empty if its file does not say.
pub(crate) fn not_read(
    loader: Option<&Path>,
    variables: &Variables,
    program: Option<&Path>,
    bits: u32,
) -> Vec<String> {
    let found = || {
        let search = Search::new(variables, program).loaders();
        search.into_iter().find(|loader| loader.first && u32::from(loader.bits) == bits)
    };
    let path = loader.map(Path::to_owned).or_else(|| Some(lossless::path(found()?.path)));
    let bytes = path.and_then(|path| content(&path, SIZE_LIMIT).ok()).unwrap_or_default();
    let words = words(&bytes);
    let reads = |name: &&str| words.contains(name.as_bytes());
    if !reads(&IN_EVERY_LOADER) {
        return Vec::new();
    }
    let settings = SETTINGS_FILE.trim_end_matches(".json").as_bytes();
    let no_settings = !words.iter().any(|word| word.ends_with(settings));
    let names = ALL.iter().filter_map(|variable| variable.name.to_str().ok());
    let variables = names.filter(|name| name.starts_with("VK_") && !reads(name));
    variables.chain(no_settings.then_some(SETTINGS_FILE)).map(str::to_owned).collect()
}

/// The parts of the settings file that a loader reads, as far as loaders differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SettingsSupport {
    pub(crate) layers: bool,
    pub(crate) programs: bool,
    pub(crate) drivers: bool,
    pub(crate) devices: bool,
    /// Whether it also looks for the file in the user's configuration folder, not only in the data folder.
    pub(crate) configuration_folder: bool,
}

impl SettingsSupport {
    /// Returns the support of the loader in this file. `None` if the file cannot be read.
    pub(crate) fn of(library: &Path) -> Option<Self> {
        let bytes = content(library, SIZE_LIMIT).ok()?;
        let words = words(&bytes);
        // This project's loader packs the names of fields.
        let is_own = words.iter().any(|word| *word == OWN.as_bytes());
        let has = |field: &str| is_own || words.iter().any(|word| word.ends_with(field.as_bytes()));
        Some(Self {
            layers: has("unordered_layer_location"),
            programs: has("settings_array"),
            drivers: has("additional_drivers_use_exclusively"),
            devices: has("device_configurations"),
            configuration_folder: is_own
                || bytes.split(|byte| *byte == 0).any(|string| string.starts_with(b"/.config/vulkan")),
        })
    }
}

/// Returns the words of a file: letters, digits and underscores.
fn words(bytes: &[u8]) -> BTreeSet<&[u8]> {
    let words = bytes.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
    words.filter(|word| word.len() > 4).collect()
}
