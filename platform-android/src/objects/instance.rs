//! Instances.

use core::ffi::{c_char, c_void};
use core::sync::atomic::AtomicPtr;

use ash::vk;
use vkload_core::dispatch::{Command, InstanceTable, WithTable};
use vkload_core::memory::CopiedCallbacks;
use vkload_core::registry::ExtensionSet;

use crate::log::Logger;
use crate::objects::{End, InstanceCommands};

/// An instance. The first word of its handle, and of its physical devices', leads here: to the
/// table that exported functions jump through, which holds the chain's first function for each
/// command. It is filled when the chain has returned from vkCreateInstance; [`InstanceData`]
/// follows it.
pub type Instance = WithTable<InstanceTable, InstanceData>;

pub struct InstanceData {
    pub logger: Logger,
    pub handle: vk::Instance,
    /// The data of the level above, which it alone reads: NULL until the chain has returned from
    /// vkCreateInstance, and again from the beginning of vkDestroyInstance.
    pub upper: AtomicPtr<c_void>,
    pub allocator: CopiedCallbacks,
    pub driver: InstanceCommands,
    pub extensions: ExtensionSet,
    /// The version of Vulkan that the application asked for, without its patch.
    pub api_version: u32,
    pub driver_version: u32,
    pub end: End,
}

impl InstanceData {
    /// Returns the driver's own function.
    ///
    /// # Safety
    /// The name is a C string.
    pub(crate) unsafe fn drivers_command(&self, name: *const c_char) -> Option<Command> {
        // SAFETY: the handle is the driver's, and by this function's `# Safety` the name is a C string.
        self.driver.get_instance_proc_addr.and_then(|find| unsafe { find(self.handle, name) })
    }
}

// Trampolines take the target of the handle for the table.
const _: () = assert!(core::mem::offset_of!(Instance, table) == 0);
