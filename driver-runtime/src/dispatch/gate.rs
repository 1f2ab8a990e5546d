//! The commands available to an application, by version and by extension.

use ash::vk;
use vkload_core::registry::{Class, CommandId, ExtensionKind, ExtensionSet};

/// The version and extensions that an application has enabled.
#[derive(Clone, Copy, Debug)]
pub struct Enabled<'a> {
    /// The `apiVersion` of the application, which counts for devices too.
    pub api_version: u32,
    /// The extensions of its instance.
    pub instance: &'a ExtensionSet,
    /// The device's extensions, or `None` for a look-up through the instance, for which all extensions count.
    pub device: Option<&'a ExtensionSet>,
}

impl Enabled<'_> {
    /// Returns whether the command may be looked up. A core command depends only on the version: an extension enables
    /// only its own name for the command.
    #[inline]
    pub fn has(&self, command: CommandId) -> bool {
        match command.core() {
            // A version of 0.x is taken to be 1.0.
            Some(0) => true,
            Some(minor) => self.api_version >= vk::make_api_version(0, 1, minor.into(), 0),
            None => self.has_by_extension(command),
        }
    }

    fn has_by_extension(&self, command: CommandId) -> bool {
        let below_device =
            !matches!(command.class(), Class::Global | Class::Instance | Class::PhysicalDevice);
        let mut providers = command.providers().peekable();
        providers.peek().is_none()
            || providers.any(|provider| match provider.kind() {
                ExtensionKind::Instance => self.instance.contains(provider),
                ExtensionKind::Device if !below_device => true,
                ExtensionKind::Device => self.device.is_none_or(|device| device.contains(provider)),
            })
    }
}
