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

/// The types, how they differ, and who translates one that a command is dispatched on.
pub(super) const TYPES: &[(&str, Differs, &str)] = &[
    ("VkInstance", Everywhere, "terminators ask each driver with its own instance"),
    (
        "VkPhysicalDevice",
        Everywhere,
        "a stamped-out terminator swaps it for the driver's and knows no other parameter",
    ),
    ("VkSurfaceKHR", Everywhere, "no command is dispatched on it"),
    ("VkDebugUtilsMessengerEXT", Everywhere, "no command is dispatched on it"),
    ("VkDebugReportCallbackEXT", Everywhere, "no command is dispatched on it"),
    ("VkDevice", WhereMade, "a trampoline that knows no parameters; terminators get the driver's own"),
    ("VkQueue", WhereMade, "as a device"),
    ("VkCommandBuffer", WhereMade, "as a device"),
    ("VkExternalComputeQueueNV", WhereMade, "as a device"),
];

/// Returns how a handle of this type differs, if the loader makes or translates it.
pub(super) fn differs(of_type: &str) -> Option<Differs> {
    TYPES.iter().find(|(name, ..)| *name == of_type).map(|(_, differs, _)| *differs)
}
