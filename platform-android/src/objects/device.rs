//! Devices.

use core::ffi::c_char;

use ash::vk;
use vkload_core::dispatch::{Command, DeviceTable, WithTable};
use vkload_core::memory::CopiedCallbacks;
use vkload_core::registry::ExtensionSet;

use crate::objects::{DeviceCommands, End, Instance, PrivateData};

/// A device. The first word of its handle, and of its queues' and command buffers', leads here: to
/// the table that exported functions jump through, which holds the chain's first function for each
/// command. It is filled when the chain has returned from vkCreateDevice; [`DeviceData`] follows
/// it.
pub type Device = WithTable<DeviceTable, DeviceData>;

pub struct DeviceData {
    pub instance: &'static Instance,
    pub handle: vk::Device,
    pub physical_device: vk::PhysicalDevice,
    pub allocator: CopiedCallbacks,
    pub driver: DeviceCommands,
    pub extensions: ExtensionSet,
    /// The application's private data of the loader's objects.
    pub private_data: PrivateData,
    pub api_version: u32,
    pub end: End,
}

// Trampolines take the target of the handle for the table.
const _: () = assert!(core::mem::offset_of!(Device, table) == 0);

impl DeviceData {
    /// Returns the driver's own function.
    ///
    /// # Safety
    /// The name is a C string.
    pub(crate) unsafe fn drivers_command(&self, name: *const c_char) -> Option<Command> {
        // SAFETY: the handle is the driver's, and by this function's `# Safety` the name is a C string.
        self.driver.get_device_proc_addr.and_then(|find| unsafe { find(self.handle, name) })
    }
}
