//! The configuration of the loader in a program.

use std::ffi::{CStr, OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::{env, fmt, io};

use vkload_core::platform::variables::{
    VK_ADD_DRIVER_FILES, VK_ADD_IMPLICIT_LAYER_PATH, VK_ADD_LAYER_PATH, VK_DRIVER_FILES, VK_ICD_FILENAMES,
    VK_INSTANCE_LAYERS, VK_LOADER_DEBUG,
};
use vkload_core::registry::HEADER_VERSION;

use crate::own_loader::{self, Applied, Combine, Setting};

/// Configures the loader in this program: adds drivers and layers, sets its log, or prefers a newer loader of the system.
///
/// Each option is a default for an environment variable, which stays in force: a user who sets `VK_DRIVER_FILES`, for example, gets these
/// drivers and not the configured ones. Lists that add to the search come after the user's. The options also apply in elevated processes,
/// which ignore most variables.
///
/// Relative paths are relative to the folder with the program's executable, so a program finds the files installed beside it.
///
/// ```
/// use vkload::Config;
///
/// Config::new().add_layers("layers").enable_layer("VK_LAYER_KHRONOS_validation").log("warn,error").apply()?;
/// let entry = vkload::entry();
/// # Ok::<(), vkload::ConfigError>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "a configuration has no effect until it is applied"]
pub struct Config {
    lists: Vec<(&'static CStr, Combine, Item)>,
    prefer_newer: bool,
}

#[derive(Clone, Debug)]
enum Item {
    Path(PathBuf),
    Word(OsString),
}

/// Why a configuration does not apply.
#[derive(Debug)]
#[non_exhaustive]
pub enum ConfigError {
    /// The loader is in use: a configuration comes before [`entry`](crate::entry) and every other use, and once.
    InUse,
    /// A path or name cannot be an element of a list, because it has a colon or a NUL.
    Separator(OsString),
    /// A relative path was given, and the program's own path is unknown.
    NoExecutable(io::Error),
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InUse => f.write_str(
                "the Vulkan loader in this program is in use already; apply one configuration, before anything else",
            ),
            Self::Separator(word) => {
                write!(f, "\"{}\" has a colon or a NUL, which separate the elements of a list; rename it", word.display())
            }
            Self::NoExecutable(error) => {
                write!(f, "cannot find this program's own path ({error}), to which paths are relative; use absolute paths")
            }
        }
    }
}

impl std::error::Error for ConfigError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::NoExecutable(error) => Some(error),
            _ => None,
        }
    }
}

impl Config {
    /// Returns a configuration that changes nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Uses a driver's manifest, or those in a folder, before the system's. May be called several times. (`VK_ADD_DRIVER_FILES`)
    pub fn add_drivers(self, path: impl Into<PathBuf>) -> Self {
        self.path(VK_ADD_DRIVER_FILES.name, Combine::Append, path)
    }

    /// Uses a driver's manifest, or those in a folder, instead of the system's. May be called several times. (`VK_DRIVER_FILES`)
    pub fn replace_drivers(self, path: impl Into<PathBuf>) -> Self {
        self.path(VK_DRIVER_FILES.name, Combine::Default { unless: Some(VK_ICD_FILENAMES.name) }, path)
    }

    /// Finds explicit layers by a manifest, or by those in a folder, before the system's. May be called several times.
    /// (`VK_ADD_LAYER_PATH`)
    pub fn add_layers(self, path: impl Into<PathBuf>) -> Self {
        self.path(VK_ADD_LAYER_PATH.name, Combine::Append, path)
    }

    /// Finds implicit layers by a manifest, or by those in a folder, before the system's. They are active unless a variable disables them.
    /// May be called several times. (`VK_ADD_IMPLICIT_LAYER_PATH`)
    pub fn add_implicit_layers(self, path: impl Into<PathBuf>) -> Self {
        self.path(VK_ADD_IMPLICIT_LAYER_PATH.name, Combine::Append, path)
    }

