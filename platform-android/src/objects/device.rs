//! Devices.

use ash::vk;
use loader_core::dispatch::{DeviceTable, WithTable};
use loader_core::memory::Application;
use loader_core::registry::ExtensionSet;

use crate::objects::{DeviceCommands, End, Instance, PrivateData};

/// A device. The first word of its handle, and of its queues' and command buffers', leads here: to the table that exported
/// functions jump through, in which the first function of the chain stands for each command. It is filled when the chain has
/// returned from vkCreateDevice; [`DeviceData`] is behind it.
pub type Device = WithTable<DeviceTable, DeviceData>;

/// What the loader knows of a device.
pub struct DeviceData {
    /// The instance, which lives longer.
    pub instance: &'static Instance,
    /// The driver's handle.
    pub handle: vk::Device,
    /// What it was made of.
    pub physical_device: vk::PhysicalDevice,
    /// Where the application wants memory of the device to come from.
    pub allocator: Application,
    /// The driver's functions, as far as the loader calls them.
    pub driver: DeviceCommands,
    /// The extensions that are enabled, the loader's own among them.
    pub extensions: ExtensionSet,
    /// What the application has attached to objects of the loader's.
    pub private_data: PrivateData,
    /// The version of Vulkan that the device can be used with.
    pub api_version: u32,
    /// Who frees this.
    pub end: End,
}

// Trampolines take what the handle leads to for the table.
const _: () = assert!(core::mem::offset_of!(Device, table) == 0);
