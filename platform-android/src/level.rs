//! The Android release that the loader is part of, as far as programs see a difference.
#![forbid(unsafe_code)]

use ash::vk;

/// A release of Android, by its API level.
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
    /// The level of a loader that is not set to an older one.
    pub const NEWEST: Self = Self::ANDROID_17;

    /// The newest version of Vulkan whose commands the loader has: the answer of
    /// vkEnumerateInstanceVersion, whatever
    /// the driver.
    #[must_use]
    pub const fn api_version(self) -> u32 {
        if self.0 >= Self::ANDROID_16.0 { vk::make_api_version(0, 1, 4, 0) } else { vk::API_VERSION_1_3 }
    }
}
