//! All instance extensions at once: commands of those that are not enabled are not answered.

use vkload_core::registry::{ExtensionId, ExtensionKind, VulkanPlatform};

use crate::{Ask, Driver};

/// The platforms that a loader for Linux knows.
pub const PLATFORMS: [VulkanPlatform; 6] = [
    VulkanPlatform::None,
    VulkanPlatform::Xlib,
    VulkanPlatform::XlibXrandr,
    VulkanPlatform::Xcb,
    VulkanPlatform::Wayland,
    VulkanPlatform::DirectFb,
];

/// Returns the names of the instance extensions that a loader for Linux knows.
pub fn instance_extensions() -> impl Iterator<Item = &'static str> {
    let here = |id: &ExtensionId| id.kind() == ExtensionKind::Instance && PLATFORMS.contains(&id.platform());
    ExtensionId::all().filter(here).map(|id| id.name().to_str().unwrap_or_default())
}

impl Driver {
    /// Has all of them, whatever it has commands for.
    pub fn every_instance_extension(self) -> Self {
        instance_extensions().fold(self, Self::extension)
    }
}

impl Ask<'_> {
    pub fn every_instance_extension(self) -> Self {
        instance_extensions().fold(self, |ask, name| ask.extension(name))
    }
}
