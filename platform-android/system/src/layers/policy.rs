//! The sources of layers and the reaction to missing ones, as values.

use core::ffi::CStr;

use platform_android::layers::{DEBUG_FOLDER, Origin};

/// The sources of layers, and the reaction to missing ones.
#[derive(Clone, Copy, Debug)]
pub struct Policy {
    /// The sources, in search order: of libraries with the same file name the first is used.
    pub sources: &'static [Source],
    /// The outcome of vkCreateInstance if a layer that a property or the settings enable is
    /// unavailable.
    pub missing: Missing,
    /// Whether libraries may use an interface newer than version 0.
    pub interface: Interface,
}

#[derive(Clone, Copy, Debug)]
pub enum Source {
    /// A folder to which developers copy layers; only for debuggable applications.
    DebugFolder(&'static CStr),
    /// The framework's list: the application's own folders, and the folders of packages with
    /// layers.
    FrameworkPaths,
    /// The files that a property names, in a folder of the system, if the switch `device_layers` is
    /// on.
    Listed {
        /// The property: file names, separated by colons.
        property: &'static CStr,
        folder: &'static CStr,
        origin: Origin,
    },
}

/// The outcome if a layer that a property or the settings enable is unavailable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    Skipped,
    /// vkCreateInstance fails with `VK_ERROR_LAYER_NOT_PRESENT`, as in Android's own loader.
    Fatal,
}

/// The supported versions of the layer interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interface {
    /// All versions that this loader supports, for libraries that export
    /// `vkNegotiateLoaderLayerInterfaceVersion`.
    Negotiated,
    /// Version 0 only: that function is not called, as in Android's own loader.
    Exported,
}

const WIDE: bool = cfg!(target_pointer_width = "64");
const SYSTEM_FOLDER: &CStr = if WIDE { c"/system/lib64/vulkan" } else { c"/system/lib/vulkan" };
const PRODUCT_FOLDER: &CStr = if WIDE { c"/product/lib64/vulkan" } else { c"/product/lib/vulkan" };

const SYSTEM_SOURCES: &[Source] = &[
    Source::DebugFolder(DEBUG_FOLDER),
    Source::FrameworkPaths,
    Source::Listed {
        property: c"ro.vulkan.layers.platform",
        folder: SYSTEM_FOLDER,
        origin: Origin::Platform,
    },
    Source::Listed { property: c"ro.vulkan.layers.oem", folder: PRODUCT_FOLDER, origin: Origin::Oem },
];

/// The policy of a system image's loader.
pub const SYSTEM: Policy =
    Policy { sources: SYSTEM_SOURCES, missing: Missing::Skipped, interface: Interface::Negotiated };

/// The behaviour of Android's own loader, as far as [`SYSTEM`] differs from it.
pub const STRICT: Policy = Policy { missing: Missing::Fatal, interface: Interface::Exported, ..SYSTEM };
