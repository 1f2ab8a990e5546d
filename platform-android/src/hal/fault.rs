//! The faults for which a library is not used as a driver, other than that it does not open.
#![forbid(unsafe_code)]

use core::ffi::c_int;
use core::fmt;

vkload_core::reasons! {
    /// The fault of a library as a HAL module for Vulkan. Its text continues a sentence that begins with the library.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ModuleFault [] {
        NoModule = ["no-module"] (" has no symbol HMI, so it is not a HAL module: replace it by the GPU's driver");
        OtherModule = ["other-module"]
            (" is a HAL module for something else, as its id is not \"vulkan\": replace it by the GPU's driver");
        Structure(fault: StructureFault) = [(fault.id(); &["other-tag", "other-version", "no-open"])] (": {fault}");
        OpenFailed { result: c_int } = ["open-failed"]
            (" fails to open its device vk0 with {result}: look for the driver's own messages, and for denials of access to the GPU's \
              device node");
        /// The module opened, but the device lacks one of its three functions.
        IncompleteDevice = ["incomplete-device"]
            (" lacks vkCreateInstance, vkGetInstanceProcAddr or vkEnumerateInstanceExtensionProperties in its device: report this to \
              the driver's vendor");
    }
}

vkload_core::reasons! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum StructureFault [] {
        /// The symbol `HMI` of an application's driver does not begin like a module, or its device not
        /// like a device.
        OtherTag { what: Structure, tag: u32, expected: u32 } = ["other-tag"]
            ("its {what} begins with {tag:#x} instead of {expected:#x}: the library is not a HAL module, or a broken one; check the path");
        /// The module of an application's driver, or its device, has a version with other structures.
        OtherVersion { what: Structure, version: u32 } = ["other-version"]
            ("its {what} is of version {version:#x}, whose structures this loader does not know; get a build of it for the first version \
              of Vulkan's HAL");
        NoOpen = ["no-open"] ("its module has no function to open it with; report this to the driver's vendor");
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Structure {
    /// The module that the symbol `HMI` denotes.
    Module,
    Device,
}

impl ModuleFault {
    /// Returns whether the module's `open` was called: it may have started threads, so its library
    /// must stay open.
    pub const fn has_begun(&self) -> bool {
        use StructureFault::{OtherTag, OtherVersion};
        matches!(
            self,
            Self::OpenFailed { .. }
                | Self::IncompleteDevice
                | Self::Structure(
                    OtherTag { what: Structure::Device, .. } | OtherVersion { what: Structure::Device, .. }
                )
        )
    }
}

impl From<StructureFault> for ModuleFault {
    fn from(fault: StructureFault) -> Self {
        Self::Structure(fault)
    }
}

impl fmt::Display for Structure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Module => "module",
            Self::Device => "device",
        })
    }
}