    /// Enables a layer in every instance, as if the program had listed it. May be called several times. (`VK_INSTANCE_LAYERS`)
    pub fn enable_layer(self, name: impl Into<OsString>) -> Self {
        self.item(VK_INSTANCE_LAYERS.name, Combine::Append, Item::Word(name.into()))
    }

    /// Sets the levels of messages on standard error, separated by commas: `warn,error`. (`VK_LOADER_DEBUG`)
    pub fn log(self, levels: impl Into<OsString>) -> Self {
        self.set(VK_LOADER_DEBUG.name, levels)
    }

    /// Uses the system's `libvulkan.so.1` if its version of Vulkan is newer than this loader's, and if that library can be loaded.
    ///
    /// That loader does not know of the other options. They have no effect if it is used.
    pub fn prefer_newer_system_loader(self) -> Self {
        Self { prefer_newer: true, ..self }
    }

    /// Applies the configuration to this process.
    ///
    /// # Errors
    /// [`ConfigError`]. Nothing changes then.
    pub fn apply(self) -> Result<(), ConfigError> {
        let settings = self.settings()?;
        let choose = || {
            let newer = self.prefer_newer.then(|| own_loader::newer_system_loader(HEADER_VERSION)).flatten();
            Applied { settings, find: newer.unwrap_or_else(own_loader::own) }
        };
        if own_loader::apply(choose) { Ok(()) } else { Err(ConfigError::InUse) }
    }

    fn path(self, name: &'static CStr, combine: Combine, path: impl Into<PathBuf>) -> Self {
        self.item(name, combine, Item::Path(path.into()))
    }

    /// Sets a variable that is no list.
    fn set(mut self, name: &'static CStr, value: impl Into<OsString>) -> Self {
        self.lists.retain(|(other, ..)| *other != name);
        self.item(name, Combine::Default { unless: None }, Item::Word(value.into()))
    }

    fn item(mut self, name: &'static CStr, combine: Combine, item: Item) -> Self {
        self.lists.push((name, combine, item));
        self
    }

    /// Returns a variable for each list.
    fn settings(&self) -> Result<Vec<Setting>, ConfigError> {
        let mut settings: Vec<Setting> = Vec::new();
        for (name, combine, item) in &self.lists {
            let element = item.element()?;
            match settings.iter_mut().find(|setting| setting.name == *name) {
                Some(setting) => {
                    setting.value.push(":");
                    setting.value.push(element);
                }
                None => settings.push(Setting { name, combine: *combine, value: element }),
            }
        }
        Ok(settings)
    }
}

impl Item {
    /// Returns it as an element of a list.
    fn element(&self) -> Result<OsString, ConfigError> {
        let element = match self {
            Self::Word(word) => word.clone(),
            Self::Path(path) if path.is_absolute() => path.clone().into_os_string(),
            Self::Path(path) => {
                let executable = env::current_exe().map_err(ConfigError::NoExecutable)?;
                executable.parent().unwrap_or(Path::new("/")).join(path).into_os_string()
            }
        };
        let separates = |element: &OsStr| element.as_bytes().iter().any(|byte| [b':', 0].contains(byte));
        if separates(&element) { Err(ConfigError::Separator(element)) } else { Ok(element) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_paths_start_at_the_program_and_lists_are_joined() {
        let folder = env::current_exe().unwrap().parent().unwrap().to_owned();
        let config = Config::new().add_layers("layers").add_drivers("/opt/driver.json").add_layers("/usr/x");
        let settings = config.settings().unwrap();
        let values: Vec<_> = settings.iter().map(|it| (it.name, it.value.to_str().unwrap())).collect();
        let layers = format!("{}/layers:/usr/x", folder.display());
        assert_eq!(values, [(c"VK_ADD_LAYER_PATH", &*layers), (c"VK_ADD_DRIVER_FILES", "/opt/driver.json")]);
    }

    #[test]
    fn an_element_that_would_become_two_is_refused() {
        let error = Config::new().replace_drivers("/a:b").settings().unwrap_err();
        assert!(error.to_string().starts_with("\"/a:b\" has a colon"), "{error}");
        assert!(Config::new().enable_layer("VK_LAYER_\0").settings().is_err());
    }
}
