//! What kinds of loaders on Android do differently with layers, as values.

use core::ffi::CStr;

/// Where layers come from, and what is done when one that is wanted is not there.
#[derive(Clone, Copy, Debug)]
pub struct Policy {
    /// Where layers are looked for, in this order: of libraries with the same file name the first one counts.
    pub sources: &'static [Source],
    /// What a layer that a property or the settings enable does to vkCreateInstance if it cannot be had.
    pub missing: Missing,
    /// Whether libraries are asked for a newer interface than version 0.
    pub interface: Interface,
}

/// A place to look for layers in.
#[derive(Clone, Copy, Debug)]
pub enum Source {
    /// A folder to which developers copy layers; only for applications that may be debugged.
    DebugFolder(&'static CStr),
    /// What the framework has composed: the application's own folders, and those of packages with layers.
    FrameworkPaths,
    /// The files that a property names, in a folder of the system.
    Listed {
        /// The property: file names, separated by colons.
        property: &'static CStr,
        /// The folder.
        folder: &'static CStr,
        /// What these layers are.
        origin: Origin,
    },
}

/// Where a layer comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The folder to which developers copy layers.
    DebugFolder,
    /// A path of the framework's: the application, or a package with layers.
    Application,
    /// The system image: always active, and not listed.
    Platform,
    /// The maker of the device: always active, and not listed.
    Oem,
}

/// What happens if a layer cannot be had that a property or the settings enable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// It is named, and left out.
    Skipped,
    /// vkCreateInstance fails with `VK_ERROR_LAYER_NOT_PRESENT`, as Android's own loader has it.
    Fatal,
}

/// Which versions of the layer interface there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interface {
    /// All that this loader speaks, with libraries that export `vkNegotiateLoaderLayerInterfaceVersion`.
    Negotiated,
    /// Version 0 only: that function is not called, as Android's own loader has it.
    Exported,
}

impl Origin {
    /// Whether layers from there are part of the device: always active, after all others, and not listed.
    #[must_use]
    pub const fn is_of_device(self) -> bool {
        matches!(self, Self::Platform | Self::Oem)
    }
}

/// The folder to which developers copy layers.
pub const DEBUG_FOLDER: &CStr = c"/data/local/debug/vulkan";

const WIDE: bool = cfg!(target_pointer_width = "64");
const SYSTEM_FOLDER: &CStr = if WIDE { c"/system/lib64/vulkan" } else { c"/system/lib/vulkan" };
const PRODUCT_FOLDER: &CStr = if WIDE { c"/product/lib64/vulkan" } else { c"/product/lib/vulkan" };

/// The places of a system image.
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

/// The loader of a system image.
pub const SYSTEM: Policy =
    Policy { sources: SYSTEM_SOURCES, missing: Missing::Skipped, interface: Interface::Negotiated };

/// The loader inside an application, which says where its layers are. Which are active the core decides.
#[cfg(feature = "apk")]
pub const APPLICATION: Policy =
    Policy { sources: &[], missing: Missing::Skipped, interface: Interface::Negotiated };

/// As Android's own loader has it, where [`SYSTEM`] differs.
pub const STRICT: Policy = Policy { missing: Missing::Fatal, interface: Interface::Exported, ..SYSTEM };
