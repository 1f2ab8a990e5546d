//! The handle types that the loader makes or translates: the one table that the [`audit`](super::audit) looks for.

/// The commands in which a handle of a type differs above and below the loader.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Differs {
    /// Everywhere: a driver that gets the loader's handle would dereference an address that is not its own.
    Everywhere,
    /// None, but its first word leads to the loader's table (above another loader it is the key for finding the table): every command that
    /// creates one matters, and commands that only read it pass the driver's own handle.
    WhereMade,
}

use Differs::{Everywhere, WhereMade};

pub(super) const TYPES: &[(&str, Differs)] = &[
    ("VkInstance", Everywhere),
    ("VkPhysicalDevice", Everywhere),
    ("VkSurfaceKHR", Everywhere),
    ("VkDebugUtilsMessengerEXT", Everywhere),
    ("VkDebugReportCallbackEXT", Everywhere),
    ("VkDevice", WhereMade),
    ("VkQueue", WhereMade),
    ("VkCommandBuffer", WhereMade),
    ("VkExternalComputeQueueNV", WhereMade),
];

/// Returns how a handle of this type differs, if the loader makes or translates it.
pub(super) fn differs(of_type: &str) -> Option<Differs> {
    TYPES.iter().find(|(name, _)| *name == of_type).map(|(_, differs)| *differs)
}
