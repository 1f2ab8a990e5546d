//! Instances.

use core::ffi::c_void;
use core::sync::atomic::AtomicPtr;

use ash::vk;
use loader_core::dispatch::{InstanceTable, WithTable};
use loader_core::memory::Application;
use loader_core::registry::ExtensionSet;

use crate::log::Logger;
use crate::objects::{End, InstanceCommands};

/// An instance. The first word of its handle, and of its physical devices', leads here: to the table that exported functions
/// jump through, in which the first function of the chain stands for each command. It is filled when the chain has returned from
/// vkCreateInstance; [`InstanceData`] is behind it.
pub type Instance = WithTable<InstanceTable, InstanceData>;

/// What the loader knows of an instance.
pub struct InstanceData {
    /// The process, and where messages go.
    pub logger: Logger,
    /// The driver's handle.
    pub handle: vk::Instance,
    /// What the API level keeps of it.
    pub chain: Attached,
    /// Where the application wants memory of the instance to come from.
    pub allocator: Application,
    /// The driver's functions, as far as the loader calls them.
    pub driver: InstanceCommands,
    /// The extensions that are enabled, the loader's own among them.
    pub extensions: ExtensionSet,
    /// The version of Vulkan that the application asked for, without its patch.
    pub api_version: u32,
    /// The version of Vulkan that the driver's instance is of.
    pub driver_version: u32,
    /// Who frees this.
    pub end: End,
}

/// The place for what the API level keeps of an instance: empty until the chain has returned from vkCreateInstance, and from the
/// beginning of vkDestroyInstance on.
#[derive(Default)]
pub struct Attached(pub(crate) AtomicPtr<c_void>);

// Trampolines take what the handle leads to for the table.
const _: () = assert!(core::mem::offset_of!(Instance, table) == 0);
