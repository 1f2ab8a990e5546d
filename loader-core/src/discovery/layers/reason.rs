//! Why a layer that was found is not active.
#![forbid(unsafe_code)]

use core::ffi::CStr;
use core::fmt;

use super::plan::LayerPlan;
use crate::discovery::Reason;
use crate::discovery::reason::{Name, unreadable};
use crate::log::Level;
use crate::manifest::{LayerManifest, ManifestError, Switch, Version};
use crate::memory::Shown;
use crate::platform::FileError;

/// Why a layer is not used, or is active only on request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayerReason {
    /// The manifest cannot be read.
    Unreadable(FileError),
    /// The manifest, or its entry for this layer, cannot be used.
    Invalid(ManifestError),
    /// The same manifest was found before.
    ManifestRepeated,
    /// It is a device layer, a kind that is no longer loaded.
    DeviceLayer,
    /// The library is for another pointer width.
    LibraryArch {
        /// The width in the manifest, in bits.
        library: u32,
        /// The width of the process, in bits.
        process: u32,
    },
    /// Another API's version (LLP_LOADER_4): its major version is not 1, or its variant not 0.
    ApiVersion {
        /// The version in the manifest.
        version: Version,
    },
    /// It is implicit, and its manifest names no variable that disables it.
    NoDisableEnvironment,
    /// It is an override layer for programs other than this one.
    OtherProgram,
    /// An earlier layer has its name.
    NameTaken {
        /// Its place in the plan.
        of: usize,
    },
    /// The override layer excludes it (LLP_LOADER_12).
    Blacklisted {
        /// The place of the override layer in the plan.
        by: usize,
    },
    /// A variable disables it.
    Disabled {
        /// The variable.
        by: &'static CStr,
    },
    /// It is a meta-layer, and one of its components does not exist or cannot be used (LLP_LOADER_10).
    ComponentMissing {
        /// The place of the name in its manifest.
        component: usize,
    },
    /// It is a meta-layer that is a component of itself, perhaps through others.
    ComponentCycle {
        /// The place of the name in its manifest.
        component: usize,
    },
    /// It is a meta-layer for a higher version of Vulkan than one of its components (LLP_LOADER_10).
    ComponentTooOld {
        /// The place of the name in its manifest.
        component: usize,
    },
    /// It is implicit, and waits for a variable to have a value (LLP_LOADER_6).
    EnableEnvironmentNotSet,
    /// It is implicit, and a variable disables it (LLP_LOADER_7).
    DisableEnvironmentSet,
    /// It is explicit, and nothing requests it.
    NotAskedFor,
    /// The settings file disables it.
    SettingsOff,
    /// According to the settings file, the layer of this name is elsewhere.
    SettingsElsewhere,
    /// The settings file names this manifest for a layer that it does not contain.
    SettingsName,
}

impl LayerReason {
    /// Returns a short, stable name for programs.
    #[must_use]
    pub fn id(&self) -> &'static str {
        match self {
            Self::Unreadable(error) => Reason::Unreadable(*error).id(),
            Self::Invalid(error) => error.id(),
            Self::ManifestRepeated => "manifest-repeated",
            Self::DeviceLayer => "device-layer",
            Self::LibraryArch { .. } => "library-arch-mismatch",
            Self::ApiVersion { .. } => "api-version-incompatible",
            Self::NoDisableEnvironment => "no-disable-environment",
            Self::OtherProgram => "other-program",
            Self::NameTaken { .. } => "name-taken",
            Self::Blacklisted { .. } => "blacklisted",
            Self::Disabled { .. } => "disabled",
            Self::ComponentMissing { .. } => "component-missing",
            Self::ComponentCycle { .. } => "component-cycle",
            Self::ComponentTooOld { .. } => "component-too-old",
            Self::EnableEnvironmentNotSet => "enable-environment-not-set",
            Self::DisableEnvironmentSet => "disable-environment-set",
            Self::NotAskedFor => "not-asked-for",
            Self::SettingsOff => "settings-off",
            Self::SettingsElsewhere => "settings-elsewhere",
            Self::SettingsName => "settings-name",
        }
    }

    /// Returns the rule of the loader and layer interface document that requires this, if any.
    #[must_use]
    pub fn policy(&self) -> Option<&'static str> {
        match self {
            Self::ApiVersion { .. } => Some("LLP_LOADER_4"),
            Self::EnableEnvironmentNotSet => Some("LLP_LOADER_6"),
            Self::DisableEnvironmentSet => Some("LLP_LOADER_7"),
            Self::ComponentMissing { .. } | Self::ComponentCycle { .. } | Self::ComponentTooOld { .. } => {
                Some("LLP_LOADER_10")
            }
            Self::Blacklisted { .. } => Some("LLP_LOADER_12"),
            _ => None,
        }
    }

    /// Returns the severity: a defect is a warning, a choice is not.
    #[must_use]
    pub fn level(&self) -> Level {
        match self {
            Self::Unreadable(_)
            | Self::Invalid(_)
            | Self::DeviceLayer
            | Self::ApiVersion { .. }
            | Self::NoDisableEnvironment
            | Self::SettingsName
            | Self::ComponentMissing { .. }
            | Self::ComponentCycle { .. }
            | Self::ComponentTooOld { .. } => Level::Warning,
            Self::Blacklisted { .. }
            | Self::Disabled { .. }
            | Self::DisableEnvironmentSet
            | Self::SettingsOff => Level::Info,
            Self::ManifestRepeated
            | Self::LibraryArch { .. }
            | Self::OtherProgram
            | Self::NameTaken { .. }
            | Self::EnableEnvironmentNotSet
            | Self::SettingsElsewhere
            | Self::NotAskedFor => Level::Debug,
        }
    }

    /// Returns the reason as text, for the layer at `place` of `plan`.
    #[must_use]
    pub fn explain<'a>(&'a self, plan: &'a LayerPlan, place: usize) -> Explained<'a> {
        Explained { reason: self, plan, place }
    }
}

