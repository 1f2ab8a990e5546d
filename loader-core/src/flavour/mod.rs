//! The kinds of loader as policy values: what differs between Linux, Android and Fuchsia, other than how the operating
//! system is called.
#![forbid(unsafe_code)]

use crate::discovery::Policy;
use crate::registry::{CommandId, ExtensionId, ExtensionSet, Platform as WindowSystem, extension};

/// What makes one kind of loader different from another.
#[derive(Clone, Copy)]
pub struct Flavour {
    /// How drivers are searched for.
    pub discovery: Policy,
    /// The window systems and operating systems whose commands and extensions exist here.
    pub window_systems: &'static [WindowSystem],
    /// Extensions whose commands `vkGetInstanceProcAddr` knows only if the instance has enabled them. Every other
    /// command of the registry is always known.
    pub commands_only_if_enabled: ExtensionSet,
    /// Whether physical devices are sorted so that the one a user most likely wants comes first.
    pub sorts_devices: bool,
}

impl Flavour {
    /// A Linux system: ICDs found by manifests.
    #[must_use]
    pub const fn linux(discovery: Policy) -> Self {
        Self {
            discovery,
            window_systems: &[
                WindowSystem::None,
                WindowSystem::Xlib,
                WindowSystem::XlibXrandr,
                WindowSystem::Xcb,
                WindowSystem::Wayland,
                WindowSystem::DirectFb,
                WindowSystem::Provisional,
            ],
            commands_only_if_enabled: ExtensionSet::new(&[
                extension::EXT_DEBUG_UTILS,
                extension::EXT_DEBUG_REPORT,
            ]),
            sorts_devices: true,
        }
    }

    /// Whether `command` exists on this system at all.
    #[must_use]
    pub fn knows(&self, command: CommandId) -> bool {
        self.window_systems.contains(&command.window_system())
    }

    /// Whether the instance extension `extension` exists on this system at all.
    #[must_use]
    pub fn knows_extension(&self, extension: ExtensionId) -> bool {
        self.window_systems.contains(&extension.platform())
    }
}
