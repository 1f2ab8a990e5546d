//! The properties and abilities of a physical device.

use ash::vk::{self, TaggedStructure};
use vkload_core::registry::ExtensionSet;

use super::{Vulkan14Properties, limits, locations};
use crate::extensions::copy_name;
use crate::features::Features;
use crate::properties::{Row, Store, row};
use crate::sync_object::{SyncTypeError, SyncTypes};

/// The most queue families that a physical device can have.
pub const QUEUE_FAMILIES: usize = 8;

/// The runtime's answers about a physical device. A driver fills in the fields that it knows.
///
/// Limits start at the minimum that the specification requires. Those that depend on a feature are raised
/// when the description is added to an [`Enumeration`](crate::Enumeration), if the device has the feature and
/// the driver has set nothing better. Everything else is zero.
#[derive(Clone)]
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
    /// The properties of extensions that no core version gathers. [`Description::set`] fills them in.
    pub(crate) extension_properties: Store,
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
    /// The types of its synchronisation objects, if they are found at run time or differ from
    /// [`Driver::SYNC_TYPES`](crate::Driver::SYNC_TYPES): `Some(SyncTypes::new(&list))`. An unusable list fails the
    /// search for devices, and a message gives the reason.
    pub sync_types: Option<Result<SyncTypes, SyncTypeError>>,
}

// SAFETY: the pNext pointers of the properties are never followed, and everything else is data.
unsafe impl Send for Description {}
// SAFETY: as above.
unsafe impl Sync for Description {}

impl Description {
    /// Creates a description of a device with this name and Vulkan version, with the limits that this version
    /// requires and nothing else.
    #[must_use]
    pub fn new(name: &[u8], api_version: u32, device_type: vk::PhysicalDeviceType) -> Self {
        let mut properties = vk::PhysicalDeviceProperties { api_version, device_type, ..Default::default() };
        copy_name(&mut properties.device_name, name);
        let mut new = Self {
            properties,
            vulkan_1_1: Default::default(),
            vulkan_1_2: Default::default(),
            vulkan_1_3: Default::default(),
            vulkan_1_4: Vulkan14Properties::default(),
            extension_properties: Store::default(),
            extensions: ExtensionSet::default(),
            features: Features::NONE,
            memory: Default::default(),
            queue_families: [Default::default(); QUEUE_FAMILIES],
            queue_family_count: 0,
            sync_types: None,
        };
        limits::require(&mut new);
        new
    }

    /// Takes the members of a property structure, of an extension or of those that a core version gathers. For a structure that
    /// the headers in use do not have, implement their two traits for one of your own, or set each member by its name with
    /// [`reflect`](crate::reflect).
    ///
    /// Returns whether the structure was taken. Those with arrays are not: the layouts for copies by the host are in
    /// [`Description::vulkan_1_4`], and the others are written by
    /// [`Driver::write_properties`](crate::prelude::Driver::write_properties).
    pub fn set<T: TaggedStructure + vk::ExtendsPhysicalDeviceProperties2>(&mut self, structure: &T) -> bool {
        let Some(row) = known::<T>() else { return false };
        let Some(to) = locations::of_mut(self, row.location) else { return false };
        let from = core::ptr::from_ref(structure).cast::<u8>();
        // SAFETY: the structure has its header and this many bytes of members, and so has the location.
        unsafe { to.copy_from(from.add(locations::HEADER), row.length.into()) };
        true
    }

    /// Returns the stored members of a property structure, or `None` for one that [`Description::set`] does not
    /// accept.
    pub fn get<T: TaggedStructure + vk::ExtendsPhysicalDeviceProperties2 + Default>(&self) -> Option<T> {
        let row = known::<T>()?;
        let from = locations::of(self, row.location)?;
        let mut structure = T::default();
        let to = core::ptr::from_mut(&mut structure).cast::<u8>();
        // SAFETY: as above.
        unsafe { to.add(locations::HEADER).copy_from(from, row.length.into()) };
        Some(structure)
    }

    /// Sets the device's name, truncated to fit.
    pub fn set_name(&mut self, name: &[u8]) {
        copy_name(&mut self.properties.device_name, name);
    }

    /// Sets the driver's name and note, as in `VkPhysicalDeviceDriverProperties`.
    pub fn set_driver(&mut self, id: vk::DriverId, name: &[u8], note: &[u8]) {
        self.vulkan_1_2.driver_id = id;
        copy_name(&mut self.vulkan_1_2.driver_name, name);
        copy_name(&mut self.vulkan_1_2.driver_info, note);
    }

    /// Returns the minor version of the device's Vulkan 1 version.
    pub fn minor_version(&self) -> u32 {
        vk::api_version_minor(self.properties.api_version)
    }

    /// Returns the queue families.
    pub fn families(&self) -> &[vk::QueueFamilyProperties] {
        self.queue_families.get(..self.queue_family_count as usize).unwrap_or(&self.queue_families)
    }
}

/// Returns the structure's row, if its size matches the registry.
fn known<T: TaggedStructure>() -> Option<&'static Row> {
    let row = row(T::STRUCTURE_TYPE)?;
    let size = locations::HEADER.saturating_add(row.size.into());
    (size_of::<T>() == size).then_some(row)
}
