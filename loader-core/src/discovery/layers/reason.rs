//! Why a layer that was found is not active.
#![forbid(unsafe_code)]

use core::ffi::CStr;
use core::fmt;

use super::plan::LayerPlan;
use crate::log::Level;
use crate::manifest::{ManifestError, Version};
use crate::platform::FileError;

/// Why a layer is not used, or waits to be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayerReason {
    /// The manifest cannot be read.
    Unreadable(FileError),
    /// The manifest cannot be used, or what it says about this layer.
    Invalid(ManifestError),
    /// The same manifest was found before.
    ManifestRepeated,
    /// It is a device layer, a kind that is not loaded any more.
    DeviceLayer,
    /// The library is made for another pointer width.
    LibraryArch {
        /// What the manifest says, bits.
        library: u32,
        /// What the process has, bits.
        process: u32,
    },
    /// The version is one of another API (LLP_LOADER_4): its major version is not 1, or its variant not 0.
    ApiVersion {
        /// What the manifest says.
        version: Version,
    },
    /// It is implicit, and its manifest names no variable that switches it off.
    NoDisableEnvironment,
    /// It is an override layer for other programs than this one.
    OtherProgram,
    /// An earlier layer has its name.
    NameTaken {
        /// Its place in the plan.
        of: usize,
    },
    /// The override layer rules it out (LLP_LOADER_12).
    Blacklisted {
        /// The place of the override layer in the plan.
        by: usize,
    },
    /// A variable says that it is not wanted.
    Disabled {
        /// The variable.
        by: &'static CStr,
    },
    /// It is a meta-layer, and one of its components does not exist or cannot be used (LLP_LOADER_10).
    ComponentMissing {
        /// The place of the name in its manifest.
        component: usize,
    },
    /// It is a meta-layer that is a component of itself, perhaps by way of other ones.
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
    /// It is implicit, and a variable switches it off (LLP_LOADER_7).
    DisableEnvironmentSet,
    /// It is explicit, and nothing asks for it.
    NotAskedFor,
}

impl LayerReason {
    /// A short name that stays the same, for programs.
    #[must_use]
    pub fn id(&self) -> &'static str {
        ""
    }

    /// The rule of the loader and layer interface document that asks for this, where one does.
    #[must_use]
    pub fn policy(&self) -> Option<&'static str> {
        None
    }

    /// How grave it is: a defect is a warning, a choice is not.
    #[must_use]
    pub fn level(&self) -> Level {
        Level::Info
    }

    /// The reason in words, for the layer at `place` of `plan`.
    #[must_use]
    pub fn explain<'a>(&'a self, plan: &'a LayerPlan, place: usize) -> Explained<'a> {
        Explained { reason: self, plan, place }
    }
}

/// A reason in words: what is the matter, and what can be done about it. Reads on after a name and a colon.
#[derive(Debug)]
pub struct Explained<'a> {
    reason: &'a LayerReason,
    plan: &'a LayerPlan,
    place: usize,
}

impl fmt::Display for Explained<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let _ = (self.reason, self.plan, self.place);
        f.write_str("")
    }
}
