//! Devices.

use ash::vk;
use loader_core::dispatch::DeviceTable;
use loader_core::memory::Application;
use loader_core::registry::ExtensionSet;

use crate::objects::{DeviceCommands, Instance};

/// A device. The first word of its handle, and of its queues' and command buffers', leads here.
#[repr(C)]
pub struct Device {
    /// What exported functions jump through: the first function of the chain for each command.
    pub table: DeviceTable,
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
    /// The version of Vulkan that the device can be used with.
    pub api_version: u32,
}

// Trampolines take what the handle leads to for the table.
const _: () = assert!(core::mem::offset_of!(Device, table) == 0);
