//! Outcomes of the attempt to use a driver, known only after it is opened.
#![forbid(unsafe_code)]

use core::ffi::CStr;
use core::fmt;

use crate::discovery::Name;
use crate::manifest::Version;
use crate::memory::{Escaped, Text};

crate::reasons! {
    /// The outcome for a driver after the plan was made. The level is the one while another driver works.
    ///
    /// Results are `VkResult` numbers.
    #[derive(Debug)]
    pub enum DriverStatus [level policy weight] {
        DoesNotOpen { error: Text } = ["does-not-open" Warning _ 80]
            ("the library does not open ({}); install the missing library, or reinstall the driver", Escaped(error));
        NoEntryPoint = ["no-entry-point" Warning _ 72]
            ("the library has no entry point of a Vulkan driver; check \"library_path\" in the manifest");
        /// The library is a Vulkan loader, or its commands call this loader's, which would call them again.
        LeadsBack = ["leads-back" Warning _ 72]
            ("its commands lead back to a Vulkan loader, so it is not a driver; if a manifest names it, name the library of the driver there");
        /// The driver itself creates this instance, to use other drivers. It is skipped, or it would be called
        /// endlessly.
        WithinItself = ["within-itself" Debug _ 30]
            ("the driver itself makes this instance, to use other drivers, and is left out of it");
        NegotiationRefused { result: i32 }
            = ["negotiation-refused" Warning "LDP_DRIVER_3" 73] ("{}", NotNegotiated(*result));
        InterfaceVersion { version: u32, needed: u32 } = ["interface-version" Warning "LDP_DRIVER_3" 74]
            ("the driver chose interface version {version}, and at least {needed} is needed; update the driver");
        /// The driver answers an interface version above the offered one. It is used with the offered version.
        InterfaceAboveOffer { answered: u32, offered: u32 }
            = ["interface-above-offer" Warning "LDP_DRIVER_3" _]
            ("the driver answers interface version {answered}, above the offered {offered}, which is used");
        /// The driver has Vulkan 1.1 or newer, and an interface version below 5. It is used, but may refuse
        /// applications that request more than 1.0.
        OldInterface { interface: u32, api_version: Version }
            = ["interface-too-old-for-version" Warning "LDP_DRIVER_7" _]
            ("the driver has Vulkan {api_version}, which takes interface version 5, and only interface version {interface}; update it if \
              programs that need more than Vulkan 1.0 fail");
        /// The driver creates surfaces of its own but lacks interface version 3 or a command needed for
        /// this. It is used, with surfaces of the loader.
        IncompleteSurfaces { name: &'static CStr } = ["incomplete-surfaces" Warning "LDP_DRIVER_8" _]
            ("the driver lacks {} or the interface version for it, so the loader creates its surfaces", Name(name));
        OtherApi { version: Version }
            = ["other-api" Warning "LDP_LOADER_4" 75] ("the driver is for version {version}, which is not one of Vulkan 1");
        MissingCommand { name: &'static CStr }
            = ["missing-command" Warning _ 75] ("the driver lacks the command {}; update the driver", Name(name));
        CreateInstanceFailed { result: i32 } = ["create-instance-failed" Info _ 90]
            ("the driver's vkCreateInstance fails ({}); often its kernel module is missing or of another version", VkResult(*result));
        EnumerationFailed { result: i32 } = ["enumeration-failed" Warning _ 85]
            ("the driver's vkEnumeratePhysicalDevices fails ({})", VkResult(*result));
        NoDevices = ["no-devices" Info _ 30]
            ("the driver finds no device that it supports; if there is one, check the permissions of its device files");
        /// According to the dynamic linker, an earlier candidate opened the same library.
        DuplicateOf { driver: usize }
            = ["duplicate-library" Debug _ _] ("an earlier driver has the same library, and that one is used");
        /// The manifest claims a higher version than the driver itself reports; the lower one is used.
        ApiVersionLie { manifest: Version, driver: Version } = ["api-version-too-high" Warning _ _]
            ("the manifest claims version {manifest} and the driver reports {driver}, which is used");
        Used { interface: u32, devices: u32 }
            = ["used" Info _ _] ("in use, interface version {interface}, devices: {devices}");
    }
}

impl DriverStatus {
    /// Returns whether the driver is lost.
    pub fn is_failure(&self) -> bool {
        self.weight().is_some() || matches!(self, Self::DuplicateOf { .. })
    }
}

const INCOMPATIBLE_DRIVER: i32 = -9;

struct NotNegotiated(i32);

impl fmt::Display for NotNegotiated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            INCOMPATIBLE_DRIVER => f.write_str(
                "the driver has no interface version in common with this loader; update the driver",
            ),
            result => write!(
                f,
                "the driver does not start ({}): often a library that it loads itself, or its kernel module, is missing \
                 or of another version",
                VkResult(result)
            ),
        }
    }
}

/// A `VkResult`, displayed with its name if drivers return it on loading or creating objects.
pub(crate) struct VkResult(pub(crate) i32);

impl fmt::Display for VkResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.0 {
            0 => "VK_SUCCESS",
            5 => "VK_INCOMPLETE",
            -1 => "VK_ERROR_OUT_OF_HOST_MEMORY",
            -2 => "VK_ERROR_OUT_OF_DEVICE_MEMORY",
            -3 => "VK_ERROR_INITIALIZATION_FAILED",
            -4 => "VK_ERROR_DEVICE_LOST",
            -6 => "VK_ERROR_LAYER_NOT_PRESENT",
            -7 => "VK_ERROR_EXTENSION_NOT_PRESENT",
            -8 => "VK_ERROR_FEATURE_NOT_PRESENT",
            -9 => "VK_ERROR_INCOMPATIBLE_DRIVER",
            -10 => "VK_ERROR_TOO_MANY_OBJECTS",
            -13 => "VK_ERROR_UNKNOWN",
            -1_000_000_000 => "VK_ERROR_SURFACE_LOST_KHR",
            -1_000_000_001 => "VK_ERROR_NATIVE_WINDOW_IN_USE_KHR",
            -1_000_174_001 => "VK_ERROR_NOT_PERMITTED_KHR",
            other => {
                let sign = if other < 0 { "-" } else { "" };
                return write!(f, "VkResult {sign}{}", other.unsigned_abs());
            }
        };
        f.write_str(name)
    }
}
