//! Commands and extensions by their numbers, and their classes and kinds. Everything else about
//! them is in the tables.

use super::numbers_gen::{COMMAND_COUNT, EXTENSION_COUNT, FIRST_DEVICE, FIRST_INSTANCE};

/// Slots of an instance's dispatch table: instance commands and physical-device commands.
pub const INSTANCE_SLOTS: usize = FIRST_DEVICE.saturating_sub(FIRST_INSTANCE);

/// Slots of a device's dispatch table: device, queue and command-buffer commands.
pub const DEVICE_SLOTS: usize = COMMAND_COUNT.saturating_sub(FIRST_DEVICE);

/// A command, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommandId(pub(super) u16);

/// The kind of a command's first parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[non_exhaustive]
pub enum Class {
    /// Nothing that is dispatched; also `vkGetInstanceProcAddr`, which accepts NULL too.
    Global,
    /// `VkInstance`
    Instance,
    /// `VkPhysicalDevice`
    PhysicalDevice,
    /// `VkDevice`
    Device,
    /// `VkQueue`
    Queue,
    /// `VkCommandBuffer`
    CommandBuffer,
    /// `VkExternalComputeQueueNV`
    ExternalComputeQueue,
}

impl CommandId {
    /// Returns the command with this number.
    ///
    /// The number must be below [`COMMAND_COUNT`]; any other has an empty name and no slot.
    pub const fn new(index: u16) -> Self {
        Self(index)
    }

    /// Returns the number of the command.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns every command, by number.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator {
        (0..COMMAND_COUNT as u16).map(Self)
    }

    /// Returns the slot in an instance's table, for instance and physical-device commands.
    #[inline]
    pub const fn instance_slot(self) -> Option<usize> {
        if self.index() >= FIRST_DEVICE { None } else { self.index().checked_sub(FIRST_INSTANCE) }
    }

    /// Returns the slot in a device's table, for device, queue and command-buffer commands.
    #[inline]
    pub const fn device_slot(self) -> Option<usize> {
        if self.index() >= COMMAND_COUNT { None } else { self.index().checked_sub(FIRST_DEVICE) }
    }

    /// Returns the command of a slot of an instance's table.
    #[inline]
    pub const fn from_instance_slot(slot: usize) -> Option<Self> {
        if slot < INSTANCE_SLOTS { Some(Self(slot.saturating_add(FIRST_INSTANCE) as u16)) } else { None }
    }

    /// Returns the command of a slot of a device's table.
    #[inline]
    pub const fn from_device_slot(slot: usize) -> Option<Self> {
        if slot < DEVICE_SLOTS { Some(Self(slot.saturating_add(FIRST_DEVICE) as u16)) } else { None }
    }
}

/// An extension, by its number in the tables (not its number in the registry).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExtensionId(pub(super) u16);

/// Whether an extension is enabled on instances or on devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ExtensionKind {
    /// Enabled by `vkCreateInstance`.
    Instance,
    /// Enabled by `vkCreateDevice`.
    Device,
}

impl ExtensionId {
    /// Returns the extension with this number.
    ///
    /// The number must be below [`EXTENSION_COUNT`]; any other has an empty name.
    pub const fn new(index: u16) -> Self {
        Self(index)
    }

    /// Returns the number of the extension.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns every extension, by number.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator {
        (0..EXTENSION_COUNT as u16).map(Self)
    }
}

/// The platforms of the registry: window systems and operating systems that only some systems have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[non_exhaustive]
pub enum VulkanPlatform {
    /// For every platform.
    None,
    /// X11 through Xlib.
    Xlib,
    /// X11 through Xlib with the RandR extension.
    XlibXrandr,
    /// X11 through XCB.
    Xcb,
    /// Wayland.
    Wayland,
    /// UBM.
    Ubm,
    /// DirectFB.
    DirectFb,
    /// Android.
    Android,
    /// Windows.
    Win32,
    /// Nintendo's Vi.
    Vi,
    /// iOS, by its old name.
    Ios,
    /// macOS, by its old name.
    Macos,
    /// Metal layers on Apple's systems.
    Metal,
    /// Fuchsia.
    Fuchsia,
    /// Google Games Platform.
    Ggp,
    /// NVIDIA's synchronisation interface.
    Sci,
    /// Not a platform: the extension may still change.
    Provisional,
    /// QNX Screen.
    Screen,
    /// OpenHarmony.
    Ohos,
}