/// Describes the defect and a remedy. Follows a name and a colon.
#[derive(Debug)]
pub struct Explained<'a> {
    reason: &'a LayerReason,
    plan: &'a LayerPlan,
    place: usize,
}

impl fmt::Display for Explained<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reason {
            LayerReason::Unreadable(error) => unreadable(*error, f),
            LayerReason::Invalid(error) => {
                write!(f, "the manifest cannot be used, {error}; correct it or reinstall the layer")
            }
            LayerReason::ManifestRepeated => f.write_str("the same manifest was found before"),
            LayerReason::DeviceLayer => {
                f.write_str("it is a device layer, which loaders no longer use; a newer build may help")
            }
            LayerReason::LibraryArch { library, process } => {
                write!(f, "the layer is for {library}-bit programs and this is a {process}-bit one")
            }
            LayerReason::ApiVersion { version } => {
                write!(f, "\"api_version\" is {version}, and only layers for versions 1.x.y can be used")
            }
            LayerReason::NoDisableEnvironment => f.write_str(
                "the manifest has no \"disable_environment\" with the name of a variable, which every implicit \
                 layer needs so that users can turn it off",
            ),
            LayerReason::OtherProgram => f.write_str("\"app_keys\" does not list this program"),
            LayerReason::NameTaken { of } => {
                write!(f, "{} comes first and has the same name", Shown(self.path_of(*of)))
            }
            LayerReason::Blacklisted { by } => {
                write!(f, "the override layer in {} excludes it", Shown(self.path_of(*by)))
            }
            LayerReason::Disabled { by } => {
                write!(f, "a pattern of {} matches its name; change or unset the variable", Name(by))
            }
            LayerReason::ComponentMissing { component } => write!(
                f,
                "its component {} does not exist or cannot be used; install it",
                Shown(self.component(*component))
            ),
            LayerReason::ComponentCycle { component } => {
                write!(f, "it contains itself through its component {}", Shown(self.component(*component)))
            }
            LayerReason::ComponentTooOld { component } => write!(
                f,
                "its component {} is made for a lower version of Vulkan than the layer itself",
                Shown(self.component(*component))
            ),
            LayerReason::EnableEnvironmentNotSet => self.enable_environment(f),
            LayerReason::DisableEnvironmentSet => {
                let switch = self.manifest().and_then(|manifest| manifest.disable_environment.as_ref());
                write!(f, "{} is set, which disables it", Shown(switch.map_or(b"", |it| it.variable.bytes())))
            }
            LayerReason::NotAskedFor => f.write_str("nothing enables it"),
            LayerReason::SettingsOff => f.write_str("the settings file turns it off"),
            LayerReason::SettingsElsewhere => f.write_str("the settings file names another manifest for it"),
            LayerReason::SettingsName => {
                f.write_str("the settings file has this manifest with another name")
            }
        }
    }
}

impl Explained<'_> {
    fn enable_environment(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let switch = self.manifest().and_then(|manifest| manifest.enable_environment.as_ref());
        match switch.filter(|switch| !switch.variable.bytes().is_empty()) {
            Some(Switch { variable, value }) => {
                write!(f, "it is active only if {} is set to \"{}\"", Shown(variable.bytes()), Shown(value))
            }
            None => f.write_str("\"enable_environment\" names no variable that could enable it"),
        }
    }

    fn manifest(&self) -> Option<&LayerManifest> {
        self.plan.layers.get(self.place)?.manifest.as_ref()
    }

    fn component(&self, component: usize) -> &[u8] {
        self.manifest().and_then(|manifest| manifest.component_layers.get(component)).map_or(b"", |name| name)
    }

    fn path_of(&self, place: usize) -> &[u8] {
        self.plan.layers.get(place).map_or(b"", |layer| layer.path.as_slice())
    }
}
