//! A layer's declaration.

use core::ffi::CStr;
use core::fmt;

use ash::vk;
use vkload_registry::CommandId;

/// A Vulkan layer. [`export!`](crate::export) makes a library of it, and [`manifest`](crate::manifest) writes its manifest.
pub trait Layer: Sized + 'static {
    /// The name, `VK_LAYER_VENDOR_purpose`.
    const NAME: &'static CStr;
    /// A sentence for people, at most 255 bytes.
    const DESCRIPTION: &'static str;
    /// The version of the implementation.
    const VERSION: u32 = 1;
    /// Instance extensions that the layer provides. `VK_EXT_layer_settings` is one if the layer has [`SETTINGS`](Self::SETTINGS).
    const INSTANCE_EXTENSIONS: &'static [Extension] = &[];
    /// Device extensions that the layer provides. `VK_EXT_tooling_info` is one if the layer is a [`TOOL`](Self::TOOL).
    const DEVICE_EXTENSIONS: &'static [Extension] = &[];
    /// What users and programs can set.
    const SETTINGS: &'static [Setting] = &[];
    /// The layer's entry among the tools that a program can list, if it is one.
    const TOOL: Option<Tool> = None;

    /// Returns the result of looking up a command. Called at each look-up by an instance or device, when the settings are known.
    fn look_up(_: CommandId) -> LookUp {
        LookUp::Intercept
    }

    /// The layer's data for each instance.
    type Instance: Default + Send + Sync;
    /// The layer's data for each device.
    type Device: Default + Send + Sync;
}

/// The result of a look-up of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LookUp {
    /// The layer's function, if it intercepts the command.
    Intercept,
    /// The next layer's function: calls do not come to this layer. The runtime keeps intercepting the commands that it needs itself.
    PassOn,
    /// NULL, as if the device did not have the command.
    Hide(Dispensable),
}

/// Stands for a command that programs can do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dispensable(());

impl Dispensable {
    /// Vouches for a command.
    ///
    /// # Safety
    /// Programs check that the look-up found the command before they call it, and need it for nothing that the specification demands:
    /// an object without its destroying command outlives its device.
    #[must_use]
    pub const unsafe fn new() -> Self {
        Self(())
    }
}

/// An extension that a layer provides.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Extension {
    /// Its name.
    pub name: &'static CStr,
    /// Its revision.
    pub spec_version: u32,
    /// For a device extension, its commands.
    pub commands: &'static [&'static CStr],
}

impl Extension {
    /// Returns an extension without commands.
    #[must_use]
    pub const fn new(name: &'static CStr, spec_version: u32) -> Self {
        Self { name, spec_version, commands: &[] }
    }

    /// Adds a device extension's commands.
    #[must_use]
    pub const fn with_commands(self, commands: &'static [&'static CStr]) -> Self {
        Self { commands, ..self }
    }
}

/// Something that a user sets with an environment variable, and a program with `VK_EXT_layer_settings`.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Setting {
    /// The name of the variable and of the setting.
    pub name: &'static str,
    /// Its type in a program's settings.
    pub kind: SettingKind,
    /// A sentence for people.
    pub description: &'static str,
}

impl Setting {
    /// Returns a setting.
    #[must_use]
    pub const fn new(name: &'static str, kind: SettingKind, description: &'static str) -> Self {
        Self { name, kind, description }
    }
}

/// The type of a [`Setting`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SettingKind {
    /// One string.
    String,
    /// Strings. An environment variable separates them with commas.
    Strings,
    /// An integer of any size, or a string.
    Integer,
    /// `VkBool32`, or a string: `true` or `false`, `1` or `0`.
    Bool,
}

/// A layer's entry in `vkGetPhysicalDeviceToolProperties`.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Tool {
    /// The name for people.
    pub name: &'static str,
    /// The version for people.
    pub version: &'static str,
    /// The tool's purposes.
    pub purposes: vk::ToolPurposeFlags,
}

impl Tool {
    /// Returns a tool.
    #[must_use]
    pub const fn new(name: &'static str, version: &'static str, purposes: vk::ToolPurposeFlags) -> Self {
        Self { name, version, purposes }
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool")
            .field("name", &self.name)
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}
