//! The configuration of the loader in a program.

use std::ffi::{CStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{env, fmt, io};

use vkload_core::platform::Level;
use vkload_core::platform::variables::{
    VK_ADD_DRIVER_FILES, VK_ADD_IMPLICIT_LAYER_PATH, VK_ADD_LAYER_PATH, VK_DRIVER_FILES, VK_ICD_FILENAMES,
    VK_INSTANCE_LAYERS, VK_LOADER_DEBUG,
};
use vkload_core::registry::HEADER_VERSION;

use crate::own_loader::{self, Applied, Combine, OnMessage, Setting};

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
/// Config::new()
///     .enable_layer("VK_LAYER_KHRONOS_validation")
///     .on_message(|level, text| eprintln!("Vulkan: {level:?}: {text}"))
///     .hint("for more, start this program with --diagnose")
///     .apply()?;
/// let entry = vkload::entry();
/// # assert!(matches!(Config::new().apply(), Err(vkload::ConfigError::AlreadyConfigured)));
/// # Ok::<(), vkload::ConfigError>(())
/// ```
#[derive(Clone, Default)]
#[must_use = "a configuration has no effect until it is applied"]
pub struct Config {
    lists: Vec<(&'static CStr, Combine, Item)>,
    on_message: Option<OnMessage>,
    hint: String,
    prefer_newer: bool,
}

#[derive(Clone, Debug)]
enum Item {
    Path(PathBuf),
    Word(OsString),
}

/// The level of a message or, to select messages, a level or a topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LogLevel {
    /// A request was not fulfilled.
    Error,
    /// Something is probably wrong.
    Warning,
    /// For example the versions of a program and its engine.
    Info,
    /// The steps to a decision.
    Debug,
    /// Only to select messages: those of any level about drivers.
    Drivers,
    /// Only to select messages: those of any level about layers.
    Layers,
    /// Only to select messages: all.
    All,
}

/// Why a configuration does not apply.
#[derive(Debug)]
#[non_exhaustive]
pub enum ConfigError {
    /// The loader is in use: a configuration comes before [`entry`](crate::entry) and every other use.
    InUse,
    /// Another configuration was applied before.
    AlreadyConfigured,
    /// A driver or layer is not at this path.
    NotFound(PathBuf),
    /// A path or name cannot be an element of a list, because it has a colon or a NUL.
    Separator(OsString),
    /// A relative path was given, and the program's own path is unknown.
    NoExecutable(io::Error),
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InUse => f.write_str(
                "the Vulkan loader in this program is in use already; apply the configuration before anything else",
            ),
            Self::AlreadyConfigured => f.write_str(
                "the Vulkan loader in this program has another configuration; put both into one, and apply it once",
            ),
            Self::NotFound(path) => {
                write!(f, "{} does not exist; install it there, or leave it out of the configuration", path.display())
            }
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
    pub fn only_drivers(self, path: impl Into<PathBuf>) -> Self {
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

    /// Selects messages. Without it, there are only messages about calls that cannot succeed. (`VK_LOADER_DEBUG`)
    pub fn log_levels(mut self, levels: impl IntoIterator<Item = LogLevel>) -> Self {
        let words: Vec<_> = levels.into_iter().map(LogLevel::word).collect();
        self.lists.retain(|(other, ..)| *other != VK_LOADER_DEBUG.name);
        let levels = Item::Word(words.join(",").into());
        self.item(VK_LOADER_DEBUG.name, Combine::Default { unless: None }, levels)
    }

    /// Passes messages to this function instead of writing them to standard error. Any thread may call it, within any Vulkan command; it
    /// must not call Vulkan.
    pub fn on_message(self, receive: impl Fn(LogLevel, &str) + Send + Sync + 'static) -> Self {
        let receive = move |level, text: &str| {
            let level = match level {
                Level::Error => LogLevel::Error,
                Level::Warning => LogLevel::Warning,
                Level::Info => LogLevel::Info,
                Level::Debug => LogLevel::Debug,
            };
            receive(level, text);
        };
        Self { on_message: Some(Arc::new(receive)), ..self }
    }

    /// Adds how the user of this program finds out more to the message that no driver can be used.
    pub fn hint(self, hint: &str) -> Self {
        Self { hint: format!("; {hint}"), ..self }
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
            let find = newer.unwrap_or_else(own_loader::own);
            Applied { settings, on_message: self.on_message, hint: self.hint, find, is_configured: true }
        };
        match own_loader::apply(choose) {
            None => Ok(()),
            Some(before) if before.is_configured => Err(ConfigError::AlreadyConfigured),
            Some(_) => Err(ConfigError::InUse),
        }
    }

    fn path(self, name: &'static CStr, combine: Combine, path: impl Into<PathBuf>) -> Self {
        self.item(name, combine, Item::Path(path.into()))
    }

    fn item(mut self, name: &'static CStr, combine: Combine, item: Item) -> Self {
        self.lists.push((name, combine, item));
        self
    }

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

impl LogLevel {
    fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warn",
            Self::Info => "info",
            Self::Debug => "debug",
            Self::Drivers => "driver",
            Self::Layers => "layer",
            Self::All => "all",
        }
    }
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config").field("lists", &self.lists).field("hint", &self.hint).finish_non_exhaustive()
    }
}

impl Item {
    fn element(&self) -> Result<OsString, ConfigError> {
        let element = match self {
            Self::Word(word) => word.clone(),
            Self::Path(path) if path.is_absolute() => path.clone().into_os_string(),
            Self::Path(path) => {
                let executable = env::current_exe().map_err(ConfigError::NoExecutable)?;
                executable.parent().unwrap_or(Path::new("/")).join(path).into_os_string()
            }
        };
        if element.as_bytes().iter().any(|byte| [b':', 0].contains(byte)) {
            return Err(ConfigError::Separator(element));
        }
        match self {
            Self::Path(_) if !Path::new(&element).exists() => Err(ConfigError::NotFound(element.into())),
            _ => Ok(element),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_paths_start_at_the_program_and_lists_are_joined() {
        let folder = env::current_exe().unwrap().parent().unwrap().to_owned();
        let config = Config::new().add_layers("../deps").add_drivers("/dev/null").add_layers("/usr");
        let settings = config.log_levels([LogLevel::Warning, LogLevel::Drivers]).settings().unwrap();
        let values: Vec<_> = settings.iter().map(|it| (it.name, it.value.to_str().unwrap())).collect();
        let layers = format!("{}/../deps:/usr", folder.display());
        assert_eq!(
            values,
            [
                (c"VK_ADD_LAYER_PATH", &*layers),
                (c"VK_ADD_DRIVER_FILES", "/dev/null"),
                (c"VK_LOADER_DEBUG", "warn,driver")
            ]
        );
    }

    #[test]
    fn a_misspelt_path_is_refused() {
        let error = Config::new().add_drivers("does/not/exist").apply().unwrap_err();
        assert!(error.to_string().contains("does/not/exist does not exist; install it"), "{error}");
        assert!(Config::new().add_layers("/nowhere").settings().is_err());
    }

    #[test]
    fn an_element_that_would_become_two_is_refused() {
        let error = Config::new().only_drivers("/a:b").settings().unwrap_err();
        assert!(error.to_string().starts_with("\"/a:b\" has a colon"), "{error}");
        assert!(Config::new().enable_layer("VK_LAYER_\0").settings().is_err());
    }
}
