//! Faults of a layer that show only when it is opened.
#![forbid(unsafe_code)]

use core::fmt;

use super::outcome::VkResult;
use crate::memory::{Shown, Text};

/// Why a layer cannot be used although its manifest can. Logs and reports show the same text.
#[derive(Debug)]
pub enum LayerFault {
    /// The dynamic linker rejects the library.
    DoesNotOpen {
        /// The system's error message.
        error: Text,
    },
    /// The library has no vkGetInstanceProcAddr of this layer, or that function returns no vkCreateInstance.
    NoEntryPoint,
    /// The layer supports no interface version of this loader (LLP_LOADER_5).
    NegotiationRefused {
        /// The layer's result.
        result: i32,
    },
    /// The layer chose an interface version above the offered one (LLP_LOADER_5).
    InterfaceVersion {
        /// The version that it chose.
        version: u32,
        /// The offered version.
        offered: u32,
    },
}

impl LayerFault {
    /// Returns a short, stable name for programs.
    #[must_use]
    pub fn id(&self) -> &'static str {
        match self {
            Self::DoesNotOpen { .. } => "does-not-open",
            Self::NoEntryPoint => "no-entry-point",
            Self::NegotiationRefused { .. } => "negotiation-refused",
            Self::InterfaceVersion { .. } => "interface-version",
        }
    }

    /// Returns the rule of the layer interface document that requires this, if any.
    #[must_use]
    pub fn policy(&self) -> Option<&'static str> {
        (!matches!(self, Self::DoesNotOpen { .. })).then_some("LLP_LOADER_5")
    }
}

/// Describes the defect and a remedy. Follows the layer's name and a colon.
impl fmt::Display for LayerFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DoesNotOpen { error } => {
                write!(f, "its library does not open ({}); reinstall the layer", Shown(error))
            }
            Self::NoEntryPoint => f.write_str(
                "its library has no vkGetInstanceProcAddr of this layer, or no vkCreateInstance; check \"library_path\" and \
                 \"functions\" in the manifest",
            ),
            Self::NegotiationRefused { result } => write!(
                f,
                "it has no interface version in common with this loader (it returned {}); update the layer",
                VkResult(*result)
            ),
            Self::InterfaceVersion { version, offered } => {
                write!(f, "it chose interface version {version}, above the {offered} that it was offered")
            }
        }
    }
}
