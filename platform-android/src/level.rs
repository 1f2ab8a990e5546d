//! The versions of Android that programs can tell apart by its loader.
#![forbid(unsafe_code)]

use ash::vk;

/// A version of Android, by the number of its API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Android 14.
    A14 = 34,
    /// Android 15.
    A15 = 35,
    /// Android 16.
    A16 = 36,
    /// Android 17.
    A17 = 37,
}

impl Level {
    /// What a loader behaves as that nobody told otherwise.
    pub const NEWEST: Self = Self::A17;

    /// The newest version of Vulkan that the loader has the commands of: what vkEnumerateInstanceVersion says, whatever the
    /// driver.
    #[must_use]
    pub const fn api_version(self) -> u32 {
        match self {
            Self::A14 | Self::A15 => vk::API_VERSION_1_3,
            Self::A16 | Self::A17 => vk::make_api_version(0, 1, 4, 0),
        }
    }
}
