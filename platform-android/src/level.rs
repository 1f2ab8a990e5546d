//! Which Android the loader is part of, where that makes a difference to what programs see.

use ash::vk;

/// A release of Android, by the level of its API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ApiLevel(pub u32);

impl ApiLevel {
    /// Android 14.
    pub const ANDROID_14: Self = Self(34);
    /// Android 15: more colour spaces, front buffers.
    pub const ANDROID_15: Self = Self(35);
    /// Android 16: Vulkan 1.4.
    pub const ANDROID_16: Self = Self(36);
    /// Android 17: waiting for frames, their timing.
    pub const ANDROID_17: Self = Self(37);
    /// What a loader is that nobody made older.
    pub const NEWEST: Self = Self::ANDROID_17;

    /// The newest version of Vulkan that the loader has the commands of, which is what vkEnumerateInstanceVersion returns whatever
    /// the driver.
    #[must_use]
    pub const fn api_version(self) -> u32 {
        if self.0 < Self::ANDROID_16.0 { vk::API_VERSION_1_3 } else { vk::make_api_version(0, 1, 4, 0) }
    }
}
