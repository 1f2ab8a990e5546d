//! What a physical device is and can do.

use ash::vk;
use loader_core::registry::ExtensionSet;

use super::Vulkan14Properties;
use crate::dispatch::DispatchTable;
use crate::extensions::copy_name;
use crate::features::Features;
use crate::sync::{SyncTypeError, SyncTypes};

/// The most queue families that a physical device can have.
pub const QUEUE_FAMILIES: usize = 8;

/// What the runtime answers for a physical device. A driver fills it in as far as it knows; the rest is zero.
pub struct Description {
    /// The properties of Vulkan 1.0.
    pub properties: vk::PhysicalDeviceProperties,
    /// The properties of Vulkan 1.1, which the structures that they are gathered from have too.
    pub vulkan_1_1: vk::PhysicalDeviceVulkan11Properties<'static>,
    /// The properties of Vulkan 1.2. The conformance version stays 0.0.0.0 until the driver has passed (LDP_DRIVER_5).
    pub vulkan_1_2: vk::PhysicalDeviceVulkan12Properties<'static>,
    /// The properties of Vulkan 1.3.
    pub vulkan_1_3: vk::PhysicalDeviceVulkan13Properties<'static>,
    /// The properties of Vulkan 1.4.
    pub vulkan_1_4: Vulkan14Properties,
    /// The device extensions that it has. The runtime reports them and accepts them, neither more nor less.
    pub extensions: ExtensionSet,
    /// The features that it has.
    pub features: Features,
    /// Its memory.
    pub memory: vk::PhysicalDeviceMemoryProperties,
    /// Its queue families, the first [`Description::queue_family_count`] of them.
    pub queue_families: [vk::QueueFamilyProperties; QUEUE_FAMILIES],
    /// How many queue families it has.
    pub queue_family_count: u32,
    /// The types of its synchronisation objects, where they are found at run time or differ from
    /// [`Driver::SYNC_TYPES`](crate::Driver::SYNC_TYPES): `Some(SyncTypes::new(&list))`. A list that cannot work fails the search
    /// for devices, and a message says why.
    pub sync_types: Option<Result<SyncTypes, SyncTypeError>>,
    /// The functions of the device and of devices made from it, where they differ from the driver's: a table with
    /// everything that [`Tables::TABLE`](crate::Tables::TABLE) has.
    pub commands: Option<&'static DispatchTable>,
}

// SAFETY: the pNext pointers of the properties are never followed, and everything else is data.
unsafe impl Send for Description {}
// SAFETY: as above.
unsafe impl Sync for Description {}

impl Description {
    /// A device of this name and version of Vulkan, without anything else.
    #[must_use]
    pub fn new(name: &[u8], api_version: u32, device_type: vk::PhysicalDeviceType) -> Self {
        let mut properties = vk::PhysicalDeviceProperties { api_version, device_type, ..Default::default() };
        copy_name(&mut properties.device_name, name);
        Self {
            properties,
            vulkan_1_1: Default::default(),
            vulkan_1_2: Default::default(),
            vulkan_1_3: Default::default(),
            vulkan_1_4: Vulkan14Properties::default(),
            extensions: ExtensionSet::default(),
            features: Features::NONE,
            memory: Default::default(),
            queue_families: [Default::default(); QUEUE_FAMILIES],
            queue_family_count: 0,
            sync_types: None,
            commands: None,
        }
    }

    /// The name and the note of the driver, as `VkPhysicalDeviceDriverProperties` has them.
    pub fn set_driver(&mut self, id: vk::DriverId, name: &[u8], note: &[u8]) {
        self.vulkan_1_2.driver_id = id;
        copy_name(&mut self.vulkan_1_2.driver_name, name);
        copy_name(&mut self.vulkan_1_2.driver_info, note);
    }

    /// The minor version of Vulkan 1 that the device has.
    #[must_use]
    pub fn minor_version(&self) -> u32 {
        vk::api_version_minor(self.properties.api_version)
    }

    /// The queue families.
    pub fn families(&self) -> &[vk::QueueFamilyProperties] {
        self.queue_families.get(..self.queue_family_count as usize).unwrap_or(&self.queue_families)
    }
}
